// SPDX-License-Identifier: BSD-3-Clause
#include "objects/bracket_messages.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace thalweg::objects {

BracketMessages::BracketMessages(std::int32_t ranks, Rank rank, std::size_t bytes_max, Send send)
    : rank_(rank), bytes_max_(bytes_max), send_(std::move(send)), scattered_(ranks) {
  THALWEG_ASSERT(light, rank >= 0 && rank < ranks);
}

std::size_t BracketMessages::group_bytes_max() const {
  return bytes_max_ - std::min(bytes_max_, sizeof(CombinedHead));
}

void BracketMessages::send_phase(BracketIteration& one, const BracketRoutes& routes) {
  gather_departures(one, routes);
  if (one.phase() + 1 == routes.phases()) {
    for (std::span<const Departure> left = departures_; !left.empty();) {
      const auto end =
          std::ranges::find_if(left, [&](const Departure& it) { return it.next != left[0].next; });
      const auto count = static_cast<std::size_t>(end - left.begin());
      send_groups(left[0].next, left.first(count), one);
      left = left.subspan(count);
    }
  } else {
    std::size_t sent = 0;
    for (const Rank next : routes.receivers(one.phase())) {
      const auto groups = std::ranges::equal_range(departures_, next, {}, &Departure::next);
      send_groups(next, {groups.begin(), groups.end()}, one);
      sent += groups.size();
    }
    THALWEG_ASSERT(light, sent == departures_.size()); // all ways lead to a receiver
  }
  scattered_.clear();
}

void BracketMessages::gather_departures(BracketIteration& one, const BracketRoutes& routes) {
  departures_.clear();
  for (KeptGroups::Group& group : one.groups.all())
    if (!group.is_empty())
      if (const Rank next = routes.hop(group.destination(), one.phase()); next != rank_)
        departures_.push_back({next, group.destination() == next, false, &group});
  scatter(one, routes);
  for (KeptGroups::Group& group : scattered_.all())
    departures_.push_back({group.destination(), false, true, &group});
  if (routes.phases() > 1)
    std::ranges::sort(departures_, {},
                      [](const Departure& it) { return std::tuple(it.next, it.has_arrived, it.group); });
}

void BracketMessages::scatter(BracketIteration& one, const BracketRoutes& routes) {
  one.multicasts.each([&](const Multicast& it) {
    ways_.clear();
    it.each([&](const MulticastPart& part) { ways_.push_back({routes.hop(part.to, one.phase()), part}); });
    std::ranges::sort(ways_, {}, &Way::next);
    const std::span<const char> common = it.common();
    for (auto from = ways_.begin(); from != ways_.end();) {
      const Rank next = from->next;
      parts_.clear();
      for (; from != ways_.end() && from->next == next; ++from)
        parts_.push_back(from->part);
      const std::size_t size = Multicast::size(parts_, common.size());
      char* const at =
          next == rank_ ? staying_.add(parts_, common.size())
                        : Multicast::write(scattered_.with_room(next, size, group_bytes_max()).add(size, 0),
                                           parts_, common.size());
      std::memcpy(at, common.data(), common.size());
    }
  });
  std::swap(one.multicasts, staying_);
  staying_.clear();
}

void BracketMessages::send_groups(Rank next, std::span<const Departure> groups, const BracketIteration& one) {
  std::uint32_t messages = 0;
  do {
    std::size_t count = 0;
    std::size_t bytes = sizeof(CombinedHead);
    pieces_.resize(1); // its head
    while (count < groups.size() && (count == 0 || bytes + groups[count].group->bytes() <= bytes_max_)) {
      KeptGroups::Group& group = *groups[count].group;
      pieces_.push_back(groups[count].is_several ? group.sealed(several_ranks) : group.sealed());
      bytes += pieces_.back().size();
      if (groups[count++].has_arrived)
        break; // it is run from where it lies, at the message's end
    }
    ++messages;
    send(next, one.number(), static_cast<std::uint32_t>(one.phase()), count == groups.size() ? messages : 0);
    for (const Departure& it : groups.first(count))
      it.group->clear();
    groups = groups.subspan(count);
  } while (!groups.empty());
}

/// Of pieces_, from the second on.
void BracketMessages::send(Rank to, std::uint32_t number, std::uint32_t phase, std::uint32_t messages) {
  THALWEG_ASSERT(light, to != rank_);
  const CombinedHead head{.epoch = epoch_, .iteration = number, .phase = phase, .messages = messages};
  pieces_[0] = {reinterpret_cast<const char*>(&head), sizeof head};
  send_(to, pieces_);
}

void BracketMessages::send_straight(std::span<const char> group, Rank destination) {
  THALWEG_ASSERT(light, group.size() >= sizeof(GroupHead));
  pieces_.resize(1);
  pieces_.push_back(group);
  send(destination, 0, CombinedHead::no_phase, 1);
}

void BracketMessages::send_straight(const MulticastPart& part, std::span<const char> common) {
  const std::span<const MulticastPart> parts(&part, 1);
  KeptGroups::Group group;
  char* const at = group.add(Multicast::size(parts, common.size()), 0);
  std::memcpy(Multicast::write(at, parts, common.size()), common.data(), common.size());
  send_straight(group.sealed(several_ranks), part.to);
}

void BracketMessages::send_straight(BracketIteration& one) {
  for (KeptGroups::Group& group : one.groups.all())
    if (!group.is_empty())
      send_straight(group.sealed(), group.destination());
  one.multicasts.each([&](const Multicast& it) {
    it.each([&](const MulticastPart& part) { send_straight(part, it.common()); });
  });
}

} // namespace thalweg::objects
