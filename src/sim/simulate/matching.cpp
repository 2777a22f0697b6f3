// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/matching.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::simulate {

namespace {

// Marks a list as one of messages; numbers of operations stay below.
constexpr std::uint32_t messages = std::uint32_t{1} << 31;

std::string tag_text(std::uint32_t tag) {
  return tag == any ? "any tag" : fmt::format("tag {}", tag);
}

bool fits(std::uint32_t asked, std::uint32_t given) {
  return asked == any || asked == given;
}

} // namespace

Matching::Matching(const Program& program, std::span<OperationState> states)
    : program_(program), states_(states), channels_(program.channel_count) {}

void Matching::append(List& list, std::uint32_t operation) {
  THALWEG_ASSERT(normal, operation < messages && operation < states_.size());
  states_[operation].link = none;
  if (list.first == none)
    list.first = operation;
  else
    states_[list.last & ~messages].link = operation;
  list.last = operation;
}

std::uint32_t Matching::take_first(List& list) {
  THALWEG_ASSERT(normal, list.first != none);
  const std::uint32_t first = list.first;
  list.first = states_[first].link;
  return first;
}

template <typename Fits>
std::uint32_t Matching::take(List& list, Fits is_wanted) {
  std::uint32_t before = none;
  for (std::uint32_t one = list.first; one != none; before = one, one = states_[one].link) {
    if (!is_wanted(one))
      continue;
    (before == none ? list.first : states_[before].link) = states_[one].link;
    if (list.last == one)
      list.last = before;
    return one;
  }
  return none;
}

Matching::List* Matching::channel(std::uint32_t rank, std::uint64_t key) {
  const Pattern& pattern = program_.pattern_of(rank);
  const std::uint64_t* const keys = program_.channels.data() + pattern.channels_begin;
  const std::uint64_t* const found = std::lower_bound(keys, keys + pattern.channels, key);
  if (found == keys + pattern.channels || *found != key)
    return nullptr;
  return &channels_[program_.ranks[rank].channels + static_cast<std::size_t>(found - keys)];
}

std::uint32_t Matching::post(std::uint32_t rank, std::uint32_t receive, const Operation& asked) {
  if (!program_.pattern_of(rank).has_any) {
    List& list = channels_[program_.ranks[rank].channels + asked.channel];
    if (list.first != none && (list.last & messages) != 0)
      return take_first(list);
    append(list, receive);
    return none;
  }
  Lists& lists = with_any_[rank];
  const std::uint32_t source = asked.peer == any ? any : program_.from_base(rank, asked.peer);
  const std::uint32_t message = take(lists.messages, [&](std::uint32_t one) {
    const std::uint32_t sender = program_.owner(one);
    return fits(source, sender) && fits(asked.tag, program_.operation(sender, one).tag);
  });
  if (message == none)
    append(lists.receives, receive);
  return message;
}

std::uint32_t Matching::arrive(std::uint32_t message, const Operation& send, std::uint32_t source,
                               std::uint32_t target) {
  if (!program_.pattern_of(target).has_any) {
    List* const list = channel(target, channel_key(program_.source_at(target, source, send), send.tag));
    if (list == nullptr) {
      strays_.emplace_back(target, message);
      return none;
    }
    if (list->first != none && (list->last & messages) == 0)
      return take_first(*list);
    append(*list, message);
    list->last |= messages;
    return none;
  }
  Lists& lists = with_any_[target];
  const std::uint32_t receive = take(lists.receives, [&](std::uint32_t one) {
    const Operation& asked = program_.operation(target, one);
    return fits(asked.peer == any ? any : program_.from_base(target, asked.peer), source) &&
           fits(asked.tag, send.tag);
  });
  if (receive == none)
    append(lists.messages, message);
  return receive;
}

void Matching::for_each_left(const std::function<void(std::uint32_t, std::uint32_t)>& call) const {
  const auto call_for = [&](std::uint32_t rank, const List& list) {
    for (std::uint32_t one = list.first; one != none; one = states_[one].link)
      call(rank, one);
  };
  for (std::uint32_t rank = 0; rank < program_.size(); ++rank) {
    if (const auto lists = with_any_.find(rank); lists != with_any_.end()) {
      call_for(rank, lists->second.receives);
      call_for(rank, lists->second.messages);
    }
    for (std::uint32_t i = 0; i < program_.pattern_of(rank).channels; ++i)
      call_for(rank, channels_[program_.ranks[rank].channels + i]);
  }
  for (const auto& [rank, message] : strays_)
    call(rank, message);
}

std::string Matching::list_left() const {
  constexpr std::size_t listed_max = 12;
  std::string list;
  std::size_t left = 0;
  for_each_left([&](std::uint32_t rank, std::uint32_t number) {
    if (++left > listed_max)
      return;
    const std::uint32_t owner = program_.owner(number);
    const Operation& one = program_.operation(owner, number);
    const std::uint32_t place = number - program_.ranks[owner].begin;
    if (one.kind == Kind::receive)
      list += fmt::format("\n  rank {}, operation {}: waits for a message from {}, {}", owner, place,
                          one.peer == any ? "any rank"
                                          : fmt::format("rank {}", program_.from_base(owner, one.peer)),
                          tag_text(one.tag));
    else
      list += fmt::format("\n  rank {}, operation {}: its {} bytes wait for a receive of rank {}, {}", owner,
                          place, program_.costs[one.cost].bytes, rank, tag_text(one.tag));
  });
  if (left > listed_max)
    list += fmt::format("\n  and {} more", left - listed_max);
  return list;
}

} // namespace thalweg::simulate
