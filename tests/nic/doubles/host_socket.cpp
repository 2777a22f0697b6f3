// SPDX-License-Identifier: BSD-3-Clause
#include "nic/doubles/host_socket.hpp"

#include "base/error.hpp"
#include "wait/system.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace thalweg::nic {

namespace {

// Longer than the first patience of those who wait below (nic/card.cpp).
constexpr std::uint64_t quiet_ns = 50'000'000;

} // namespace

HostSocket::HostSocket(std::string_view address) : socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in own{};
  own.sin_family = AF_INET;
  socklen_t length = sizeof own;
  const std::string text(address);
  if (socket_ < 0 || inet_pton(AF_INET, text.c_str(), &own.sin_addr) != 1 ||
      bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) < 0 ||
      getsockname(socket_, reinterpret_cast<sockaddr*>(&own), &length) < 0) {
    const int error = errno;
    close(socket_);
    throw Error(fmt::format("no socket at {}: {}", address, std::strerror(error)),
                "give an IPv4 address of this host", thalweg_error_system);
  }
  place_ = {own.sin_addr.s_addr, own.sin_port, 0};
}

HostSocket::~HostSocket() {
  close(socket_);
}

void HostSocket::send(const thalweg_nic_place& to, const void* data, std::size_t bytes) const {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = to.address;
  address.sin_port = to.port;
  [[maybe_unused]] const ssize_t sent = sendto(socket_, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL,
                                               reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

std::optional<HostSocket::Received> HostSocket::receive(void* room, std::size_t room_bytes) const {
  sockaddr_in from{};
  socklen_t length = sizeof from;
  const ssize_t bytes =
      recvfrom(socket_, room, room_bytes, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from), &length);
  if (bytes >= 0)
    return Received{{from.sin_addr.s_addr, from.sin_port, 0}, static_cast<std::size_t>(bytes)};
  return errno == EAGAIN ? std::nullopt : std::optional<Received>(Received{});
}

void HostSocket::sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) const {
  pollfd arriving{socket_, POLLIN, 0};
  const timespec longest{longest_us / 1'000'000, longest_us % 1'000'000 * 1000L};
  if (!has_come())
    ppoll(&arriving, 1, &longest, nullptr);
}

void HostSocket::linger(const std::function<bool()>& receive) const {
  pollfd arriving{socket_, POLLIN, 0};
  for (std::uint64_t end_ns = wait::System::now_ns() + quiet_ns; wait::System::now_ns() < end_ns;)
    if (poll(&arriving, 1, 10) > 0 && receive())
      end_ns = wait::System::now_ns() + quiet_ns;
}

} // namespace thalweg::nic
