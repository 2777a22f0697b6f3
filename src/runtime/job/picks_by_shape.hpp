// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The one rule by which a call finds the pick that was made for it.

#include "tune/nearest_size.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace thalweg::job {

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
    return shape == shapes_.end() ? nullptr : &*tune::nearest_size(shape->second, bytes, &Entry::bytes);
  }

private:
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Entry>> shapes_;
};

} // namespace thalweg::job
