// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What programs of tests share: failures that name the check, the rank and the values.

#include "thalweg/error.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <string>
#include <type_traits>

namespace checks {

template <typename... Values>
[[noreturn]] void fail(const char* format, Values... values) {
  static_assert((std::is_scalar_v<Values> && ...), "printf takes numbers and char*: call c_str()");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "FAILED on rank %d: ", rank);
  std::fprintf(stderr, format, values...); // NOLINT: the formats are literals
  std::fprintf(stderr, "\n");
  MPI_Abort(MPI_COMM_WORLD, 3);
  std::abort();
}

template <typename... Values>
void require(bool condition, const char* format, Values... values) {
  if (!condition)
    fail(format, values...);
}

/// Element i of what rank `from` has for rank `to`; whole numbers, so that sums are exact.
inline double element(int call, int from, int to, std::size_t i) {
  return static_cast<double>((call * 7 + from * 131 + to * 17 + static_cast<int>(i % 4096) * 3) % 1009);
}

/// A number that says little of `one`: what random programs do follows from it, so that all ranks know it.
inline std::uint64_t mixed(std::uint64_t one) {
  one ^= one >> 33;
  one *= 0xff51afd7ed558ccdU;
  one ^= one >> 33;
  return one;
}

/// How many random programs to run: so many in the gate, of THALWEG_TEST_PROGRAMS one in `share`, at least
/// one.
inline std::uint64_t random_programs(std::uint64_t in_the_gate, std::uint64_t share) {
  const char* const wanted = std::getenv("THALWEG_TEST_PROGRAMS");
  return wanted == nullptr ? in_the_gate
                           : std::max<std::uint64_t>(std::strtoull(wanted, nullptr, 10) / share, 1);
}

/// Runs `misuse`, which must throw; gives what was thrown.
template <typename Misuse>
thalweg::error failure_of(Misuse misuse) {
  try {
    misuse();
  } catch (const thalweg::error& error) {
    return error;
  }
  fail("%s", "a misuse was not noticed");
}

} // namespace checks
