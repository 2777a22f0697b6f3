// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The one rule by which a call finds the pick that was made for it.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

namespace thalweg::job {

/// The element of a range, sorted by `bytes_of`, whose size is nearest by ratio; the end of an empty one.
template <std::ranges::random_access_range Range, typename BytesOf>
auto nearest_size(const Range& range, std::int64_t bytes, BytesOf bytes_of) {
  const auto end = std::ranges::end(range);
  auto above = std::ranges::lower_bound(range, bytes, {}, bytes_of);
  if (above == std::ranges::begin(range))
    return above;
  const auto below = above - 1;
  if (above == end)
    return below;
  const auto size = [&](const auto& element) { return static_cast<double>(std::invoke(bytes_of, *element)); };
  return static_cast<double>(bytes) * static_cast<double>(bytes) < size(below) * size(above) ? below : above;
}

/// What was picked for one collective, by the shape of the group and the size of the call. `Entry` has a
/// member `bytes`.
template <typename Entry>
class PicksByShape {
public:
  bool is_empty() const { return shapes_.empty(); }

  void add(std::int32_t ranks, std::int32_t nodes, Entry entry) {
    std::vector<Entry>& sizes = shapes_[{ranks, nodes}];
    const auto place = std::ranges::upper_bound(sizes, entry.bytes, {}, &Entry::bytes);
    sizes.insert(place, std::move(entry));
  }

  /// The entry of the size nearest to `bytes` by ratio, for groups of just so many ranks on just so many
  /// nodes; nullptr where there is none.
  const Entry* nearest(std::int32_t ranks, std::int32_t nodes, std::int64_t bytes) const {
    const auto shape = shapes_.find({ranks, nodes});
    return shape == shapes_.end() ? nullptr : &*nearest_size(shape->second, bytes, &Entry::bytes);
  }

  /// All entries for such groups, by size.
  std::span<const Entry> of(std::int32_t ranks, std::int32_t nodes) const {
    const auto shape = shapes_.find({ranks, nodes});
    return shape == shapes_.end() ? std::span<const Entry>{} : std::span<const Entry>(shape->second);
  }

private:
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Entry>> shapes_;
};

} // namespace thalweg::job
