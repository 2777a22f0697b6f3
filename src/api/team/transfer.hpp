// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a put, a get or an atomic operation is, its arguments checked, and how it is made where the memory can
// be reached.

#include "base/rank.hpp"
#include "job/library/group.hpp"
#include "team/symmetric_memory.hpp"
#include "thalweg/team.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace thalweg::teams {

/// Blocks of bytes from some place on.
struct Blocks {
  std::size_t bytes = 0; ///< of a block
  std::size_t count = 1;
  std::ptrdiff_t stride = 0;           ///< between their begins
  const std::size_t* places = nullptr; ///< of their begins, instead of the stride

  std::size_t total() const { return bytes * count; }
  bool is_whole() const {
    return count == 1 || (places == nullptr && stride == static_cast<std::ptrdiff_t>(bytes));
  }
  std::ptrdiff_t begin_of(std::size_t block) const {
    return places != nullptr ? static_cast<std::ptrdiff_t>(places[block])
                             : static_cast<std::ptrdiff_t>(block) * stride;
  }
};

/// Of a put: it is seen after the bytes.
struct Signal {
  const Allocation* allocation = nullptr; ///< null: there is none
  std::size_t offset = 0;
  std::uint64_t value = 0;
  thalweg_signal_kind kind = thalweg_signal_set;
};

struct Transfer {
  Rank rank = 0;
  const Allocation* allocation = nullptr;
  std::size_t offset = 0; ///< of the first block, in the allocation
  Blocks there;
  std::byte* data = nullptr; ///< not written by puts
  Blocks here;
  Signal signal;
};

struct Atomic {
  Rank rank = 0;
  const Allocation* allocation = nullptr;
  std::size_t offset = 0;
  std::size_t bytes = 8;
  thalweg_atomic_kind kind = thalweg_atomic_add;
  std::uint64_t value = 0;
  std::uint64_t compare = 0;
  void* result = nullptr;
};

/// Throw Error for what cannot be: it names the value.
Transfer checked_put(const thalweg_team_transfer& given, const job::Group& group,
                     const SymmetricMemory& memory);
Transfer checked_get(const thalweg_team_transfer& given, const job::Group& group,
                     const SymmetricMemory& memory);
Atomic checked(const thalweg_team_atomic& given, const job::Group& group, const SymmetricMemory& memory);
void check_word(const void* word);
void check_condition(thalweg_condition condition);

/// Copies bytes; a word that is aligned lands whole, as somebody may look at it meanwhile.
void copy_block(std::byte* to, const std::byte* from, std::size_t bytes);
/// Copies blocks of one shape to blocks of another, as many bytes.
void copy_blocks(std::byte* to, const Blocks& there, const std::byte* from, const Blocks& here);
/// All that was written before is seen by whoever sees it.
void give_signal(std::byte* word, std::uint64_t value, thalweg_signal_kind kind);
/// Gives what the word was before.
std::uint64_t update(std::byte* word, std::size_t bytes, thalweg_atomic_kind kind, std::uint64_t value,
                     std::uint64_t compare);
/// Writes it into the lower bytes of a result, if there is one.
void give_word(std::uint64_t found, std::size_t bytes, void* result);

inline bool holds(std::uint64_t found, thalweg_condition condition, std::uint64_t value) {
  switch (condition) {
  case thalweg_condition_equal:
    return found == value;
  case thalweg_condition_not_equal:
    return found != value;
  case thalweg_condition_greater_equal:
    return found >= value;
  case thalweg_condition_less_equal:
    return found <= value;
  }
  return false;
}
/// What was written before it was is seen.
inline std::uint64_t seen(const std::uint64_t* word) {
  return std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>(word)).load(std::memory_order_acquire);
}

} // namespace thalweg::teams
