// SPDX-License-Identifier: BSD-3-Clause
#include "objects/bracket.hpp"

#include "base/assertion.hpp"

#include <cstring>
#include <utility>

namespace thalweg::objects {

Bracket::Bracket(BracketStrategy combining, std::int32_t ranks, Rank rank, Ports ports)
    : combining_(combining), ranks_(ranks), rank_(rank), ports_(std::move(ports)),
      routes_(combining, ranks, rank), iterations_(ranks),
      messages_(ranks, rank, ports_.bytes_max, std::move(ports_.send)), traffic_(ranks) {
  iterations_.use(routes_.phases(), combining != BracketStrategy::stream);
}

void Bracket::use(BracketStrategy combining) {
  combining_ = combining;
  routes_ = BracketRoutes(combining, ranks_, rank_);
  iterations_.use(routes_.phases(), combining != BracketStrategy::stream);
}

char* Bracket::deposit(std::uint32_t element, std::span<const MulticastPart> parts, std::size_t bytes) {
  traffic_.note_multicast(bytes, parts.size());
  if (routes_.phases() == 1)
    return nullptr;
  const auto [number, iteration] = iterations_.of_element(element);
  THALWEG_ASSERT(light, iteration != nullptr);
  for (const MulticastPart& one : parts) {
    traffic_.note_call(one.to, number);
    traffic_.note_bytes(one.prefix.size() + bytes);
  }
  return iteration->multicasts.add(parts, bytes);
}

char* Bracket::deposit(std::uint32_t element, Rank to, std::size_t bytes) {
  const auto [number, iteration] = iterations_.of_element(element);
  traffic_.note_bytes(bytes);
  if (iteration == nullptr) {
    traffic_.note_call(to, number);
    return nullptr;
  }
  KeptGroups::Group& group = iteration->groups.of(to);
  if (group.is_empty()) {
    traffic_.note_call(to, number);
    return group.add(bytes, 1);
  }
  const std::size_t bytes_max = messages_.group_bytes_max();
  if (routes_.phases() > 1)
    return iteration->groups.with_room(to, bytes, bytes_max).add(bytes, 0);
  if (group.bytes() + bytes > bytes_max) {
    messages_.send_straight(group.sealed(), to);
    group.clear();
  }
  return group.add(bytes, 0);
}

void Bracket::end(std::uint32_t element) {
  traffic_.note_end();
  if (BracketIteration* const ended = iterations_.end(element))
    go_on(*ended);
}

void Bracket::go_on(BracketIteration& one) {
  if (one.ended_elements() < ports_.elements())
    return;
  while (one.phase() < routes_.phases() && one.may_send(routes_)) {
    messages_.send_phase(one, routes_);
    one.has_sent_phase();
  }
  if (one.phase() == routes_.phases())
    iterations_.close(one);
}

void Bracket::hand_on(std::span<const char> group, const GroupHead& head, BracketIteration* counted) {
  if (counted == nullptr)
    return messages_.send_straight(group, head.destination);
  const std::span<const char> calls = group.subspan(sizeof head);
  std::memcpy(counted->groups.with_room(head.destination, calls.size(), messages_.group_bytes_max())
                  .add(calls.size(), head.sources),
              calls.data(), calls.size());
}

void Bracket::hand_on_multicasts(std::span<const char> all, BracketIteration* counted) {
  KeptMulticasts::each_in(all, [&](const Multicast& it) {
    const std::span<const char> common = it.common();
    parts_.clear();
    it.each([&](const MulticastPart& part) {
      if (part.to == rank_) {
        traffic_.note_received(1, part.prefix.size() + common.size());
        ports_.deliver(part.prefix, common);
      } else if (counted == nullptr) {
        messages_.send_straight(part, common);
      } else {
        parts_.push_back(part);
      }
    });
    if (!parts_.empty())
      std::memcpy(counted->multicasts.add(parts_, common.size()), common.data(), common.size());
  });
}

std::size_t Bracket::take(const char* combined, std::size_t bytes) {
  CombinedHead head;
  THALWEG_ASSERT(light, bytes >= sizeof head);
  std::memcpy(&head, combined, sizeof head);
  if (static_cast<std::int32_t>(head.epoch - messages_.epoch()) > 0)
    begin_epoch(head.epoch, true); // this rank will hear of it too
  BracketIteration* const counted = head.epoch == messages_.epoch() && head.phase != CombinedHead::no_phase &&
                                            head.phase + 1 < routes_.phases()
                                        ? &iterations_.of(head.iteration)
                                        : nullptr;
  std::size_t own = 0;
  for (const char *at = combined + sizeof head, *const end = combined + bytes; at < end;) {
    GroupHead group;
    std::memcpy(&group, at, sizeof group);
    const std::span<const char> whole(at, sizeof group + group.bytes);
    at += whole.size();
    THALWEG_ASSERT(light, at <= end);
    if (group.destination == rank_) {
      THALWEG_ASSERT(light, at == end);
      own = group.bytes;
      traffic_.note_received(group.sources, group.bytes);
    } else if (group.destination == several_ranks) {
      hand_on_multicasts(whole.subspan(sizeof group), counted);
    } else {
      hand_on(whole, group, counted);
    }
  }
  if (counted != nullptr) {
    counted->note_arrival(head.phase, head.messages);
    go_on(*counted);
  }
  return own;
}

void Bracket::begin_epoch(std::uint32_t epoch, bool sends) {
  if (static_cast<std::int32_t>(epoch - messages_.epoch()) <= 0)
    return;
  messages_.begin_epoch(epoch);
  iterations_.restart();
  traffic_.restart();
  while (BracketIteration* const one = iterations_.any()) {
    if (sends)
      messages_.send_straight(*one);
    iterations_.close(*one);
  }
}

} // namespace thalweg::objects
