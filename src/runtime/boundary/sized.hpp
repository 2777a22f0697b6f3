// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Programs may have been compiled with another version of the headers than this library was. Structures that
// they allocate begin with their size: a program's version may know fewer fields than this library, or more.
// Create calls begin with the headers' version.

#include <cstddef>
#include <optional>
#include <span>

namespace thalweg::boundary {

/// How this library knows a structure: its name, its initializer, and where its fields end behind the size.
/// Files that are made from interfaces/ specialize it (structures.hpp).
template <typename Structure>
struct Known;

struct Fields {
  const char* structure;
  const char* initializer;
  std::span<const std::size_t> ends;
  std::size_t bytes; ///< of the whole structure
  std::size_t alignment;
};

template <typename Structure>
constexpr Fields fields_of{Known<Structure>::name, Known<Structure>::initializer, Known<Structure>::ends,
                           sizeof(Structure), alignof(Structure)};

template <typename Structure, typename Field>
constexpr std::size_t end_of(Field Structure::*, std::size_t offset) {
  return offset + sizeof(Field);
}

/// How much of a program's structure is known to both. Throws Error for a size that no version has, and where
/// fields that this library does not know are not 0: it would pass over what they ask for.
std::size_t bytes_to_read(const Fields& fields, const void* given);
/// The same of a structure that the library is to write to.
std::size_t bytes_to_write(const Fields& fields, std::size_t size);
/// Writes as much as the program knows, and into its size how much that was.
void write_known(const Fields& fields, const void* found, void* to);
/// Replaces the begin of `whole`, and leaves its size.
void read_known(const Fields& fields, const void* given, void* whole);

/// What a program has filled in. Fields that it does not know are as they are where nobody says anything.
template <typename Structure>
Structure sized(const Structure& given) {
  Structure whole;
  read_known(fields_of<Structure>, &given, &whole);
  return whole;
}
/// The same, or all as nobody says anything where nothing is given.
template <typename Structure>
Structure sized(const Structure* given) {
  return given == nullptr ? Structure() : sized(*given);
}
/// The same without a copy, where the program knows as much as this library.
template <typename Structure>
const Structure& sized(const Structure& given, std::optional<Structure>& room) {
  if (given.size == sizeof given) [[likely]]
    return given;
  return room.emplace(sized(given));
}

/// Throws Error for a structure, if there is one, that no result can be written to.
template <typename Structure>
void must_take_result(const Structure* to) {
  if (to != nullptr)
    bytes_to_write(fields_of<Structure>, to->size);
}
/// Writes to it, if there is one, what the program knows of a result.
template <typename Structure>
void give_result(const Structure& found, Structure* to) {
  if (to != nullptr)
    write_known(fields_of<Structure>, &found, to);
}

/// Throws Error for a THALWEG_HEADER_VERSION whose headers may use the library's memory in another way.
void must_fit(int header_version);
/// Throws Error for headers that were of a version that does not tell its number.
[[noreturn]] void refuse_first_version();

} // namespace thalweg::boundary
