// SPDX-License-Identifier: BSD-3-Clause
#include "radix_sort_objects/sorter.hpp"

#include "radix_sort/digits.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::examples::radix_sort_objects {

namespace {

/// For so many keys, which are written next: growing would copy those that are there.
void make_room(std::vector<Key>& keys, std::size_t count) {
  if (keys.capacity() < count) {
    keys.clear();
    keys.reserve(count + count / 8);
  }
  keys.resize(count);
}

} // namespace

Counts Together::operator()(Counts one, Counts const& other) const {
  std::ranges::transform(one, other, one.begin(), std::plus());
  return one;
}

BucketMap Together::finish(Counts const& of_all) const {
  std::int64_t const keys = std::reduce(of_all.begin(), of_all.end());
  BucketMap map;
  std::int64_t before = 0;
  for (std::size_t digit = 0; digit < of_all.size(); ++digit) {
    std::int64_t const middle = before + of_all[digit] / 2; // decides, as a digit's keys are not shared out
    while (std::ssize(map) < sorters && middle * sorters >= std::ssize(map) * keys)
      map.push_back(static_cast<std::int64_t>(digit));
    before += of_all[digit];
  }
  map.resize(static_cast<std::size_t>(sorters), std::ssize(of_all));
  return map;
}

void Sorter::send(int pass, Counts const& own, BucketMap const& map) {
  sorter_of_.resize(own.size());
  make_room(leaving_, keys_.size());
  std::vector<std::size_t> next{0}; // by sorter, where its next key goes
  for (std::size_t to = 0; to < map.size(); ++to) {
    std::int64_t const end = to + 1 < map.size() ? map[to + 1] : std::ssize(own);
    std::fill(sorter_of_.begin() + map[to], sorter_of_.begin() + end, static_cast<std::uint32_t>(to));
    std::int64_t const keys = std::reduce(own.begin() + map[to], own.begin() + end);
    next.push_back(next.back() + static_cast<std::size_t>(keys));
  }
  std::vector<std::size_t> const begin = next;
  for (Key const key : keys_)
    leaving_[next[sorter_of_[radix_sort::digit_of(key, pass)]]++] = key;
  if (exchange != nullptr)
    exchange->begin();
  for (std::int64_t step = 1; step <= sorters; ++step) {
    std::int64_t const to = (at()[0] + step) % sorters;
    auto const which = static_cast<std::size_t>(to);
    std::span<Key const> const keys(leaving_.data() + begin[which], begin[which + 1] - begin[which]);
    if (to == at()[0])
      take(pass, to, keys);
    else if (exchange != nullptr)
      (*exchange)[{to}].call<&Sorter::take>(pass, at()[0], keys);
    else
      array()[{to}].call<&Sorter::take>(pass, at()[0], keys);
  }
  if (exchange != nullptr)
    exchange->end();
}

void Sorter::take(int pass, std::int64_t from, std::span<Key const> keys) {
  if (spare_.empty())
    spare_.emplace_back();
  spare_.back().assign(keys.begin(), keys.end());
  parts_.put(static_cast<std::uint64_t>(pass), {from, std::move(spare_.back())});
  spare_.pop_back();
}

void Sorter::arrange(int pass, std::vector<Part> const& parts, Counts& counts) {
  std::ranges::fill(counts, 0);
  for (Part const& part : parts)
    for (Key const key : part.keys)
      ++counts[radix_sort::digit_of(key, pass)];
  make_room(keys_, static_cast<std::size_t>(std::reduce(counts.begin(), counts.end())));
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), std::int64_t{0});
  for (Part const& part : parts)
    for (Key const key : part.keys)
      keys_[static_cast<std::size_t>(counts[radix_sort::digit_of(key, pass)]++)] = key;
}

thalweg::task Sorter::sort(int passes) {
  Counts counts(static_cast<std::size_t>(radix_sort::digit_values));
  std::vector<Part> parts(static_cast<std::size_t>(sorters));
  for (int pass = 0; pass < passes; ++pass) {
    radix_sort::count_digits(keys_, pass, counts);
    BucketMap const map = co_await array().reduce(Together(), counts);
    send(pass, counts, map);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Part part = co_await parts_.take(static_cast<std::uint64_t>(pass));
      auto const from = static_cast<std::size_t>(part.from);
      parts[from] = std::move(part);
    }
    arrange(pass, parts, counts);
    for (Part& part : parts)
      spare_.push_back(std::move(part.keys));
  }
}

} // namespace thalweg::examples::radix_sort_objects
