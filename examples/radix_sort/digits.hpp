// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "radix_sort/keys.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::examples::radix_sort {

constexpr int digit_bits = 16;
constexpr std::int64_t digit_values = std::int64_t{1} << digit_bits;

/// The digit that pass number `pass` sorts by, least significant first.
constexpr std::size_t digit_of(Key key, int pass) {
  return static_cast<std::size_t>((key >> (pass * digit_bits)) & static_cast<Key>(digit_values - 1));
}

/// How often each digit occurs; `counts` has at least digit_values entries and is overwritten.
void count_digits(std::vector<Key> const& keys, int pass, std::vector<std::int64_t>& counts);

/// Stable counting sort of `keys` by their digit, into `arranged` (same size), given their counts.
void arrange_by_digit(std::vector<Key> const& keys, int pass, std::vector<std::int64_t> const& counts,
                      std::vector<Key>& arranged);

} // namespace thalweg::examples::radix_sort
