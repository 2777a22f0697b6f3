// SPDX-License-Identifier: BSD-3-Clause
#include "topology/dissemination.hpp"

#include "base/arithmetic.hpp"

namespace thalweg::topology {

int dissemination_rounds(std::int32_t size, std::int32_t radix) {
  return ceil_log(radix, size);
}

std::vector<std::int32_t> dissemination_offsets(std::int32_t size, std::int32_t radix, int round) {
  std::vector<std::int32_t> offsets;
  const std::int64_t distance = power(radix, round);
  for (std::int64_t digit = 1; digit < radix && digit * distance < size; ++digit)
    offsets.push_back(static_cast<std::int32_t>(digit * distance));
  return offsets;
}

} // namespace thalweg::topology
