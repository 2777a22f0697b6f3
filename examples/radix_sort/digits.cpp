// SPDX-License-Identifier: BSD-3-Clause
#include "radix_sort/digits.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::examples::radix_sort {

void count_digits(std::vector<Key> const& keys, int pass, std::vector<std::int64_t>& counts) {
  std::fill(counts.begin(), counts.end(), 0);
  for (Key const key : keys) {
    ++counts[digit_of(key, pass)];
  }
}

void arrange_by_digit(std::vector<Key> const& keys, int pass, std::vector<std::int64_t> const& counts,
                      std::vector<Key>& arranged) {
  std::vector<std::int64_t> next(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::int64_t{0});
  for (Key const key : keys) {
    arranged[static_cast<std::size_t>(next[digit_of(key, pass)]++)] = key;
  }
}

} // namespace thalweg::examples::radix_sort
