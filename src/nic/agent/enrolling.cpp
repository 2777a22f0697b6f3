// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/registry.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>

// Groups on this card that no rank of this host is in.

namespace thalweg::nic {

namespace {

void check_shape(const thalweg_nic_group& view) {
  const bool is_sound = view.locals == 0 && view.contributors >= 1 &&
                        view.contributors <= THALWEG_NIC_CONTRIBUTORS && view.width == 0 &&
                        view.segment_bytes <= THALWEG_NIC_SEGMENT_BYTES &&
                        (view.segment_bytes == 0 || view.has_parent != 0);
  if (!is_sound)
    throw Error(fmt::format("{} ranks and {} contributors are no group without ranks", view.locals,
                            view.contributors),
                fmt::format("choose a tree with at most {} below a card", int{THALWEG_NIC_CONTRIBUTORS}));
}

} // namespace

// It is as a group that all members have left. What the last one would have left behind starts again where
// the cards below a broadcast need that.
void Registry::enroll(std::uint32_t from, const Enrollment& enrollment) {
  check_shape(enrollment.group);
  thalweg_nic_request request{};
  request.group = enrollment.group;
  std::ranges::copy(enrollment.ranks, request.ranks);
  check_networks(request);
  if (!GroupWatch(request.group, request.ranks, address_, host_).is_neighbor(from))
    throw Error("a group that its host is not in", "ask for groups of this host alone");
  const std::uint32_t index = find_or_make(enrollment.user, request);
  Group& group = groups_.at(index);
  group.left = Clock::now();
  if (group.last_socket >= 0)
    return;
  group.last_socket = make_socket(group.last_cookie);
  programs_.set_allowance(enrollment.user, limits_.starts_per_second);
  programs_.set_owner(group.last_cookie, index, 0, enrollment.user);
  ledger_.joined(index, enrollment.user, request, {group.last_socket, group.last_socket}, group.descriptors);
  ledger_.left(index, 0);
}

} // namespace thalweg::nic
