// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Regions of slots near each other, halves of halves, whose contents can change places as a whole: what swaps
// of two tasks reach only by way of much worse mappings.

#include "base/random.hpp"
#include "place/distances.hpp"

#include <vector>

namespace thalweg::place {

/// A region of slots, halved: reorders them so that its first `half` are one part, near each other as are the
/// others.
void halve(const Distances& distances, std::vector<std::int32_t>& slots, std::size_t begin, std::size_t end,
           std::size_t half);

/// The slot of a region that is about in its middle.
std::int32_t middle(const Distances& distances, const std::vector<std::int32_t>& slots, std::size_t begin,
                    std::size_t end);

/// All halves of halves, to exchange.
class Regions {
public:
  /// O(slots log^2 slots).
  explicit Regions(const Distances& distances);

  bool has_any() const { return !levels_.empty(); }

  /// Two slots whose tasks change places.
  struct Exchange {
    std::int32_t a;
    std::int32_t b;
  };
  /// Two regions of a random size change places, turned and mirrored; or one is turned. The exchanges are
  /// made one after the other.
  void propose(Random& random, std::vector<Exchange>& exchanges) const;

private:
  struct Region {
    std::size_t begin;
    std::size_t end;
  };

  std::vector<std::int32_t> order_; ///< slots, regions one after the other
  std::vector<std::vector<Region>>
      levels_; ///< with two slots and more, largest first; at least two regions each
};

} // namespace thalweg::place
