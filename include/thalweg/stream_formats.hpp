// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Items as bytes. Types that are copied byte by byte are known here; others have a thalweg::serializer, for
// which thalweg/stream_serialized.hpp has a general one.

#include "thalweg/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace thalweg {

namespace detail {

/// memcpy() for short pieces of unpredictable sizes: words that overlap, instead of branches by the size.
/// (With items of 8 to 40 B, at random, and two ranks this made 9.4 ns an item 6.7.)
inline void copy_short(char* to, const void* from, std::size_t bytes) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  constexpr std::size_t words = 5;
  if (bytes - word > (words - 1) * word) [[unlikely]] {
    if (bytes != 0)
      std::memcpy(to, from, bytes);
    return;
  }
  const char* const begin = static_cast<const char*>(from);
  const std::size_t last = bytes - word;
  std::memcpy(to, begin, word);
#pragma GCC unroll 5
  for (std::size_t i = 1; i < words - 1; ++i) {
    // The minimum of i * word and last; compilers make branches of std::min.
    const auto beyond = static_cast<std::int64_t>(i * word - last);
    const std::size_t at = i * word - static_cast<std::size_t>(beyond & ~(beyond >> 63));
    std::memcpy(to + at, begin + at, word);
  }
  std::memcpy(to + last, begin + last, word);
}

} // namespace detail

/// Items of any bytes: stream<bytes>. The handler's lie in the buffer, and only as long as it runs.
using bytes = std::span<const std::byte>;

/// The memory into which an item is written. Bytes beyond its end are counted, and not written.
class byte_writer {
public:
  /// On so many bytes of memory.
  byte_writer(char* at, std::size_t room) : at_(at), room_(room) {}
  /// Adds bytes to the item.
  void write(const void* from, std::size_t count) {
    if (count <= room_ - std::min(needed_, room_)) [[likely]]
      detail::copy_short(at_ + needed_, from, count);
    needed_ += count;
  }
  /// The bytes that the item takes, whether there was room for it or not.
  std::size_t needed() const { return needed_; }

private:
  char* at_;
  std::size_t room_;
  std::size_t needed_ = 0;
};

/// The bytes of an item that has come, read from front to back.
class byte_reader {
public:
  /// On so many bytes of memory.
  byte_reader(const char* at, std::size_t count) : at_(at), left_(count) {}
  /// Takes the next bytes; more than are left are an error.
  void read(void* to, std::size_t count) {
    if (count > left_) [[unlikely]]
      throw error(thalweg_error_mismatch, "handler", -1,
                  "an item of " + std::to_string(count - left_) + " B less than is read of it",
                  "read what was written");
    detail::copy_short(static_cast<char*>(to), at_, count);
    at_ += count;
    left_ -= count;
  }
  /// The number of bytes that have not been read.
  std::size_t left() const { return left_; }

private:
  const char* at_;
  std::size_t left_;
};

/// To be specialized for types that are not copied byte by byte:
///
///   template <>
///   struct thalweg::serializer<Edge> {
///     static void write(const Edge& edge, thalweg::byte_writer& to);
///     static Edge read(thalweg::byte_reader& from);
///   };
///
/// write() is called again, for the same item, where there was not room enough.
template <typename T>
struct serializer;

namespace detail {

template <typename T>
constexpr bool is_view = false;
template <typename T, std::size_t extent>
constexpr bool is_view<std::span<T, extent>> = true;
template <typename C, typename Traits>
constexpr bool is_view<std::basic_string_view<C, Traits>> = true;

/// `bytes`: of each item; 0: they differ.
/// write() returns the bytes that the item needs, and has written it if they are no more than `room`.
/// read() calls `use` with the item.
template <typename T>
struct item_format {
  static_assert(std::is_same_v<T, thalweg::bytes> || !is_view<T>,
                "what a view refers to does not travel: send thalweg::bytes, a std::string or a std::vector");
  static_assert(!std::is_pointer_v<T>, "what a pointer refers to does not travel");
  static constexpr bool is_copied = std::is_trivially_copyable_v<T>;
  static constexpr std::size_t bytes = is_copied ? sizeof(T) : 0;

  static std::size_t write(const T& item, char* at, std::size_t room) {
    if constexpr (is_copied) {
      if (sizeof(T) <= room) [[likely]]
        std::memcpy(at, &item, sizeof(T));
      return sizeof(T);
    } else {
      static_assert(
          requires { sizeof(serializer<T>); },
          "include thalweg/stream_serialized.hpp, or specialize thalweg::serializer for the item");
      byte_writer to(at, room);
      serializer<T>::write(item, to);
      return to.needed();
    }
  }
  template <typename Use>
  static void read(const char* at, std::size_t count, Use&& use) {
    if constexpr (is_copied) {
      alignas(T) char copy[sizeof(T)];
      std::memcpy(copy, at, sizeof(T));
      use(std::move(*reinterpret_cast<T*>(copy)));
    } else {
      byte_reader from(at, count);
      use(serializer<T>::read(from));
    }
  }
};

template <>
struct item_format<thalweg::bytes> {
  static constexpr std::size_t bytes = 0;
  static std::size_t write(thalweg::bytes item, char* at, std::size_t room) {
    if (item.size() <= room) [[likely]]
      copy_short(at, item.data(), item.size());
    return item.size();
  }
  template <typename Use>
  static void read(const char* at, std::size_t count, Use&& use) {
    use(thalweg::bytes(reinterpret_cast<const std::byte*>(at), count));
  }
};

} // namespace detail

} // namespace thalweg
