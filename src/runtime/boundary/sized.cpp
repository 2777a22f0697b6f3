// SPDX-License-Identifier: BSD-3-Clause
#include "boundary/sized.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "thalweg/version.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace thalweg::boundary {

namespace {

std::size_t size_of(const void* structure) {
  std::size_t size = 0;
  std::memcpy(&size, structure, sizeof size);
  return size;
}

[[noreturn]] void refuse(const Fields& fields, std::size_t size) {
  throw Error(fmt::format("a {} with a size of {}", fields.structure, size),
              fmt::format("begin with {}", fields.initializer));
}

/// A version's structure ends behind a field, and what its alignment wants.
bool is_of_a_version(const Fields& fields, std::size_t size) {
  return size == sizeof size || std::ranges::any_of(fields.ends, [&](std::size_t end) {
           return size == end || size == (end + fields.alignment - 1) / fields.alignment * fields.alignment;
         });
}

} // namespace

std::size_t bytes_to_read(const Fields& fields, const void* given) {
  const std::size_t size = size_of(given);
  constexpr std::size_t size_max = 65536; // none will ever be as long: what is longer was not set
  if (size > size_max || (size <= fields.bytes && !is_of_a_version(fields, size)))
    refuse(fields, size);
  if (size <= fields.bytes)
    return size;
  const auto* const bytes = static_cast<const char*>(given);
  if (std::any_of(bytes + fields.bytes, bytes + size, [](char byte) { return byte != 0; }))
    throw Error(
        fmt::format("a {} with a size of {}, of which this library knows {}, and the others are not 0",
                    fields.structure, size, fields.bytes),
        "the program was compiled for a later version of Thalweg: run it with that, or compile it again",
        thalweg_error_unsupported);
  return fields.bytes;
}

std::size_t bytes_to_write(const Fields& fields, std::size_t size) {
  if (size < fields.bytes && !is_of_a_version(fields, size))
    refuse(fields, size);
  return std::min(size, fields.bytes);
}

void write_known(const Fields& fields, const void* found, void* to) {
  const std::size_t bytes = bytes_to_write(fields, size_of(to));
  THALWEG_ASSERT(normal, bytes >= sizeof bytes && bytes <= fields.bytes);
  std::memcpy(static_cast<char*>(to) + sizeof bytes, static_cast<const char*>(found) + sizeof bytes,
              bytes - sizeof bytes);
  std::memcpy(to, &bytes, sizeof bytes);
}

void read_known(const Fields& fields, const void* given, void* whole) {
  const std::size_t bytes = bytes_to_read(fields, given);
  THALWEG_ASSERT(normal, bytes >= sizeof bytes && bytes <= fields.bytes);
  std::memcpy(static_cast<char*>(whole) + sizeof bytes, static_cast<const char*>(given) + sizeof bytes,
              bytes - sizeof bytes);
}

namespace {

std::string version_of(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000);
}

[[noreturn]] void refuse(const std::string& version) {
  const std::string own = version_of(THALWEG_HEADER_VERSION);
  throw Error(fmt::format("the program was compiled with headers of Thalweg {}, and this library is of {}",
                          version, own),
              fmt::format("compile the program again with the headers of {}, or run it with libraries of {}",
                          own, version),
              thalweg_error_unsupported);
}

/// Minor versions may change everything until there is a first major one; then they only add.
bool fits(int number) {
  constexpr int own = THALWEG_HEADER_VERSION;
  return own < 1000 ? number == own : number / 1000 == own / 1000 && number <= own;
}

} // namespace

void must_fit(int header_version) {
  if (!fits(header_version))
    refuse(version_of(header_version));
}

void refuse_first_version() {
  refuse("0.1");
}

} // namespace thalweg::boundary
