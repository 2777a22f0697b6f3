// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A simulation with its answer to "why this time": the chain of operations and messages, each of which began
// because the one before had ended, that reaches from the start to the finish.

#include "simulate/loggp.hpp"
#include "simulate/rank_network.hpp"
#include "simulate/trace.hpp"

#include <array>
#include <string_view>

namespace thalweg::simulate {

struct SimulationOptions {
  Ties ties = Ties::in_order;
  /// Programs with more operations have no critical path and no timeline: both need 32 bytes an operation.
  std::uint64_t explained_max = std::uint64_t{1} << 22;
  bool has_timeline = false;
  const RankNetwork* network = nullptr; ///< as LoggpOptions has it
  std::function<void(std::uint64_t events)> progress = nullptr;
  Noise noise = {};
  SharedCores cores = {};
};

/// A message between two processors, from the moment at which the sender's is at it to the one at which the
/// receiver's has taken it in.
struct Delivery {
  std::uint32_t sender = 0;
  std::uint32_t receiver = 0;
  std::uint32_t tag = 0;
  std::int64_t bytes = 0;
  Ticks begin = 0;
  Ticks end = 0;
};

struct Simulation {
  Result result;
  /// What all ranks' processors did when, and the messages between them, where they were asked for.
  std::vector<Segment> timeline = {};
  std::vector<Delivery> deliveries = {};
};

/// Simulates on level `loggp`, `flow` where a network's links are shared, or `packet` where it has packets,
/// with the critical path where the program is not too large. Throws Error as simulate_loggp() does.
Simulation simulate(const Program& program, const SimulationOptions& options);

/// A number that is equal for equal results: times of all ranks, events, critical path.
std::uint64_t fingerprint(const Result& result);

/// The critical path, in order of time and without a pause. Of several chains it is one.
std::vector<Segment> critical_path(const Program& program, const Trace& trace, const Result& result,
                                   const RankNetwork* network = nullptr);

/// How long each kind of cost is on a path.
std::array<Ticks, cost_kinds> by_kind(const std::vector<Segment>& path);

/// How long each link is on a path, longest first: what it carried there and what waited for it.
std::vector<std::pair<topology::Link, Ticks>> by_link(const std::vector<Segment>& path);

/// What all ranks' processors did when, by rank and then in order of time.
std::vector<Segment> timeline(const Program& program, const Trace& trace,
                              const RankNetwork* network = nullptr);

/// The messages whose two ends both take a processor's time, by sender and then in the order of its program;
/// empty for folded programs, whose one rank's messages are between others.
std::vector<Delivery> deliveries(const Program& program, const Trace& trace,
                                 const RankNetwork* network = nullptr);

} // namespace thalweg::simulate
