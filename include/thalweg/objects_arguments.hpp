// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Arguments of calls as bytes. Programs include thalweg/objects.hpp.
//
// Types that are copied byte by byte travel as they are. Rows of such (std::vector, std::string, std::span,
// std::string_view) have their length before them, and lie aligned: a span that is handed to an entry method
// refers to the message itself. Others have a thalweg::serializer (thalweg/stream_formats.hpp).

#include "thalweg/stream_formats.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace thalweg::detail {

/// A row that is copied byte by byte: its element, or void.
template <typename T>
struct row_of {
  using element = void;
};
template <typename T>
requires std::is_trivially_copyable_v<T>
struct row_of<std::span<const T>> {
  using element = T;
};
template <typename T>
requires(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>) struct row_of<std::vector<T>> {
  using element = T;
};
template <typename T>
struct row_of<std::basic_string<T>> {
  using element = T;
};
template <typename T>
struct row_of<std::basic_string_view<T>> {
  using element = T;
};
template <typename T>
constexpr bool is_row = !std::is_void_v<typename row_of<T>::element>;

constexpr std::size_t align_up(std::size_t at, std::size_t to) {
  return (at + to - 1) / to * to;
}

/// How an argument of type T is written at offset `at` of a message's arguments, whose own place is aligned
/// to 16 where they are read. Functions give the offset behind it.
template <typename T>
struct argument {
  static_assert(!std::is_pointer_v<T>, "what a pointer refers to does not travel");
  static constexpr bool is_copied = std::is_trivially_copyable_v<T> && !is_view<T>;

  static std::size_t end(std::size_t at, const T& value) {
    if constexpr (is_row<T>) {
      using element = typename row_of<T>::element;
      static_assert(alignof(element) <= 16, "elements of rows are aligned to 16 at most");
      at = align_up(at + sizeof(std::uint64_t), alignof(element));
      return at + value.size() * sizeof(element);
    } else if constexpr (is_copied) {
      return at + sizeof(T);
    } else {
      static_assert(
          requires { sizeof(serializer<T>); },
          "include thalweg/stream_serialized.hpp, or specialize thalweg::serializer for the argument");
      byte_writer measured(nullptr, 0);
      serializer<T>::write(value, measured);
      return at + measured.needed();
    }
  }

  static std::size_t write(char* base, std::size_t at, const T& value) {
    if constexpr (is_row<T>) {
      using element = typename row_of<T>::element;
      const std::uint64_t count = value.size();
      std::memcpy(base + at, &count, sizeof count);
      at = align_up(at + sizeof count, alignof(element));
      if (count != 0)
        std::memcpy(base + at, value.data(), count * sizeof(element));
      return at + count * sizeof(element);
    } else if constexpr (is_copied) {
      std::memcpy(base + at, &value, sizeof(T));
      return at + sizeof(T);
    } else {
      byte_writer to(base + at, end(at, value) - at);
      serializer<T>::write(value, to);
      return at + to.needed();
    }
  }

  static T read(const char* base, std::size_t bytes, std::size_t& at) {
    if constexpr (is_row<T>) {
      using element = typename row_of<T>::element;
      std::uint64_t count = 0;
      std::memcpy(&count, base + at, sizeof count);
      at = align_up(at + sizeof count, alignof(element));
      const auto* const first = reinterpret_cast<const element*>(base + at);
      at += count * sizeof(element);
      if constexpr (is_view<T>)
        return T(first, count);
      else
        return T(first, first + count);
    } else if constexpr (is_copied) {
      alignas(T) char copy[sizeof(T)];
      std::memcpy(copy, base + at, sizeof(T));
      at += sizeof(T);
      return *reinterpret_cast<T*>(copy);
    } else {
      byte_reader from(base + at, bytes - at);
      T value = serializer<T>::read(from);
      at = bytes - from.left();
      return value;
    }
  }
};

/// The arguments of a call, in the types in which they travel.
template <typename... Types>
struct arguments {
  using tuple = std::tuple<Types...>;

  static std::size_t bytes(const Types&... values) {
    std::size_t at = 0;
    ((at = argument<Types>::end(at, values)), ...);
    return at;
  }
  static void write([[maybe_unused]] char* base, const Types&... values) {
    [[maybe_unused]] std::size_t at = 0;
    ((at = argument<Types>::write(base, at, values)), ...);
  }
  /// In braces, so that they are read in their order.
  static tuple read([[maybe_unused]] const char* base, [[maybe_unused]] std::size_t bytes) {
    [[maybe_unused]] std::size_t at = 0;
    return tuple{argument<Types>::read(base, bytes, at)...};
  }
};

template <typename... Types>
struct types {};

/// The parameters and the result of an entry method.
template <typename Method>
struct method_of;
template <typename Result, typename Class, typename... Parameters>
struct method_of<Result (Class::*)(Parameters...)> {
  using result = Result;
  using owner = Class;
  using parameters = types<Parameters...>;
  using traveling = arguments<std::remove_cvref_t<Parameters>...>;
};
template <typename Result, typename Class, typename... Parameters>
struct method_of<Result (Class::*)(Parameters...) const> : method_of<Result (Class::*)(Parameters...)> {};
template <typename Result, typename Class, typename... Parameters>
struct method_of<Result (Class::*)(Parameters...) noexcept> : method_of<Result (Class::*)(Parameters...)> {};
template <typename Result, typename Class, typename... Parameters>
struct method_of<Result (Class::*)(Parameters...) const noexcept>
    : method_of<Result (Class::*)(Parameters...)> {};

} // namespace thalweg::detail
