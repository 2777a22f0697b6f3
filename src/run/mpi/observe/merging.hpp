// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What all ranks saw, added up rank by rank: of a rank no more is kept than its times and its samples.

#include "mpi/observe/profile.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace thalweg::mpi::observe {

/// The source of a module's address, or what else is known of it.
using SourceOf = Source (*)(const Location& location);

/// Rows are the same site when function, module, size and phase are, and the source line or, where none is
/// known, the address: compilers make several calls of one.
class Merger {
public:
  Merger(SourceOf source_of, TrafficRows rows);

  void add(RankProfile rank);
  /// Once, when all ranks are added.
  Profile finish();

private:
  using SiteKey = std::tuple<std::string, std::string, std::string, int, int>;
  struct Row {
    std::size_t site = 0;
    double ns = 0;
    double sampled_ns = 0;
    double waiting_ns = 0;
  };

  std::size_t site_of(const CallProfile& call);
  const Source& source(const Location& location);
  void match_samples();
  void add_times();
  void sort_sites();

  SourceOf source_of_;
  Profile profile_;
  std::map<SiteKey, std::size_t> index_;
  std::map<std::tuple<std::string, std::uint64_t, std::string>, Source> sources_;
  std::map<int, std::size_t> place_of_rank_; ///< in Profile::ranks
  std::vector<std::vector<Row>> rows_;       ///< the same places
};

/// All at once; without rows nothing is known of traffic.
Profile merge(std::vector<RankProfile> ranks, SourceOf source_of, TrafficRows rows = {});

// Splits the time in collectives into waiting for others and transferring.
//
// A call of a communicator ends its waiting when the last rank has come (or when it returns, if it needs not
// all). Of calls that every rank of the communicator sampled: waiting = min(last arrival, own exit) - own
// arrival.

struct Participant {
  int world_rank;
  const SampledCommunicator* samples;
};

/// Of one call on one rank.
struct MatchedCall {
  int world_rank;
  const SampledCall* call;
  double waiting_ns;
  int last_rank; ///< in the world, who came last
};

/// `account` gets each call of each rank. Participants are all ranks of one communicator; when some are
/// missing nothing is accounted.
void match(std::span<const Participant> participants, const std::function<void(const MatchedCall&)>& account);

} // namespace thalweg::mpi::observe
