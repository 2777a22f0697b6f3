// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/registry.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "nic/readable.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <ranges>
#include <set>
#include <utility>

namespace thalweg::nic {

namespace {

// Members of a group on this host say the same of it.
bool is_same(const thalweg_nic_group& a, const thalweg_nic_group& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

} // namespace

Registry::Registry(const Programs& programs, Neighbors& neighbors, std::uint32_t address, std::string host,
                   const Aggregation& aggregation, Limits limits, const Ledger& ledger)
    : programs_(programs), neighbors_(neighbors), address_(address), host_(std::move(host)),
      aggregation_(aggregation), admission_(address, std::move(limits)), ledger_(ledger) {
  std::set<std::uint32_t> ids;
  for (const auto& [index, kept] : ledger_.kept()) {
    restore(index, kept);
    ids.insert(kept.request.group.id);
  }
  std::set<std::uint64_t> cookies;
  for (const Member& member : members_.all() | std::views::values)
    cookies.insert(member.start.cookie());
  for (Group& group : groups_ | std::views::values)
    if (group.last_start().is_open())
      cookies.insert(group.last_start().cookie());
  // What the other process was about to write down.
  programs_.retain(ids, cookies);
}

Registry::~Registry() {
  for (const Member& member : members_.all() | std::views::values)
    forget(member.start);
  for (auto& [index, group] : groups_)
    remove(index, group);
}

// Going on where another process has ended: with groups, members and who is gone, as they were.
void Registry::restore(std::uint32_t index, const KeptGroup& kept) {
  Group& group =
      groups_.try_emplace(index, kept.request, kept.user, kept.descriptors, address_, host_).first->second;
  group.presence().renew(Group::Clock::now());
  look(index, group, group.presence().left());
  group.recall();
  for (const auto& [local, member] : kept.members) {
    StartSocket start = StartSocket::adopt(member.socket);
    if (member.connection < 0) {
      group.last_start() = std::move(start);
      continue;
    }
    group.presence().join(local);
    members_.add(member.connection, {index, local, std::move(start)});
  }
}

void Registry::forget(const StartSocket& start) const {
  if (start.is_open())
    programs_.remove_owner(start.cookie());
}

void Registry::remove(std::uint32_t index, Group& group) const {
  programs_.remove(index, group.view().id);
  forget(group.last_start());
}

Registry::Membership Registry::join(int connection, uid_t user, const thalweg_nic_request& request) {
  admission_.check_member(request);
  if (members_.contains(connection))
    throw Error("this connection is a member already", "open another one for another group");
  const std::uint32_t index = find_or_make(user, request);
  Group& group = groups_.at(index);
  group.presence().join(request.local);
  StartSocket start;
  try {
    start = StartSocket::make(address_);
    programs_.set_allowance(user, admission_.limits().starts_per_second);
    programs_.set_owner(start.cookie(), index, request.local, user);
    ledger_.joined(index, user, request, {connection, start.number()}, group.descriptors());
  } catch (...) {
    forget(start);
    group.presence().leave(request.local, group.presence().left());
    throw;
  }
  const Membership given{index, start.number(), group.descriptors().page, group.descriptors().doorbell};
  members_.add(connection, {index, request.local, std::move(start)});
  return given;
}

// It is as a group that all members have left. What the last one would have left behind starts again where
// the cards below a broadcast need that.
void Registry::enroll(std::uint32_t from, const Enrollment& enrollment) {
  thalweg_nic_request request{};
  request.group = enrollment.group;
  std::ranges::copy(enrollment.ranks, request.ranks);
  admission_.check_aggregate(from, request);
  const std::uint32_t index = find_or_make(enrollment.user, request);
  Group& group = groups_.at(index);
  group.presence().renew(Group::Clock::now());
  StartSocket& start = group.last_start();
  if (start.is_open())
    return;
  start = StartSocket::make(address_);
  programs_.set_allowance(enrollment.user, admission_.limits().starts_per_second);
  programs_.set_owner(start.cookie(), index, 0, enrollment.user);
  ledger_.joined(index, enrollment.user, request, {start.number(), start.number()}, group.descriptors());
  ledger_.left(index, 0);
}

std::uint32_t Registry::find_or_make(uid_t user, const thalweg_nic_request& request) {
  for (const auto& [index, group] : groups_)
    if (group.view().id == request.group.id) {
      if (group.user() != user || !is_same(group.view(), request.group))
        throw Error(fmt::format("group {:x} is somebody else's", request.group.id), "choose another number");
      return index;
    }
  const auto is_full = [&] {
    const auto of_user =
        std::ranges::count_if(groups_, [&](const auto& entry) { return entry.second.user() == user; });
    return admission_.is_full(static_cast<std::size_t>(of_user), groups_.size());
  };
  while (is_full() && expire_one()) { // those that are still to be forgotten do not count
  }
  if (is_full())
    throw Error(
        fmt::format("{} groups are all that there are for a user", admission_.limits().groups_per_user),
        "use fewer communicators with nic");
  std::uint32_t index = 0;
  while (groups_.contains(index))
    ++index;
  THALWEG_ASSERT(light, index < max_groups);
  programs_.operators().slot_of(request.group.operator_digest);
  Descriptor page(programs_.make_page(request.group));
  Descriptor doorbell(programs_.make_doorbell());
  const GroupDescriptors given{page.release(), doorbell.release()};
  Group& group = groups_.try_emplace(index, request, user, given, address_, host_).first->second;
  group.begin();
  programs_.add(index, request.group, given.page, given.doorbell);
  return index;
}

void Registry::leave(int connection) {
  std::optional<Member> member = members_.take(connection);
  if (!member)
    return;
  Group& group = groups_.at(member->index);
  group.presence().leave(member->local, Group::Clock::now());
  look(member->index, group, group.presence().left());
  if (group.was_given_up())
    dissolve(group);
  else if (group.watch().leave(member->local))
    announce(group);
  ledger_.left(member->index, member->local);
  // A rank may leave before what it has started has come to those above.
  if (!group.presence().has_ranks())
    std::swap(member->start, group.last_start());
  forget(member->start);
}

bool Registry::expire_one() {
  const Group::Clock::time_point now = Group::Clock::now();
  const auto old = std::ranges::find_if(groups_, [&](const auto& entry) {
    const Group& group = entry.second;
    return group.presence().may_expire(now) &&
           (group.presence().must_expire(now) || !is_needed(entry.first, group));
  });
  if (old == groups_.end())
    return false;
  remove(old->first, old->second);
  ledger_.removed(old->first);
  groups_.erase(old);
  return true;
}

std::string Registry::describe() {
  const Programs::Counts counts = programs_.counts();
  const Group::Clock::time_point now = Group::Clock::now();
  std::string groups;
  for (auto& [index, group] : groups_) {
    look(index, group, now);
    groups += (groups.empty() ? "" : ",") + group.describe(now);
  }
  std::string aggregator = aggregation_.is_offered ? "self" : "";
  if (aggregation_.known != 0)
    aggregator = address_text(aggregation_.known);
  return fmt::format(
      R"({{"address":"{}","hook":"{}","aggregator":"{}","starts":{},"ups":{},"downs":{},"refused":{},"held_back":{},"operators":{},"groups":[{}]}})",
      address_text(address_), programs_.hook() == Hook::tcx ? "tcx" : "clsact", aggregator, counts.starts,
      counts.ups, counts.downs, counts.refused + refused_, counts.held_back, programs_.operators().describe(),
      groups);
}

} // namespace thalweg::nic
