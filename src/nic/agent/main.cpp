// The agent of a host: thalweg-nic-agent OBJECT DEVICE best|tcx|clsact GROUPS-PER-USER [NETWORK...].
// `thalweg nic serve` starts it.
//
// It alone has privileges. It loads the programs once, and gives each rank that joins a group a page and a
// socket.

#include "core/error.hpp"
#include "nic/agent/privileges.hpp"
#include "nic/agent/registry.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace {

using thalweg::Error;
using thalweg::nic::Hook;
using thalweg::nic::Neighbors;
using thalweg::nic::Programs;
using thalweg::nic::Registry;

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds between_beats{500};
volatile std::sig_atomic_t ends = 0;

std::uint32_t address_of(const std::string& device) {
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::strncpy(request.ifr_name, device.c_str(), IFNAMSIZ - 1);
  const int code = ioctl(any, SIOCGIFADDR, &request);
  close(any);
  if (code < 0)
    throw Error(fmt::format("{} has no IPv4 address", device),
                "name another one with --device; ip address lists them");
  sockaddr_in found{};
  std::memcpy(&found, &request.ifr_addr, sizeof found);
  return found.sin_addr.s_addr;
}

// As other hosts know this one: by the device's address, or by its own name.
std::string name_of(std::uint32_t address) {
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = address;
  char name[256] = {};
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&own), sizeof own, name, sizeof name, nullptr, 0,
                  NI_NAMEREQD) != 0)
    gethostname(name, sizeof name - 1);
  return name;
}

// An agent that has just been ended may hold the name a moment longer.
bool bind_to(int socket, const sockaddr_un& name, socklen_t length) {
  constexpr timespec pause{0, 50'000'000};
  for (int attempt = 0; attempt < 40; ++attempt) {
    if (bind(socket, reinterpret_cast<const sockaddr*>(&name), length) == 0)
      return true;
    if (errno != EADDRINUSE || ends != 0)
      return false;
    nanosleep(&pause, nullptr);
  }
  return false;
}

int listening_socket() {
  const int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  constexpr std::string_view text = THALWEG_NIC_AGENT;
  std::memcpy(name.sun_path + 1, text.data(), text.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  if (made < 0 || !bind_to(made, name, length) || listen(made, 64) < 0)
    throw Error(fmt::format("@{} cannot be listened at: {}", text, std::strerror(errno)),
                "one agent serves a host: end the other one first");
  return made;
}

class Server {
public:
  Server(int listening, Registry& registry, Neighbors& neighbors, std::uint32_t address)
      : registry_(registry), neighbors_(neighbors),
        address_(address), watched_{{listening, POLLIN, 0}, {neighbors.descriptor(), POLLIN, 0}} {}

  void serve() {
    for (Clock::time_point due = Clock::now(); ends == 0;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(due - Clock::now()).count();
      const int patience_ms =
          std::min(registry_.start_again(), static_cast<int>(std::max<std::int64_t>(0, left)));
      poll(watched_.data(), watched_.size(), patience_ms);
      const std::vector<pollfd> ready = watched_;
      if (ready[1].revents != 0)
        neighbors_.receive(
            [&](std::uint32_t from, std::span<const std::byte> datagram) { registry_.hear(from, datagram); });
      if (Clock::now() >= due) {
        registry_.expire();
        registry_.beat();
        due = Clock::now() + between_beats;
      }
      for (std::size_t i = 2; i < ready.size(); ++i)
        if (ready[i].revents != 0 && !answer(ready[i].fd))
          forget(ready[i].fd);
      if (ready[0].revents != 0)
        if (const int connection = accept4(ready[0].fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
            connection >= 0)
          watched_.push_back({connection, POLLIN, 0});
    }
  }

private:
  // False where the connection has ended.
  bool answer(int connection) {
    thalweg_nic_request request{};
    const ssize_t bytes = recv(connection, &request, sizeof request, 0);
    if (bytes < 0)
      return errno == EAGAIN || errno == EINTR;
    constexpr auto beginning = static_cast<ssize_t>(offsetof(thalweg_nic_request, local));
    if (bytes >= beginning && request.kind == THALWEG_NIC_STATUS) {
      const std::string text = registry_.describe();
      return send(connection, text.data(), text.size(), MSG_NOSIGNAL) >= 0;
    }
    if (bytes != sizeof request)
      return false;
    thalweg_nic_reply reply{THALWEG_NIC_VERSION, 0, address_, {}};
    Registry::Membership membership;
    try {
      if (request.version != THALWEG_NIC_VERSION)
        throw Error(
            fmt::format("the agent speaks version {}, not {}", int{THALWEG_NIC_VERSION}, request.version),
            "install the same Thalweg everywhere");
      if (request.kind == THALWEG_NIC_JOIN)
        membership = registry_.join(connection, user_of(connection), request);
    } catch (const Error& error) {
      reply.refused = 1;
      std::strncpy(reply.reason, error.what(), sizeof reply.reason - 1);
    }
    return send_reply(connection, reply, membership);
  }

  static uid_t user_of(int connection) {
    ucred peer{};
    socklen_t length = sizeof peer;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
      throw Error("nobody knows whose this connection is", "connect through a Unix socket");
    return peer.uid;
  }

  static bool send_reply(int connection, thalweg_nic_reply& reply, const Registry::Membership& membership) {
    iovec part{&reply, sizeof reply};
    alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (membership.page >= 0) {
      const int descriptors[2] = {membership.page, membership.socket};
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      cmsghdr* const header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof descriptors);
      std::memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
    }
    return sendmsg(connection, &message, MSG_NOSIGNAL) == sizeof reply;
  }

  void forget(int connection) {
    registry_.leave(connection);
    close(connection);
    std::erase_if(watched_, [&](const pollfd& one) { return one.fd == connection; });
  }

  Registry& registry_;
  Neighbors& neighbors_;
  std::uint32_t address_;
  std::vector<pollfd> watched_; // first those that want to connect, then other agents
};

Hook hook_named(std::string_view name) {
  return name == "tcx" ? Hook::tcx : name == "clsact" ? Hook::clsact : Hook::best;
}

} // namespace

int main(int count, char** words) {
  if (count < 5) {
    std::fprintf(stderr,
                 "usage: thalweg-nic-agent OBJECT DEVICE best|tcx|clsact GROUPS-PER-USER [NETWORK...]\n");
    return 2;
  }
  struct sigaction action {};
  action.sa_handler = [](int) { ends = 1; };
  for (const int number : {SIGTERM, SIGINT, SIGHUP})
    sigaction(number, &action, nullptr);
  try {
    thalweg::nic::Limits limits{std::strtoul(words[4], nullptr, 10), {}};
    for (int i = 5; i < count; ++i)
      limits.networks.push_back(thalweg::nic::read_network(words[i]));
    const int listening = listening_socket(); // first: a second agent must not touch the device
    const std::uint32_t address = address_of(words[2]);
    const Programs programs(words[1], words[2], hook_named(words[3]));
    Neighbors neighbors(address);
    Registry registry(programs, neighbors, address, name_of(address), limits);
    thalweg::nic::drop_privileges(programs.hook() == Hook::clsact);
    std::printf("serving %s through %s\n", words[2], programs.hook() == Hook::tcx ? "tcx" : "clsact");
    std::fflush(stdout);
    Server(listening, registry, neighbors, address).serve();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "thalweg-nic-agent: %s\n", error.what());
    return 1;
  }
  return 0;
}
