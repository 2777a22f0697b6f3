// SPDX-License-Identifier: BSD-3-Clause
#include "topology/recursive_exchange.hpp"

#include "base/arithmetic.hpp"

namespace thalweg::topology {

std::int32_t exchange_places(std::int32_t ranks, std::int32_t radix) {
  return static_cast<std::int32_t>(power(radix, floor_log(radix, ranks)));
}

std::vector<std::int32_t> exchange_group(std::int32_t place, std::int32_t radix, std::int32_t weight) {
  const std::int32_t own = place / weight % radix;
  std::vector<std::int32_t> group;
  for (std::int32_t digit = 0; digit < radix; ++digit)
    group.push_back(place + (digit - own) * weight);
  return group;
}

} // namespace thalweg::topology
