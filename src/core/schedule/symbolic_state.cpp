// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/symbolic_state.hpp"

#include "base/assertion.hpp"

#include <algorithm>

namespace thalweg::schedule {

namespace {

std::uint64_t pair_key(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 | static_cast<std::uint32_t>(b);
}

/// Of two numbers, whose order matters (the finalizer of SplitMix64).
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15U + b + 0x632be59bd9b4e019U;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

} // namespace

ExpressionTable::ExpressionTable(std::int32_t ranks) : ranks_(ranks) {}

ValueId ExpressionTable::contribution(Rank origin, std::int64_t block) {
  THALWEG_ASSERT(normal, origin >= 0 && origin < ranks_ && block >= 0);
  const std::uint64_t key = static_cast<std::uint64_t>(block) * static_cast<std::uint64_t>(ranks_) +
                            static_cast<std::uint64_t>(origin);
  const auto [found, is_new] = leaves_.try_emplace(key, static_cast<ValueId>(nodes_.size()));
  if (is_new) {
    Node leaf;
    leaf.block = block;
    leaf.low = origin;
    leaf.fingerprint = mixed(static_cast<std::uint64_t>(origin), static_cast<std::uint64_t>(block));
    nodes_.push_back(leaf);
  }
  return found->second;
}

ValueId ExpressionTable::combined(ValueId left, ValueId right) {
  if (left < 0 || right < 0)
    return unwritten;
  const auto found = pairs_.find(pair_key(left, right));
  if (found != pairs_.end())
    return found->second;
  const Node a = node(left);
  const Node b = node(right);
  Node result;
  ValueId id = unwritten;
  if (a.block == b.block && unite(a, b, result)) {
    result.block = a.block;
    result.is_leaf = false;
    result.ordered = a.ordered && b.ordered && a.low + a.count == b.low;
    result.fingerprint = mixed(a.fingerprint, b.fingerprint);
    id = static_cast<ValueId>(nodes_.size());
    nodes_.push_back(result);
  }
  pairs_.emplace(pair_key(left, right), id);
  return id;
}

bool ExpressionTable::follows(const Node& left, const Node& right) const {
  return left.members < 0 && right.members < 0 && (left.low + left.count) % ranks_ == right.low;
}

ExpressionTable::Bits ExpressionTable::bits(const Node& node) const {
  if (node.members >= 0)
    return sets_[static_cast<std::size_t>(node.members)];
  Bits result(static_cast<std::size_t>(ranks_ + 63) / 64);
  for (std::int32_t i = 0; i < node.count; ++i) {
    const auto rank = static_cast<std::uint32_t>((node.low + i) % ranks_);
    result[rank / 64] |= std::uint64_t{1} << (rank % 64);
  }
  return result;
}

bool ExpressionTable::unite(const Node& left, const Node& right, Node& result) {
  result.count = left.count + right.count;
  if (result.count > ranks_)
    return false;
  if (follows(left, right) || follows(right, left)) {
    result.low = follows(left, right) ? left.low : right.low;
    return true;
  }
  Bits all = bits(left);
  const Bits more = bits(right);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((all[i] & more[i]) != 0)
      return false;
    all[i] |= more[i];
  }
  if (result.count == ranks_) { // everything is an interval again, which keeps the common case cheap
    result.low = 0;
    return true;
  }
  result.low = std::min(left.low, right.low);
  result.members = static_cast<std::int32_t>(sets_.size());
  sets_.push_back(std::move(all));
  return true;
}

bool ExpressionTable::covers(ValueId id, Rank begin, Rank end) const {
  THALWEG_ASSERT(normal, 0 <= begin && begin <= end && end <= ranks_);
  if (id < 0 || node(id).count != end - begin)
    return false;
  const Node& value = node(id);
  if (value.members < 0)
    return value.count == ranks_ || (value.low == begin && value.low + value.count == end);
  Node wanted;
  wanted.low = begin;
  wanted.count = end - begin;
  return bits(value) == bits(wanted);
}

namespace {

void add(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
  for (std::size_t i = 0; i < from.size(); ++i)
    to[i] |= from[i];
}

} // namespace

Arrivals::Arrivals(std::span<const Schedule> schedules) : schedules_(schedules) {
  const std::size_t words = (schedules.size() + 63) / 64;
  for (const Schedule& schedule : schedules) {
    RankKnowledge knowledge;
    knowledge.before_stage.resize(words);
    const auto rank = static_cast<std::uint32_t>(schedule.rank);
    knowledge.before_stage[rank / 64] |= std::uint64_t{1} << (rank % 64);
    knowledge.after_stage = knowledge.before_stage;
    knowledge.of_step.resize(schedule.steps.size());
    ranks_.push_back(std::move(knowledge));
  }
}

void Arrivals::advance(Rank rank, std::uint32_t step) {
  const Schedule& schedule = schedules_[static_cast<std::size_t>(rank)];
  RankKnowledge& own = ranks_[static_cast<std::size_t>(rank)];
  THALWEG_ASSERT(normal, step < schedule.steps.size());
  while (step >= schedule.stage_end(own.stage)) {
    ++own.stage;
    own.before_stage = own.after_stage;
  }
}

Arrivals::Set Arrivals::at_start(Rank rank, std::uint32_t step) {
  advance(rank, step);
  const Schedule& schedule = schedules_[static_cast<std::size_t>(rank)];
  RankKnowledge& own = ranks_[static_cast<std::size_t>(rank)];
  Set known = own.before_stage;
  for (const std::uint32_t predecessor : schedule.predecessors_of(schedule.steps[step])) {
    THALWEG_ASSERT(normal, !own.of_step[predecessor].empty()); // it has finished
    add(known, own.of_step[predecessor]);
  }
  return known;
}

void Arrivals::finish(Rank rank, std::uint32_t step, Rank sender, std::uint32_t sender_step) {
  Set known = at_start(rank, step);
  if (sender >= 0)
    add(known, at_start(sender, sender_step));
  RankKnowledge& own = ranks_[static_cast<std::size_t>(rank)];
  THALWEG_ASSERT(normal, own.of_step[step].empty()); // steps finish once
  add(own.after_stage, known);
  own.of_step[step] = std::move(known);
}

Rank Arrivals::missing(Rank rank) const {
  const Set& known = ranks_[static_cast<std::size_t>(rank)].after_stage;
  for (std::uint32_t other = 0; other < ranks_.size(); ++other)
    if ((known[other / 64] >> (other % 64) & 1) == 0)
      return static_cast<Rank>(other);
  return -1;
}

} // namespace thalweg::schedule
