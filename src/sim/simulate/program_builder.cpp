// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/program_builder.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace thalweg::simulate {

namespace {

constexpr std::uint64_t operations_max = std::uint64_t{1} << 31;
constexpr Ticks duration_max = Ticks{1} << 50; // thirteen days

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 29;
}

} // namespace

std::uint32_t Program::owner(std::uint32_t operation) const {
  THALWEG_ASSERT(normal, operation < operation_count);
  const auto after = std::ranges::upper_bound(ranks, operation, {}, &RankProgram::begin);
  return static_cast<std::uint32_t>(after - ranks.begin()) - 1;
}

ProgramBuilder::ProgramBuilder(std::int64_t ranks) {
  if (ranks < 1 || ranks >= std::int64_t{1} << 30)
    throw Error(fmt::format("a program of {} ranks", ranks), "write at least one rank, and fewer than 2^30");
  ranks_ = static_cast<std::uint32_t>(ranks);
}

std::uint32_t ProgramBuilder::checked_peer(std::int64_t peer) const {
  if (peer < 0 || peer >= std::int64_t{ranks_})
    throw Error(fmt::format("rank {} names rank {} of {}", rank(), peer, ranks_),
                fmt::format("name ranks from 0 to {}", ranks_ - 1));
  return static_cast<std::uint32_t>(peer);
}

std::uint32_t ProgramBuilder::append(Operation operation) {
  program_.cpus = std::max(program_.cpus, operation.cpu + 1U);
  program_.nics = std::max(program_.nics, operation.nic + 1U);
  operations_.push_back(operation);
  return static_cast<std::uint32_t>(operations_.size() - 1);
}

std::uint32_t ProgramBuilder::send(std::int64_t to, std::uint32_t tag, const MessageCost& cost, Where where) {
  if (program_.costs.empty() || program_.costs[last_cost_] != cost) {
    const auto [entry, is_new] = costs_.try_emplace(cost, static_cast<std::uint32_t>(program_.costs.size()));
    if (is_new)
      program_.costs.push_back(cost);
    last_cost_ = entry->second;
  }
  return append({.kind = Kind::send,
                 .cpu = where.cpu,
                 .nic = where.nic,
                 .peer = checked_peer(to),
                 .tag = tag,
                 .cost = last_cost_});
}

std::uint32_t ProgramBuilder::receive(std::int64_t from, std::uint32_t tag, Where where) {
  return append({.kind = Kind::receive,
                 .cpu = where.cpu,
                 .nic = where.nic,
                 .peer = from == std::int64_t{any} ? any : checked_peer(from),
                 .tag = tag});
}

std::uint32_t ProgramBuilder::compute(Ticks duration, Where where) {
  if (duration < 0 || duration > duration_max)
    throw Error(fmt::format("rank {} computes for {} ns", rank(), duration),
                fmt::format("choose 0 to {}", duration_max));
  const auto [entry, is_new] =
      durations_.try_emplace(duration, static_cast<std::uint32_t>(program_.durations.size()));
  if (is_new)
    program_.durations.push_back(duration);
  return append({.kind = Kind::compute, .cpu = where.cpu, .nic = where.nic, .cost = entry->second});
}

void ProgramBuilder::require(std::uint32_t later, std::uint32_t earlier, bool is_start) {
  THALWEG_ASSERT(normal, later < operations_.size() && earlier < operations_.size());
  ++operations_[later].requirements;
  requirements_.push_back({earlier, later << 1 | (is_start ? 1 : 0)});
}

// Dependents of each operation, in the order in which they were written.
void ProgramBuilder::sort_requirements() {
  next_.assign(operations_.size() + 1, 0);
  for (const Requirement& requirement : requirements_)
    ++next_[requirement.earlier + 1];
  std::partial_sum(next_.begin(), next_.end(), next_.begin());
  for (std::size_t i = 0; i < operations_.size(); ++i)
    operations_[i].dependents_begin = next_[i];
  dependents_.resize(requirements_.size());
  for (const Requirement& requirement : requirements_)
    dependents_[next_[requirement.earlier]++] = requirement.later_and_start;
}

void ProgramBuilder::check_circles() const {
  const auto is_forward = [](const Requirement& one) { return one.later_and_start >> 1 > one.earlier; };
  if (std::ranges::all_of(requirements_, is_forward))
    return;
  std::vector<std::uint32_t> left(operations_.size());
  std::vector<std::uint32_t> free;
  for (std::uint32_t i = 0; i < operations_.size(); ++i)
    if ((left[i] = operations_[i].requirements) == 0)
      free.push_back(i);
  std::size_t passed = 0;
  for (; passed < free.size(); ++passed) {
    const std::uint32_t one = free[passed];
    const std::size_t end =
        one + 1 < operations_.size() ? operations_[one + 1].dependents_begin : dependents_.size();
    for (std::size_t i = operations_[one].dependents_begin; i < end; ++i)
      if (--left[dependents_[i] >> 1] == 0)
        free.push_back(dependents_[i] >> 1);
  }
  if (passed == operations_.size())
    return;
  const auto stuck = std::ranges::find_if(left, [](std::uint32_t count) { return count > 0; }) - left.begin();
  throw Error(fmt::format("rank {}: {} operations wait for each other in a circle, operation {} first",
                          rank(), operations_.size() - passed, stuck),
              "let no operation require itself, by whichever way");
}

// What is the same for ranks that are alike.
std::uint64_t ProgramBuilder::fingerprint(Likeness likeness) const {
  std::uint64_t hash = operations_.size();
  for (const Operation& one : operations_) {
    std::uint64_t peer = one.peer;
    if (one.kind == Kind::compute || peer == any)
      peer = any;
    else if (likeness == Likeness::by_bits)
      peer ^= rank();
    else
      peer = peer >= rank() ? peer - rank() : peer + ranks_ - rank();
    hash = mixed(hash, peer << 32 | one.tag);
    hash = mixed(hash, std::uint64_t{one.cost} << 32 | std::uint64_t{one.dependents_begin} << 8 |
                           static_cast<std::uint64_t>(one.kind));
  }
  for (const std::uint32_t dependent : dependents_)
    hash = mixed(hash, dependent);
  return hash;
}

bool ProgramBuilder::is_alike(const Pattern& pattern, Likeness likeness) const {
  if (pattern.size != operations_.size())
    return false;
  const Operation* const others = program_.operations.data() + pattern.begin;
  const auto base = static_cast<std::uint32_t>(pattern.base);
  const auto peer_of = [&](std::uint32_t peer) {
    return likeness == Likeness::by_bits ? peer ^ base ^ rank() : (peer + ranks_ - base + rank()) % ranks_;
  };
  const std::uint32_t shift = others->dependents_begin;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Operation& mine = operations_[i];
    const Operation& other = others[i];
    if (mine.kind != other.kind || mine.cpu != other.cpu || mine.nic != other.nic || mine.tag != other.tag ||
        mine.cost != other.cost || mine.requirements != other.requirements ||
        mine.dependents_begin != other.dependents_begin - shift)
      return false;
    if (mine.kind != Kind::compute && mine.peer != (other.peer == any ? any : peer_of(other.peer)))
      return false;
  }
  return others[operations_.size()].dependents_begin - shift == dependents_.size() &&
         std::ranges::equal(dependents_, std::span(program_.dependents).subspan(shift, dependents_.size()));
}

void ProgramBuilder::add_pattern() {
  Pattern pattern{.begin = static_cast<std::uint32_t>(program_.operations.size()),
                  .size = static_cast<std::uint32_t>(operations_.size()),
                  .channels_begin = static_cast<std::uint32_t>(program_.channels.size()),
                  .base = static_cast<Rank>(rank())};
  std::vector<std::uint64_t> keys;
  for (const Operation& one : operations_)
    if (one.kind == Kind::receive) {
      pattern.has_any |= one.peer == any || one.tag == any;
      keys.push_back(channel_key(one.peer, one.tag));
    }
  std::ranges::sort(keys);
  keys.erase(std::ranges::unique(keys).begin(), keys.end());
  pattern.channels = static_cast<std::uint32_t>(keys.size());
  const auto shift = static_cast<std::uint32_t>(program_.dependents.size());
  for (Operation one : operations_) {
    one.dependents_begin += shift;
    if (one.kind == Kind::receive)
      one.channel = static_cast<std::uint32_t>(
          std::ranges::lower_bound(keys, channel_key(one.peer, one.tag)) - keys.begin());
    program_.operations.push_back(one);
  }
  program_.dependents.insert(program_.dependents.end(), dependents_.begin(), dependents_.end());
  program_.operations.push_back({.dependents_begin = static_cast<std::uint32_t>(program_.dependents.size())});
  program_.channels.insert(program_.channels.end(), keys.begin(), keys.end());
  program_.patterns.push_back(pattern);
}

// By bits, ranks stay below their number where it is a power of two.
bool ProgramBuilder::may_share(Likeness likeness) const {
  return (!only_ || *only_ == likeness) &&
         (likeness == Likeness::by_difference || std::has_single_bit(ranks_));
}

bool ProgramBuilder::share(const Known& known, std::uint64_t print, Likeness likeness,
                           RankProgram& entry) const {
  const auto found = known.find(print);
  if (found == known.end() || !is_alike(program_.patterns[found->second], likeness))
    return false;
  entry.pattern = found->second;
  entry.likeness = likeness;
  return true;
}

void ProgramBuilder::end_rank() {
  if (program_.operation_count + operations_.size() >= operations_max)
    throw Error(fmt::format("the program has more than {} operations", operations_max),
                "simulate fewer ranks, or a strategy with fewer messages");
  if (program_.dependents.size() + requirements_.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error("the program has more than 2^32 requirements", "simulate fewer ranks");
  sort_requirements();
  check_circles();
  RankProgram entry{.begin = static_cast<std::uint32_t>(program_.operation_count),
                    .channels = static_cast<std::uint32_t>(program_.channel_count)};
  const bool differences = may_share(Likeness::by_difference);
  const bool bits = may_share(Likeness::by_bits);
  const std::uint64_t difference_print = differences ? fingerprint(Likeness::by_difference) : 0;
  if (!differences || !share(by_difference_, difference_print, Likeness::by_difference, entry)) {
    const std::uint64_t bits_print = bits ? fingerprint(Likeness::by_bits) : 0;
    if (!bits || !share(by_bits_, bits_print, Likeness::by_bits, entry)) {
      entry.pattern = static_cast<std::uint32_t>(program_.patterns.size());
      add_pattern();
      if (differences)
        by_difference_.try_emplace(difference_print, entry.pattern);
      if (bits)
        by_bits_.try_emplace(bits_print, entry.pattern);
    }
  }
  program_.operation_count += operations_.size();
  program_.channel_count += program_.patterns[entry.pattern].channels;
  THALWEG_ASSERT(normal, program_.patterns[entry.pattern].size == operations_.size());
  program_.ranks.push_back(entry);
  operations_.clear();
  requirements_.clear();
  ++rank_;
}

Program ProgramBuilder::finish() {
  THALWEG_ASSERT(light, operations_.empty() && program_.ranks.size() <= ranks_);
  return std::move(program_);
}

} // namespace thalweg::simulate
