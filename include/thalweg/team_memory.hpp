// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Symmetric memory of a team in C++, and calls on that of others. Offsets, places and strides count
// elements.

#include "thalweg/error.hpp"
#include "thalweg/team.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace thalweg {

/// Symmetric memory: as many elements on every rank of a team, which has to live longer.
template <typename T>
class symmetric_memory {
  static_assert(std::is_trivially_copyable_v<T>,
                "symmetric memory holds elements that are trivially copyable");

public:
  symmetric_memory() = default;
  /// Made by team::allocate().
  symmetric_memory(const thalweg_team* of, T* data, std::size_t size) : team_(of), data_(data), size_(size) {}

  /// This rank's first element.
  T* data() const { return data_; }
  /// The number of elements on each rank.
  std::size_t size() const { return size_; }
  /// This rank's elements.
  std::span<T> span() const { return {data_, size_}; }
  /// An element of this rank.
  T& operator[](std::size_t index) const { return data_[index]; }
  /// For loops over this rank's elements.
  T* begin() const { return data_; }
  /// Behind the last of them.
  T* end() const { return data_ + size_; }
  /// Another rank's, or nullptr where it is on another node.
  T* at(int rank) const { return static_cast<T*>(thalweg_team_reach(team_, data_, rank)); }

private:
  const thalweg_team* team_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The effect of a put on a word at its rank, once its data is there.
struct signal {
  std::uint64_t* word = nullptr; ///< this rank's, of symmetric memory; nullptr: no signal
  std::uint64_t value = 0;
  thalweg_signal_kind kind = thalweg_signal_set;
};
/// The word with that index becomes the value.
inline signal set_signal(const symmetric_memory<std::uint64_t>& words, std::size_t index,
                         std::uint64_t value) {
  return {words.data() + index, value, thalweg_signal_set};
}
/// The value is added to the word with that index.
inline signal add_signal(const symmetric_memory<std::uint64_t>& words, std::size_t index,
                         std::uint64_t value) {
  return {words.data() + index, value, thalweg_signal_add};
}

/// A comparison of a word with a value.
enum class condition {
  equal = thalweg_condition_equal,
  not_equal = thalweg_condition_not_equal,
  greater_equal = thalweg_condition_greater_equal,
  less_equal = thalweg_condition_less_equal,
};

/// Blocks of elements at equal distances, in symmetric memory.
struct strided {
  std::size_t offset = 0;    ///< of the first block
  std::size_t block = 1;     ///< elements of each
  std::size_t count = 0;     ///< of the blocks
  std::ptrdiff_t stride = 1; ///< between their begins
};

namespace detail {

/// Calls on others' memory, each written once: those of a team return as thalweg/team.h says of calls without
/// a request, those of team::start() give one. `Caller` has issue(), which makes the call.
template <typename Caller>
class memory_calls {
  template <typename T>
  using input = std::span<const std::type_identity_t<T>>;
  template <typename T>
  using output = std::span<std::type_identity_t<T>>;

public:
  /// -1 and 0 for the team of ranks that are in none.
  int rank() const { return thalweg_team_rank(team_); }
  int size() const { return thalweg_team_size(team_); }

  /// Writes into a rank's memory from an element on.
  template <typename T>
  auto put(const symmetric_memory<T>& memory, int rank, std::size_t offset, input<T> data, signal then = {}) {
    return make(thalweg_team_put, with(then, whole(memory, rank, offset, data)));
  }
  /// The same in blocks at equal distances, of data without gaps.
  template <typename T>
  auto put(const symmetric_memory<T>& memory, int rank, const strided& there, input<T> data,
           signal then = {}) {
    return make(thalweg_team_put, with(then, in_blocks(memory, rank, there, data)));
  }
  /// The same in as many blocks as there are places, each of as many elements of the data.
  template <typename T>
  auto put(const symmetric_memory<T>& memory, int rank, std::span<const std::size_t> places, input<T> data,
           signal then = {}) {
    const std::vector<std::size_t> in_bytes = bytes_of<T>(places);
    return make(thalweg_team_put, with(then, at_places(memory, rank, in_bytes, data)));
  }

  /// Reads a rank's memory from an element on.
  template <typename T>
  auto get(const symmetric_memory<T>& memory, int rank, std::size_t offset, output<T> data) {
    return make(thalweg_team_get, whole(memory, rank, offset, input<T>(data)));
  }
  /// The same in blocks at equal distances, into data without gaps.
  template <typename T>
  auto get(const symmetric_memory<T>& memory, int rank, const strided& there, output<T> data) {
    return make(thalweg_team_get, in_blocks(memory, rank, there, input<T>(data)));
  }
  /// The same in as many blocks as there are places, each of as many elements of the data.
  template <typename T>
  auto get(const symmetric_memory<T>& memory, int rank, std::span<const std::size_t> places, output<T> data) {
    const std::vector<std::size_t> in_bytes = bytes_of<T>(places);
    return make(thalweg_team_get, at_places(memory, rank, in_bytes, input<T>(data)));
  }

  /// Adds to an element of a rank.
  template <typename T>
  auto add(const symmetric_memory<T>& memory, int rank, std::size_t offset, std::type_identity_t<T> value) {
    return make(thalweg_team_update, atomic(memory, rank, offset, thalweg_atomic_add, value));
  }
  /// The same, and gives in `before` the element as it was.
  template <typename T>
  auto fetch_add(const symmetric_memory<T>& memory, int rank, std::size_t offset,
                 std::type_identity_t<T> value, T& before) {
    return make(thalweg_team_update, atomic(memory, rank, offset, thalweg_atomic_add, value, &before));
  }
  /// Replaces an element of a rank, and gives in `before` the old one.
  template <typename T>
  auto swap(const symmetric_memory<T>& memory, int rank, std::size_t offset, std::type_identity_t<T> value,
            T& before) {
    return make(thalweg_team_update, atomic(memory, rank, offset, thalweg_atomic_swap, value, &before));
  }
  /// The same if the element is `expected`.
  template <typename T>
  auto compare_swap(const symmetric_memory<T>& memory, int rank, std::size_t offset,
                    std::type_identity_t<T> expected, std::type_identity_t<T> value, T& before) {
    thalweg_team_atomic call = atomic(memory, rank, offset, thalweg_atomic_compare_swap, value, &before);
    call.compare = word_of(expected);
    return make(thalweg_team_update, call);
  }

protected:
  explicit memory_calls(thalweg_team* of) : team_(of) {}

  thalweg_team* team_;

private:
  template <typename T>
  static thalweg_team_transfer whole(const symmetric_memory<T>& memory, int rank, std::size_t offset,
                                     input<T> data) {
    thalweg_team_transfer call = THALWEG_TEAM_TRANSFER_INIT;
    call.memory = memory.data();
    call.rank = rank;
    call.offset = offset * sizeof(T);
    call.data = const_cast<T*>(data.data());
    call.bytes = data.size_bytes();
    return call;
  }
  template <typename T>
  thalweg_team_transfer in_blocks(const symmetric_memory<T>& memory, int rank, const strided& there,
                                  input<T> data) const {
    if (there.block * there.count != data.size())
      refuse(std::to_string(data.size()) + " elements for " + std::to_string(there.count) + " blocks of " +
             std::to_string(there.block));
    thalweg_team_transfer call = whole(memory, rank, there.offset, data);
    call.bytes = there.block * sizeof(T);
    call.blocks = there.count;
    call.memory_stride = there.stride * static_cast<std::ptrdiff_t>(sizeof(T));
    return call;
  }
  template <typename T>
  thalweg_team_transfer at_places(const symmetric_memory<T>& memory, int rank,
                                  const std::vector<std::size_t>& places, input<T> data) const {
    if (places.empty() ? !data.empty() : data.size() % places.size() != 0)
      refuse(std::to_string(data.size()) + " elements for " + std::to_string(places.size()) + " places");
    thalweg_team_transfer call = whole(memory, rank, 0, data);
    call.bytes = places.empty() ? 0 : data.size_bytes() / places.size();
    call.blocks = places.size();
    call.places = places.data();
    return call;
  }
  template <typename T>
  static std::vector<std::size_t> bytes_of(std::span<const std::size_t> places) {
    std::vector<std::size_t> in_bytes(places.begin(), places.end());
    for (std::size_t& place : in_bytes)
      place *= sizeof(T);
    return in_bytes;
  }
  static thalweg_team_transfer with(const signal& then, thalweg_team_transfer call) {
    call.signal = then.word;
    call.value = then.value;
    call.kind = then.kind;
    return call;
  }
  template <typename T>
  static std::uint64_t word_of(T value) {
    return static_cast<std::uint64_t>(value);
  }
  template <typename T>
  static thalweg_team_atomic atomic(const symmetric_memory<T>& memory, int rank, std::size_t offset,
                                    thalweg_atomic_kind kind, T value, T* before = nullptr) {
    static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                  "atomic operations are on whole numbers of 4 or 8 bytes");
    thalweg_team_atomic call = THALWEG_TEAM_ATOMIC_INIT;
    call.memory = memory.data();
    call.rank = rank;
    call.offset = offset * sizeof(T);
    call.bytes = sizeof(T);
    call.kind = kind;
    call.value = word_of(value);
    call.result = before;
    return call;
  }
  [[noreturn]] void refuse(const std::string& problem) const {
    throw error(thalweg_error_invalid_argument, "put or get", rank(), problem,
                "give as many elements for each block");
  }
  template <typename Given>
  auto make(thalweg_status (*function)(thalweg_team*, const Given*, thalweg_request**), const Given& given) {
    return static_cast<Caller*>(this)->issue(function, given);
  }
};

} // namespace detail

} // namespace thalweg
