// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/random.hpp"

#include <string_view>

namespace thalweg {

/// Adds a value to a hash of values in their order; begin with 0.
inline std::uint64_t mixed_hash(std::uint64_t hash, std::uint64_t value) {
  return Random(hash ^ value).next();
}

/// Hashes that are the same in every process and of every compiler, so ranks may compare them and files may
/// keep them. std::hash promises neither. FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo; RFC 9923), in 64 bits.
constexpr std::uint64_t fnv_begin = 0xcbf29ce484222325;
constexpr std::uint64_t fnv_hash(std::uint64_t before, std::uint64_t value) {
  return (before ^ value) * 0x100000001b3;
}

/// Of a text's bytes behind what was hashed before.
constexpr std::uint64_t text_hash(std::string_view text, std::uint64_t before = fnv_begin) {
  for (const char letter : text)
    before = fnv_hash(before, static_cast<unsigned char>(letter));
  return before;
}
/// Likewise, with the text's end: texts behind one another differ from their sum.
constexpr std::uint64_t ended_text_hash(std::string_view text, std::uint64_t before = fnv_begin) {
  return fnv_hash(text_hash(text, before), 0x100);
}

} // namespace thalweg
