// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/probe.hpp"

#include "base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

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

} // namespace thalweg::nic
