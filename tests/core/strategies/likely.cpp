// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/likely.hpp"

#include "strategies/index.hpp"

#include <gtest/gtest.h>
#include <string>

namespace thalweg::strategies {
namespace {

constexpr std::uint64_t kib = 1024;

// Figures of the libraries' own decisions, read there.
TEST(Likely, AllgathersAreTheLibrarysOwn) {
  using enum MpiLibrary;
  EXPECT_STREQ(likely_allgather(64 * kib, 8, open_mpi), "hypercube");
  EXPECT_STREQ(likely_allgather(64 * kib, 6, open_mpi), "bruck");
  EXPECT_STREQ(likely_allgather(32 * kib, 64, open_mpi), "neighbor_exchange");
  EXPECT_STREQ(likely_allgather(32 * kib, 63, open_mpi), "ring");
  EXPECT_STREQ(likely_allgather(256 * kib, 64, open_mpi), "ring");
  EXPECT_STREQ(likely_allgather(32 * kib, 8, mpich), "hypercube");
  EXPECT_STREQ(likely_allgather(64 * kib, 8, mpich), "ring");
  EXPECT_STREQ(likely_allgather(16 * kib, 6, mpich), "ring");
  EXPECT_STREQ(likely_allgather(8 * kib, 6, mpich), "bruck");
}

TEST(Likely, AllgathersWithCountsHaveATableOfTheirOwnInOpenMpi) {
  using enum MpiLibrary;
  EXPECT_STREQ(likely_allgatherv(64 * kib, 2, open_mpi), "ring");
  EXPECT_STREQ(likely_allgatherv(2 * kib, 4, open_mpi), "neighbor_exchange");
  EXPECT_STREQ(likely_allgatherv(2 * kib, 5, open_mpi), "ring");
  EXPECT_STREQ(likely_allgatherv(64 * kib, 4, open_mpi), "bruck");
  EXPECT_STREQ(likely_allgatherv(1024 * kib, 4, open_mpi), "neighbor_exchange");
  EXPECT_STREQ(likely_allgatherv(1024 * kib, 8, open_mpi), "bruck");
  EXPECT_STREQ(likely_allgatherv(1024 * kib, 16, open_mpi), "ring");
  EXPECT_STREQ(likely_allgatherv(4 * kib, 32, open_mpi), "bruck");
  EXPECT_STREQ(likely_allgatherv(32 * kib, 200, open_mpi), "neighbor_exchange");
  EXPECT_STREQ(likely_allgatherv(64 * kib, 200, open_mpi), "ring");
  EXPECT_STREQ(likely_allgatherv(1024 * kib, 5000, open_mpi), "neighbor_exchange");
  EXPECT_STREQ(likely_allgatherv(64 * kib, 8, mpich), likely_allgather(64 * kib, 8, mpich));
}

// What is named exists and can be done, whatever the size.
TEST(Likely, StrategiesAreInTheIndex) {
  for (const MpiLibrary library : {MpiLibrary::open_mpi, MpiLibrary::mpich})
    for (int ranks = 1; ranks < 3000; ranks += 1 + ranks / 16)
      for (std::uint64_t bytes = 0; bytes < 8192 * kib; bytes += 1 + bytes)
        for (const char* name :
             {likely_allgather(bytes, ranks, library), likely_allgatherv(bytes, ranks, library)}) {
          const Strategy& strategy = find(Operation::allgather, name);
          schedule::Problem problem;
          problem.operation = Operation::allgather;
          problem.ranks = ranks;
          problem.unit_bytes = static_cast<std::int64_t>(bytes);
          problem.parameters = resolve(strategy, {});
          EXPECT_FALSE(unsupported_reason(strategy, problem)) << name << " of " << ranks;
        }
}

} // namespace
} // namespace thalweg::strategies
