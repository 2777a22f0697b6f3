// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/registry.hpp"

#include "base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <ranges>
#include <sys/socket.h>

// Going on where another process has ended: with groups, members and who is gone, as they were.

namespace thalweg::nic {

namespace {

std::uint64_t cookie_of(int socket) {
  std::uint64_t cookie = 0;
  socklen_t length = sizeof cookie;
  if (getsockopt(socket, SOL_SOCKET, SO_COOKIE, &cookie, &length) < 0)
    throw Error(fmt::format("a rank's socket is lost: {}", std::strerror(errno)), "start the agent anew",
                thalweg_error_system);
  return cookie;
}

} // namespace

void Registry::restore() {
  std::set<std::uint32_t> ids;
  std::set<std::uint64_t> cookies;
  for (const auto& [index, kept] : ledger_.kept()) {
    restore(index, kept);
    ids.insert(kept.request.group.id);
    for (const KeptMember& member : kept.members | std::views::values)
      cookies.insert(cookie_of(member.socket));
  }
  // What the other process was about to write down.
  programs_.retain(ids, cookies);
}

void Registry::restore(std::uint32_t index, const KeptGroup& kept) {
  Group& group = make(index, kept.user, kept.request, kept.descriptors);
  group.left = Clock::now();
  look(index, group, group.left);
  if (__atomic_load_n(&group.departure().kind, __ATOMIC_ACQUIRE) != THALWEG_NIC_NOBODY_LEFT)
    group.watch.recall(group.departure());
  for (const auto& [local, member] : kept.members) {
    const std::uint64_t cookie = cookie_of(member.socket);
    if (member.connection < 0) {
      group.last_socket = member.socket;
      group.last_cookie = cookie;
      continue;
    }
    group.present |= std::uint64_t{1} << local;
    members_[member.connection] = {index, local, member.socket, cookie};
  }
}

std::vector<int> Registry::connections() const {
  const auto found = members_ | std::views::keys;
  return {found.begin(), found.end()};
}

} // namespace thalweg::nic
