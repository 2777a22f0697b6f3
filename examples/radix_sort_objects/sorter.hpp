// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "radix_sort/keys.hpp"
#include "thalweg/objects.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::examples::radix_sort_objects {

using radix_sort::Key;

/// Keys by their digits, of one sorter or of all.
using Counts = std::vector<std::int64_t>;

inline std::int64_t sorters = 0; // of all ranks

class Sorter;
inline thalweg::association<Sorter>* exchange =
    nullptr; // of the process: how keys travel; null: each part alone

/// Where each sorter's digits begin after a pass: digits in order, with as many keys for each sorter as can
/// be. A digit's keys stay together.
using BucketMap = std::vector<std::int64_t>;

/// What the counts of two become: those of both; and of those of all the map.
struct Together {
  Counts operator()(Counts one, Counts const& other) const;
  [[nodiscard]] BucketMap finish(Counts const& of_all) const;
};

/// A part of the keys, an object. In each pass all sorters' counts are added up. One rank makes a map of
/// them, which goes to all. They send each other the keys of their digits, and arrange what came in the order
/// of those who sent it.
class Sorter : public thalweg::element<Sorter> {
public:
  explicit Sorter(thalweg::coordinates<1> const&) {}
  void begin_with(std::vector<Key> keys) { keys_ = std::move(keys); }
  thalweg::task sort(int passes);
  /// From another sorter, in a pass.
  void take(int pass, std::int64_t from, std::span<Key const> keys);
  [[nodiscard]] std::vector<Key> const& keys() const { return keys_; }

private:
  struct Part {
    std::int64_t from = 0;
    std::vector<Key> keys;
  };
  void send(int pass, Counts const& own, BucketMap const& map);
  void arrange(int pass, std::vector<Part> const& parts, Counts& counts);

  std::vector<Key> keys_;
  std::vector<Key> leaving_;             ///< the same by the sorters that they go to
  std::vector<std::uint32_t> sorter_of_; ///< each digit
  thalweg::inbox<Part> parts_;           ///< by pass: others may be one ahead
  std::vector<std::vector<Key>> spare_;  ///< memory of parts, to be used again
};

} // namespace thalweg::examples::radix_sort_objects
