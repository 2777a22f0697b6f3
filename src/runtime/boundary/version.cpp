// SPDX-License-Identifier: BSD-3-Clause
#include "boundary/version.hpp"

#include "base/error.hpp"
#include "thalweg/version.h"

#include <fmt/format.h>

namespace thalweg::boundary {

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
