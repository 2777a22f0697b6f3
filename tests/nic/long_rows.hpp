// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What ranks of a simulation bring to operations with long rows.

#include "nic/combining.h"

#include <cstdint>

namespace thalweg::nic {

/// By number, some operations are barriers, some add numbers in an order, some put blocks together, and some
/// add long rows of integers.
inline bool has_words(std::uint32_t number) {
  return number % 4 != 0;
}
inline bool has_blocks(std::uint32_t number) {
  return number % 4 == 1;
}
inline bool has_integers(std::uint32_t number) {
  return number % 8 == 2;
}
/// Blocks of none to three words, which overlap as blocks do that share a word: each has bits of its own.
inline void set_block(thalweg_nic_content& content, std::uint32_t index, std::uint32_t local,
                      std::uint32_t number) {
  const std::uint32_t rank = index * 3 + local;
  content.operation = THALWEG_NIC_PLACE;
  content.count = static_cast<std::uint16_t>((rank + number) % 4);
  content.first = static_cast<std::uint16_t>(content.count == 0 ? 0 : 2 * rank);
  for (std::uint32_t i = 0; i < content.count; ++i)
    content.words[i] = (rank + 1) * std::uint64_t{number + 1} << rank % 2 * 32;
}

inline void set_integers(thalweg_nic_content& content, std::uint32_t index, std::uint32_t local,
                         std::uint32_t number) {
  content.operation = THALWEG_NIC_SUM;
  content.count =
      static_cast<std::uint16_t>(1 + THALWEG_NIC_WORDS + number % (THALWEG_NIC_ROW - THALWEG_NIC_WORDS));
  for (std::uint32_t i = 0; i < content.count; ++i)
    content.words[i] = (index * 3 + local + 1) * std::uint64_t{number + 1} - i;
}

} // namespace thalweg::nic
