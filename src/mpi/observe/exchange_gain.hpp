#pragma once

// Whether calls of alltoallv with short blocks would take less on a mesh, or as items of a stream.
//
// Short blocks cost what their messages cost, whatever is in them. So a call is taken to last in proportion
// to the messages of a rank. On a mesh of two dimensions it has one for each rank of its row and of its
// column, and each takes 1.4 times as long, since it holds the blocks of many: with 16 ranks on eight hosts
// of the lab (docs/benchmarks.md) that was 0.56 of the library's time. With `sparse`, a rank has a message
// for each block that is not empty, and then they agree that there are no more.

#include <optional>
#include <string>

#include "mpi/observe/profile.hpp"

namespace thalweg::mpi::observe {

struct ExchangeGain {
  double blocks = 0;      // of a rank in a call, to others and not empty, in the mean
  double block_bytes = 0; // of these, with what the rank has for itself
  double call_ns = 0;     // that a call took when all ranks had come
  std::string use;        // "alltoallv=mesh2d": what to choose for it
  double use_ns = 0;      // that it would take then
  double stream_ns = 0;   // that a phase of a stream with these items would take
  double saved_ns = 0;    // of all ranks' time, by the better one
};

// Nothing where the library did not run the calls, they were few, blocks are long, or nothing is gained.
std::optional<ExchangeGain> exchange_gain(const SiteProfile& site);

// A line for each call site where that would save a share of all ranks' time that is worth the work.
std::string exchange_lines(const Profile& profile);

} // namespace thalweg::mpi::observe
