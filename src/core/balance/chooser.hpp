// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which scheme pays, and whether it pays to balance now: what a flow costs on a machine, against the work
// that uneven loads make everybody wait for.

#include "balance/report.hpp"
#include "balance/scheme.hpp"
#include "evidence/evidence.hpp"
#include "machine/machine.hpp"

namespace thalweg::balancing {

/// What the choice depends on beside the loads.
struct Costs {
  machine::LevelCosts messages; ///< LogGP parameters between the ranks
  std::int64_t task_bytes = 0;
  double task_seconds = 0; ///< of a rank of mean speed
  /// How often the loads will be worked through before they are balanced again.
  double steps = 1;
  /// Links of the network that the tasks cross, 0 where hops are not known.
  std::int64_t links = 0;
  /// What is in use is only left where the better scheme would win even if its exchange took so many times as
  /// long as predicted. So choices do not flutter, and what is nearly even is left alone.
  double hysteresis = evidence::Limits::hysteresis;
};

/// Hops between two ranks; empty where they are not known.
using Hops = std::function<std::int64_t(Rank, Rank)>;

struct Candidate {
  Scheme scheme = Scheme::none;
  Flow flow = {};
  Metrics figures = {};
  std::int64_t hop_tasks = 0;
  double exchange_seconds = 0;
  double work_seconds = 0;

  double seconds() const { return exchange_seconds + work_seconds; }
};

/// Seconds until all messages of a flow are there. Each rank is busy with its messages' two ends, its link
/// with their bytes each way, and the network's links with bytes times hops as if they were spread evenly.
/// The longest of these counts, and a latency on top.
double exchange_seconds(std::int32_t ranks, const Flow& flow, std::int64_t hop_tasks, const Costs& costs);

/// Seconds until the slowest rank has worked through its load so often as Costs::steps says.
double work_seconds(std::span<const Tasks> loads, std::span<const Tasks> speeds, const Costs& costs);

/// A scheme's flow with its predictions. The scheme has to be able. O(ranks).
Candidate candidate_of(Scheme scheme, const Problem& problem, const Costs& costs, const Hops& hops);

/// All schemes that are able, but for the published form, with their predictions; in the order of schemes().
/// O(ranks).
std::vector<Candidate> candidates(const Problem& problem, const Costs& costs, const Hops& hops);

/// The index of the candidate to run, if `incumbent` is in use. Of equals the one with fewer
/// hop-tasks counts, then the first, which is the simplest.
std::size_t chosen(std::span<const Candidate> candidates, Scheme incumbent, double hysteresis);

/// From when on it pays; the same on all ranks.
struct Terms {
  double threshold = 0; ///< the slowest rank has to take over 1 + this times as long as the mean
  double steps = 1;     ///< how often loads are worked through until they are balanced again
  /// How many times what the exchange costs has to be gained.
  double hysteresis = evidence::Limits::hysteresis;
  double min_gain_seconds = 0;
};

struct Verdict {
  bool is_worth = true;
  double imbalance = 1;         ///< time of the slowest rank over that of even loads
  double gain_seconds = 0;      ///< of all steps; 0 where nobody knows how long a task takes
  double predicted_seconds = 0; ///< of the exchange, by the machine's figures
  double exchange_seconds = 0;  ///< the same times what exchanges took longer so far
};

/// The exchange is taken for one message between the rank that has most too much, or lacks most, and another.
Verdict verdict_of(const Summary& all, const Terms& terms, const machine::LevelCosts& messages);

} // namespace thalweg::balancing
