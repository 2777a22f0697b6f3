// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/members.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "nic/protocol.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <ranges>
#include <sys/socket.h>
#include <utility>

namespace thalweg::nic {

namespace {

[[noreturn]] void refuse(const char* what, const char* remedy) {
  throw Error(fmt::format("{}: {}", what, std::strerror(errno)), remedy, thalweg_error_system);
}

template <typename Value>
void set_option(const Descriptor& socket, int level, int name, const Value& value) {
  if (setsockopt(socket.number(), level, name, &value, sizeof value) < 0)
    refuse("no socket for starts", "look at the agent's limits");
}

} // namespace

StartSocket::StartSocket(Descriptor socket) : socket_(std::move(socket)) {
  socklen_t length = sizeof cookie_;
  if (getsockopt(socket_.number(), SOL_SOCKET, SO_COOKIE, &cookie_, &length) < 0)
    refuse("a rank's socket is lost", "start the agent anew");
}

// A checksum would have to be made anew where packets are rewritten.
StartSocket StartSocket::make(std::uint32_t address) {
  Descriptor made(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made.number() < 0)
    refuse("no socket for starts", "look at the agent's limits");
  set_option(made, SOL_SOCKET, SO_NO_CHECK, 1);
  set_option(made, IPPROTO_IP, IP_MULTICAST_LOOP, 0);
  set_option(made, IPPROTO_IP, IP_MULTICAST_TTL, 1);
  set_option(made, IPPROTO_IP, IP_MULTICAST_IF, in_addr{address});
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = address;
  sockaddr_in card = own;
  card.sin_addr.s_addr = htonl(THALWEG_NIC_START_ADDRESS);
  card.sin_port = htons(THALWEG_NIC_PORT);
  if (bind(made.number(), reinterpret_cast<const sockaddr*>(&own), sizeof own) < 0 ||
      connect(made.number(), reinterpret_cast<const sockaddr*>(&card), sizeof card) < 0)
    refuse("no socket for starts", "look at the device's address");
  return StartSocket(std::move(made));
}

StartSocket StartSocket::adopt(int number) {
  return StartSocket(Descriptor(number));
}

void Members::add(int connection, Member member) {
  THALWEG_ASSERT(light, connection >= 0 && member.start.is_open());
  const bool is_new = members_.emplace(connection, std::move(member)).second;
  THALWEG_ASSERT(light, is_new);
}

std::optional<Member> Members::take(int connection) {
  auto found = members_.extract(connection);
  return found ? std::optional(std::move(found.mapped())) : std::nullopt;
}

std::vector<int> Members::connections() const {
  const auto found = members_ | std::views::keys;
  return {found.begin(), found.end()};
}

const Member* Members::any_of(std::uint32_t index) const {
  const auto all = members_ | std::views::values;
  const auto found = std::ranges::find(all, index, &Member::index);
  return found == all.end() ? nullptr : &*found;
}

} // namespace thalweg::nic
