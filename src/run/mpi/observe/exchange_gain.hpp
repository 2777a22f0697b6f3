// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whether calls of alltoallv with short blocks would take less on a mesh, or as items of a stream.
//
// Short blocks cost what their messages cost, whatever is in them. The library's call is taken to have one
// for each rank. The model of the machine at hand says what share of that a mesh of two dimensions takes,
// whose messages are few and carry the blocks of many, and what messages take for those blocks alone that are
// not empty (`sparse`; tune/prediction.hpp).

#include <optional>
#include <string>

#include "mpi/observe/profile.hpp"

namespace thalweg::mpi::observe {

struct ExchangeGain {
  double blocks = 0;      // of a rank in a call, to others and not empty, in the mean
  double block_bytes = 0; // of these, with what the rank has for itself
  double call_ns = 0;     // that a call took when all ranks had come
  std::string use;        // "alltoallv=mesh2d": what to choose for it; empty where no machine is known
  double use_ns = 0;      // that it would take then
  double stream_ns = 0;   // that a phase of a stream with these items would take
  double saved_ns = 0;    // of all ranks' time, by the better one
};

// Nothing where the library did not run the calls, they were few, blocks are long, or nothing is gained.
std::optional<ExchangeGain> exchange_gain(const SiteProfile& site, const SharesOfExchange& shares_of);

// A line for each call site where that would save a share of all ranks' time that is worth the work.
std::string exchange_lines(const Profile& profile);

} // namespace thalweg::mpi::observe
