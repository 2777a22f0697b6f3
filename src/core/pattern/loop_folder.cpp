// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/loop_folder.hpp"

#include "base/assertion.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace thalweg::pattern {

namespace {

constexpr std::size_t nowhere = ~std::size_t{0};
constexpr std::uint32_t repeats_max = 0x7fffffff; // that a file may say

// Of 64 bits: that two bodies that differ have the same is less likely than that memory fails.
std::uint64_t hash_of(const TraceItem& item) {
  if (item.repeats == 0)
    return mixed_hash(mixed_hash(0, 1), item.call);
  std::uint64_t hash = mixed_hash(mixed_hash(0, 2), item.repeats);
  for (const TraceItem& inner : item.body)
    hash = mixed_hash(hash, inner.hash);
  return hash;
}

std::size_t count(const TraceItem& item) {
  std::size_t all = 1;
  for (const TraceItem& inner : item.body)
    all += count(inner);
  return all;
}

void add_times(TraceItem& item, const TraceItem& other) {
  THALWEG_ASSERT(normal, item.hash == other.hash && item.body.size() == other.body.size());
  item.computed += other.computed;
  for (std::size_t i = 0; i < item.body.size(); ++i)
    add_times(item.body[i], other.body[i]);
}

void take_means(std::vector<TraceItem>& items, double times, double scale) {
  for (TraceItem& item : items) {
    item.computed =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(item.computed) * scale / times));
    take_means(item.body, times * item.repeats, scale);
  }
}

} // namespace

bool LoopFolder::append(std::uint32_t call, std::uint64_t computed) {
  if (kept_ >= items_max_)
    return false;
  TraceItem item;
  item.call = call;
  item.computed = computed;
  item.hash = hash_of(item);
  ++kept_;
  push(std::move(item));
  while (grow_loop() || make_loop()) {
  }
  THALWEG_ASSERT(normal, kept_ <= items_max_ && before_.size() == items_.size());
  return true;
}

void LoopFolder::push(TraceItem item) {
  const auto [known, is_new] = last_.try_emplace(item.hash, items_.size());
  before_.push_back(is_new ? nowhere : std::exchange(known->second, items_.size()));
  if (item.repeats > 0)
    grows_at_[items_.size() + 1 + item.body.size()].push_back(items_.size());
  items_.push_back(std::move(item));
}

TraceItem LoopFolder::pop() {
  THALWEG_ASSERT(normal, !items_.empty());
  TraceItem item = std::move(items_.back());
  items_.pop_back();
  if (before_.back() == nowhere)
    last_.erase(item.hash);
  else
    last_[item.hash] = before_.back();
  before_.pop_back();
  if (item.repeats > 0) {
    const auto grows = grows_at_.find(items_.size() + 1 + item.body.size());
    grows->second.pop_back(); // it came last
    if (grows->second.empty())
      grows_at_.erase(grows);
  }
  return item;
}

bool LoopFolder::is_repeated(std::size_t first, std::size_t second, std::size_t length) const {
  // The last are equal as a rule where others are, so those before them say sooner that they are not.
  for (std::size_t i = length; i-- > 0;)
    if (items_[first + i].hash != items_[second + i].hash)
      return false;
  return true;
}

bool LoopFolder::is_next_round(std::size_t place) const {
  if (items_[place].repeats == repeats_max)
    return false;
  const std::vector<TraceItem>& body = items_[place].body;
  for (std::size_t i = body.size(); i-- > 0;)
    if (body[i].hash != items_[place + 1 + i].hash)
      return false;
  return true;
}

/// Is what came last once more the body of the loop before it?
bool LoopFolder::grow_loop() {
  const auto found = grows_at_.find(items_.size());
  if (found == grows_at_.end())
    return false;
  const auto grows =
      std::ranges::find_if(found->second, [&](std::size_t place) { return is_next_round(place); });
  if (grows == found->second.end())
    return false;
  const std::size_t length = items_.size() - *grows - 1;
  std::vector<TraceItem> again(length);
  for (std::size_t i = length; i-- > 0;)
    again[i] = pop();
  TraceItem loop = pop();
  for (std::size_t i = 0; i < length; ++i) {
    kept_ -= count(again[i]);
    add_times(loop.body[i], again[i]);
  }
  ++loop.repeats;
  loop.hash = hash_of(loop);
  push(std::move(loop));
  return true;
}

/// Is what came last the same as what came before it?
bool LoopFolder::make_loop() {
  int tries = tries_max;
  for (std::size_t end = before_.back(); end != nowhere && tries-- > 0; end = before_[end]) {
    const std::size_t length = items_.size() - 1 - end;
    if (length > body_max || 2 * length > items_.size())
      return false;
    if (!is_repeated(items_.size() - 2 * length, items_.size() - length, length))
      continue;
    TraceItem loop;
    loop.repeats = 2;
    std::vector<TraceItem> again(length);
    loop.body.resize(length);
    for (std::vector<TraceItem>* const part : {&again, &loop.body})
      for (std::size_t i = length; i-- > 0;)
        (*part)[i] = pop();
    for (std::size_t i = 0; i < length; ++i) {
      kept_ -= count(again[i]);
      add_times(loop.body[i], again[i]);
    }
    ++kept_;
    loop.hash = hash_of(loop);
    push(std::move(loop));
    return true;
  }
  return false;
}

std::vector<TraceItem> LoopFolder::take(double scale) {
  std::vector<TraceItem> items = std::move(items_);
  take_means(items, 1, scale);
  *this = LoopFolder(items_max_);
  return items;
}

} // namespace thalweg::pattern
