// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/neighbors.hpp"

#include "base/error.hpp"
#include "nic/beat.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace thalweg::nic {

namespace {

constexpr int waiting_max = 4096; // nobody accepts them

Descriptor stream_socket() {
  return Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

bool binds(const Descriptor& made, std::uint32_t address, std::uint16_t port) {
  const sockaddr_in own = socket_address(address, port);
  return made.number() >= 0 && bind(made.number(), reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0;
}

} // namespace

sockaddr_in socket_address(std::uint32_t address, std::uint16_t port) {
  sockaddr_in found{};
  found.sin_family = AF_INET;
  found.sin_addr.s_addr = address;
  found.sin_port = htons(port);
  return found;
}

Descriptor listen_for_probes(std::uint32_t own, std::uint16_t port) {
  Descriptor made = stream_socket();
  const int again = 1;
  setsockopt(made.number(), SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
  if (!binds(made, own, port) || listen(made.number(), waiting_max) < 0)
    throw Error(fmt::format("no socket for probes at port {}: {}", port, std::strerror(errno)),
                "end what listens there", thalweg_error_system);
  return made;
}

void AgentProbe::connect() {
  socket_ = stream_socket();
  const sockaddr_in to = socket_address(other_, port_);
  if (!binds(socket_, own_, 0) ||
      (::connect(socket_.number(), reinterpret_cast<const sockaddr*>(&to), sizeof to) < 0 &&
       errno != EINPROGRESS))
    socket_ = Descriptor();
}

// What is refused shows as an error, and what is ended as one or as an end.
AgentProbe::Finding AgentProbe::look() {
  if (socket_.number() < 0)
    connect();
  pollfd found{socket_.number(), POLLIN | POLLRDHUP, 0};
  if (socket_.number() < 0 || poll(&found, 1, 0) <= 0)
    return Finding::nothing;
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(socket_.number(), SOL_SOCKET, SO_ERROR, &error, &length);
  connect();
  if (error == 0 || error == ECONNRESET)
    return Finding::ended;
  return error == ECONNREFUSED ? Finding::refused : Finding::nothing;
}

namespace {

using namespace std::chrono_literals;

constexpr auto patience = 1200ms;       // three beats
constexpr auto first_patience = 5000ms; // hosts join a group one after another
constexpr auto probe_pause = 300ms;
constexpr auto kept = 60s;
constexpr std::uint16_t closed_port = 7749;

// True where the other host's kernel says that nobody listens, also to an earlier one.
bool is_refused(int socket, std::span<const std::byte> datagram) {
  if (::send(socket, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ||
      errno != ECONNREFUSED)
    return false;
  [[maybe_unused]] const ssize_t sent =
      ::send(socket, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return true;
}

} // namespace

Neighbors::Neighbors(std::uint32_t own)
    : own_(own), listening_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      probed_(listen_for_probes(own, agent_port)) {
  const sockaddr_in address = socket_address(own, agent_port);
  if (listening_ < 0 || bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0) {
    const int error = errno;
    close(listening_);
    throw Error(fmt::format("no socket at port {}: {}", agent_port, std::strerror(error)),
                "end what listens there", thalweg_error_system);
  }
}

Neighbors::~Neighbors() {
  for (const auto& [address, neighbor] : neighbors_) {
    close(neighbor.beats);
  }
  close(listening_);
}

int Neighbors::connect_to(std::uint32_t address) const {
  const int made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const sockaddr_in own = socket_address(own_, 0);
  const sockaddr_in other = socket_address(address, agent_port);
  if (made >= 0 && bind(made, reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0 &&
      connect(made, reinterpret_cast<const sockaddr*>(&other), sizeof other) == 0)
    return made;
  close(made);
  return -1;
}

Neighbors::Neighbor& Neighbors::find_or_make(std::uint32_t address) {
  const auto found = neighbors_.find(address);
  if (found != neighbors_.end())
    return found->second;
  return neighbors_
      .emplace(address, Neighbor{connect_to(address),
                                 Clock::now() + first_patience - patience,
                                 Clock::now(),
                                 {},
                                 {},
                                 0,
                                 AgentProbe(own_, address, agent_port),
                                 AgentProbe(own_, address, closed_port),
                                 {}})
      .first->second;
}

void Neighbors::receive(const std::function<void(const Sender&, std::span<const std::byte>)>& visit) {
  std::array<std::byte, 2048> datagram;
  sockaddr_in from{};
  for (;;) {
    socklen_t length = sizeof from;
    const ssize_t bytes = recvfrom(listening_, datagram.data(), datagram.size(), 0,
                                   reinterpret_cast<sockaddr*>(&from), &length);
    if (bytes < 0)
      return;
    const std::uint32_t address = from.sin_addr.s_addr;
    if (const auto found = neighbors_.find(address); found != neighbors_.end()) {
      found->second.heard = Clock::now(); // so it has joined, and needs no more patience
      found->second.times_refused = 0;
    }
    visit({address, ntohs(from.sin_port)}, std::span(datagram).first(static_cast<std::size_t>(bytes)));
  }
}

void Neighbors::send(std::uint32_t address, std::span<const std::byte> datagram) {
  Neighbor& neighbor = find_or_make(address);
  const Clock::time_point now = Clock::now();
  if (now - neighbor.sent > patience) // nobody had to say anything meanwhile
    neighbor.heard = std::max(neighbor.heard, now + first_patience - patience);
  neighbor.sent = now;
  bool is_without_agent = is_refused(neighbor.beats, datagram);
  bool is_alive = false;
  if (now - neighbor.probed > probe_pause) {
    neighbor.probed = now;
    const AgentProbe::Finding found = neighbor.probe.look();
    is_without_agent |= found == AgentProbe::Finding::refused;
    if (found == AgentProbe::Finding::ended)
      neighbor.ended = now;
    is_alive = now - neighbor.heard > probe_pause && neighbor.closed.look() == AgentProbe::Finding::refused;
  }
  if (is_without_agent && neighbor.times_refused++ == 0)
    neighbor.refused = now;
  if (is_without_agent || is_alive)
    neighbor.heard = std::max(neighbor.heard, now);
}

bool Neighbors::is_silent(std::uint32_t address, Clock::time_point now, Clock::time_point since) const {
  const auto found = neighbors_.find(address);
  return found != neighbors_.end() && now - found->second.sent <= patience &&
         now - std::max(found->second.heard, since) > patience;
}

// The first one may be an answer to what was sent long ago.
bool Neighbors::has_no_agent(std::uint32_t address, Clock::time_point since) const {
  const auto found = neighbors_.find(address);
  return found != neighbors_.end() &&
         (found->second.ended > since || (found->second.times_refused > 1 && found->second.refused > since));
}

void Neighbors::send_once(const Sender& to, std::span<const std::byte> datagram) const {
  const sockaddr_in address = socket_address(to.address, to.port);
  [[maybe_unused]] const ssize_t sent =
      sendto(listening_, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

void Neighbors::begin_round(Clock::time_point now) {
  // This process was given no time: what it did not hear, nobody has to have left unsaid.
  if (now - round_ > 2 * patience / 3)
    for (auto& [address, neighbor] : neighbors_)
      neighbor.heard = std::max(neighbor.heard, now);
  round_ = now;
}

void Neighbors::forget_old(Clock::time_point now) {
  for (auto one = neighbors_.begin(); one != neighbors_.end();) {
    if (now - one->second.sent < kept) {
      ++one;
      continue;
    }
    close(one->second.beats);
    one = neighbors_.erase(one);
  }
}

} // namespace thalweg::nic
