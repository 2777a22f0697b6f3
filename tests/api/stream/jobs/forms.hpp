// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The meshes and buffers that tests of streams go through.

#include "checks.hpp"
#include "thalweg/stream.hpp"

#include <string>
#include <vector>

namespace forms {

inline int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline int ranks_of_world() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

/// Of all ranks; the same on all.
inline long sum_of(long own) {
  long sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// Calls test(options) for direct and mesh shapes, with buffers from the smallest to the usual ones.
template <typename Test>
void for_each(Test test) {
  const int ranks = ranks_of_world();
  std::vector<std::string> shapes{"direct"};
  if (ranks > 2)
    shapes.push_back("2x" + std::to_string((ranks + 1) / 2));
  if (ranks > 4)
    shapes.push_back("2x2x" + std::to_string((ranks + 3) / 4));
  for (const std::string& shape : shapes)
    for (const std::size_t buffer_bytes : {64, 512, 0}) {
      thalweg::stream_options options;
      options.shape = shape;
      options.buffer_bytes = buffer_bytes;
      test(options);
    }
}

} // namespace forms
