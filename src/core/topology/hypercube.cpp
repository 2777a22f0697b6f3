// SPDX-License-Identifier: BSD-3-Clause
#include "topology/hypercube.hpp"

#include "base/arithmetic.hpp"

namespace thalweg::topology {

Hypercube::Hypercube(std::int32_t ranks, std::int32_t radix)
    : ranks_(ranks), radix_(radix), dimensions_(floor_log(radix, ranks)),
      nodes_(static_cast<std::int32_t>(power(radix, dimensions_))) {}

std::int32_t Hypercube::distance(std::int32_t stage) const {
  return static_cast<std::int32_t>(power(radix_, stage));
}

Rank Hypercube::neighbor(Rank node, std::int32_t stage, std::int32_t k) const {
  const std::int32_t unit = distance(stage);
  const std::int32_t digit = node / unit % radix_;
  return node + ((digit + k) % radix_ - digit) * unit;
}

} // namespace thalweg::topology
