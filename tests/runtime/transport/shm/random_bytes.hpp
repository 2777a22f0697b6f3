// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What messages of tests are made of. It is written and compared by the word: under ThreadSanitizer each
// access counts.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace thalweg::transport {

/** Gives bytes that a seed determines. */
inline std::vector<std::byte> bytes_of(std::size_t size, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> data(size);
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    std::memcpy(data.data() + at, &word, std::min(sizeof word, size - at));
  }
  return data;
}

/** Whether these are bytes_of(their size, seed). */
inline bool are_bytes_of(const std::vector<std::byte>& data, std::uint32_t seed) {
  return data.empty() || std::memcmp(data.data(), bytes_of(data.size(), seed).data(), data.size()) == 0;
}

} // namespace thalweg::transport
