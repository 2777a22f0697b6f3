#include "nic/kernel_card.hpp"

#include "core/error.hpp"
#include "nic/datagram.hpp"
#include "nic/doorbell.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace thalweg::nic {

namespace {

constexpr timeval agents_patience{5, 0};

[[noreturn]] void fail(const char* what, const char* remedy) {
  throw Error(fmt::format("{}: {}", what, std::strerror(errno)), remedy, thalweg_error_system);
}

int connect_to_agent() {
  const int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (made < 0)
    fail("no socket for the agent", "look at the limit of open files: ulimit -n");
  setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &agents_patience, sizeof agents_patience);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  constexpr std::string_view text = THALWEG_NIC_AGENT;
  std::memcpy(name.sun_path + 1, text.data(), text.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  if (connect(made, reinterpret_cast<const sockaddr*>(&name), length) < 0) {
    close(made);
    throw Error("no agent serves the network device", "have one started: thalweg nic serve",
                thalweg_error_system);
  }
  return made;
}

// The descriptors that come with the reply.
struct Reply {
  thalweg_nic_reply words = {};
  std::array<int, 3> descriptors{-1, -1, -1};
};

Reply ask(int agent, const thalweg_nic_request& request) {
  if (send(agent, &request, sizeof request, MSG_NOSIGNAL) != sizeof request)
    fail("the agent does not listen", "have it started anew: thalweg nic serve");
  Reply reply;
  iovec part{&reply.words, sizeof reply.words};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof reply.descriptors)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (recvmsg(agent, &message, MSG_CMSG_CLOEXEC) != static_cast<ssize_t>(sizeof reply.words))
    fail("the agent does not answer", "have it started anew: thalweg nic serve");
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof reply.descriptors))
    std::memcpy(reply.descriptors.data(), CMSG_DATA(header), sizeof reply.descriptors);
  if (reply.words.version != THALWEG_NIC_VERSION || reply.words.refused != 0)
    throw Error(fmt::format("the agent refuses: {}",
                            std::string_view(reply.words.reason,
                                             strnlen(reply.words.reason, sizeof reply.words.reason))),
                "", thalweg_error_system);
  return reply;
}

class KernelCard final : public Card {
public:
  KernelCard(std::unique_ptr<AgentConnection> agent, const thalweg_nic_group& group, const Reply& reply)
      : agent_(std::move(agent)), group_(group), socket_(reply.descriptors[1]) {
    void* const memory =
        mmap(nullptr, THALWEG_NIC_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, reply.descriptors[0], 0);
    const int error = errno;
    close(reply.descriptors[0]);
    if (memory == MAP_FAILED) {
      close(socket_);
      close(reply.descriptors[2]);
      errno = error;
      fail("the agent's page cannot be mapped", "look at the limit of locked memory: ulimit -l");
    }
    page_ = static_cast<thalweg_nic_page*>(memory);
    try {
      doorbell_ = std::make_unique<Doorbell>(reply.descriptors[2], page_);
    } catch (...) {
      munmap(page_, THALWEG_NIC_PAGE_BYTES);
      close(socket_);
      throw;
    }
  }

  ~KernelCard() override {
    munmap(page_, THALWEG_NIC_PAGE_BYTES);
    close(socket_);
  }

  // The program has seen it when this returns.
  bool start(std::uint32_t epoch, const thalweg_nic_content& own) override {
    if (thalweg_nic_later(epoch, newest_.load(std::memory_order_relaxed)) != 0)
      newest_.store(epoch, std::memory_order_relaxed);
    const Datagram datagram(group_, THALWEG_NIC_START, epoch, own);
    return send(socket_, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
  }

  bool has_ended(std::uint32_t epoch) override {
    return __atomic_load_n(&page_->ended[epoch % THALWEG_NIC_WINDOW], __ATOMIC_ACQUIRE) == epoch;
  }

  void read(std::uint32_t epoch, thalweg_nic_content& result) override {
    std::copy_n(page_->words[epoch % THALWEG_NIC_WINDOW], result.count, result.words);
  }

  void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) override {
    doorbell_->sleep_unless(has_come, longest_us);
  }

  // An agent says nothing by itself, so there is something to read only when it has ended.
  std::string loss() override {
    throw_if_somebody_left();
    pollfd agent{agent_->descriptor(), POLLIN, 0};
    return poll(&agent, 1, 0) > 0 ? "the agent of this host has ended" : std::string();
  }

private:
  void throw_if_somebody_left() const {
    const auto* const gone = reinterpret_cast<const thalweg_nic_departure*>(
        reinterpret_cast<const std::byte*>(page_) + THALWEG_NIC_DEPARTURE_AT);
    const std::uint32_t kind = __atomic_load_n(&gone->kind, __ATOMIC_ACQUIRE);
    if (kind == THALWEG_NIC_NOBODY_LEFT ||
        thalweg_nic_later(newest_.load(std::memory_order_relaxed), gone->after) == 0)
      return;
    const std::string_view host(gone->host, strnlen(gone->host, sizeof gone->host));
    if (kind == THALWEG_NIC_PROCESS_ENDED)
      throw Error(fmt::format("rank {} on {} ended", gone->rank, host), "see why it did: its own messages",
                  thalweg_error_system);
    throw Error(gone->rank < 0 ? fmt::format("the host {} does not answer", host)
                               : fmt::format("the host {} of rank {} does not answer", host, gone->rank),
                "see whether it is up, and its link", thalweg_error_system);
  }

  std::unique_ptr<AgentConnection> agent_;
  std::atomic<std::uint32_t> newest_ = 0;
  thalweg_nic_group group_;
  int socket_;
  thalweg_nic_page* page_ = nullptr;
  std::unique_ptr<Doorbell> doorbell_;
};

} // namespace

AgentConnection::AgentConnection() : descriptor_(connect_to_agent()) {
  thalweg_nic_request request{};
  request.version = THALWEG_NIC_VERSION;
  request.kind = THALWEG_NIC_HELLO;
  try {
    address_ = ask(descriptor_, request).words.address;
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

AgentConnection::~AgentConnection() {
  close(descriptor_);
}

std::unique_ptr<Card> AgentConnection::join(std::unique_ptr<AgentConnection> connection,
                                            const thalweg_nic_group& group, std::uint32_t local,
                                            std::span<const std::int32_t> ranks) {
  thalweg_nic_request request{};
  request.version = THALWEG_NIC_VERSION;
  request.kind = THALWEG_NIC_JOIN;
  request.local = local;
  request.group = group;
  std::copy_n(ranks.begin(), std::min<std::size_t>(ranks.size(), THALWEG_NIC_CONTRIBUTORS), request.ranks);
  const Reply reply = ask(connection->descriptor(), request);
  if (reply.descriptors[0] < 0)
    throw Error("the agent gave no page", "have it started anew: thalweg nic serve", thalweg_error_system);
  return std::make_unique<KernelCard>(std::move(connection), group, reply);
}

} // namespace thalweg::nic
