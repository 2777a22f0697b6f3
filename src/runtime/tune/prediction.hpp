// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Problems as tuning files know them, and what the model says that they take.

#include "machine/machine.hpp"
#include "model/predict.hpp"
#include "strategies/index.hpp"
#include "strategies/selection.hpp"
#include "topology/network.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace thalweg::tune {

/// A problem as tuning files and people know it.
struct Case {
  const strategies::Call* call = nullptr;
  std::int64_t bytes = 0; ///< of a unit (schedule/buffers.hpp) that is not empty: of a pair, rank or vector
  std::int32_t ranks = 1;
  /// The node of each rank; empty: all on one.
  std::vector<std::int32_t> nodes = {};
  /// Where in its node each rank stays (model::Scenario); empty: not known.
  std::vector<std::int32_t> sockets = {};
  std::vector<std::int32_t> complexes = {};
  std::vector<std::int32_t> cores = {};
  /// Where the nodes are in the network. Without a shape it is the machine file's.
  topology::NodePlaces node_places = {};
  /// The switch of each rank's node, as the schedules of network devices group them (Problem::leaves): in a
  /// job what the hosts' agents say, else what the network's shape does (topology::leaves_of). Empty: not
  /// known, or one for all.
  std::vector<std::int32_t> leaves = {};
  /// In which strategies may number the ranks (strategies/order.hpp); null: their own.
  std::shared_ptr<const schedule::RankOrders> orders = nullptr;
  /// So many calls follow each other, and nobody waits for one's end before the next: what counts is when the
  /// last one ends.
  std::int32_t calls_in_row = 1;
  /// Of exchanges whose blocks may be empty: to how many other ranks one sends something, in the mean; 0: to
  /// all.
  double degree = 0;
  /// Of calls among neighbors: those of all ranks.
  std::shared_ptr<const std::vector<schedule::Neighborhood>> neighborhoods = nullptr;
  /// May network devices run it? Those of MPI's calls; a team's are always run by our engine.
  bool may_offload = true;
};

// How a candidate is predicted: from all ranks' schedules where that is quick or nothing else will do, from
// one rank that stands for all where they are alike, from some ranks where all would be too many.

/// Up to so many steps of all ranks together all are simulated.
inline constexpr std::size_t few_steps = std::size_t{1} << 17;

/// What a strategy is asked for, with these parameters.
strategies::Problem problem_of(const Case& wanted, const schedule::Parameters& parameters);

/// Where most of its messages go: within the node that all ranks are known to be on, else between nodes.
machine::Level level_of(const Case& wanted);

/// Some ranks' schedules, or all of few ranks, of all calls in the row: they tell what all are like.
struct ScheduleSample {
  std::vector<schedule::Schedule> schedules;
  std::size_t steps = 0; ///< of all ranks together, as these ranks let expect
};
ScheduleSample sample(const strategies::Strategy& strategy, const strategies::Problem& problem,
                      const Case& wanted);

/// From its sample. Does not look closer at what surely takes longer than `enough_seconds`: the result is a
/// bound then.
model::Prediction predict(const strategies::Strategy& strategy, const strategies::Problem& problem,
                          ScheduleSample known, const Case& wanted, const machine::Machine& machine,
                          double enough_seconds = std::numeric_limits<double>::infinity());

// What exchanges take where ranks have something for some others only, by the model of the machine at hand
// (model/message_terms.hpp; Kumar 2005, section 3.3.1).

/// An exchange among so many ranks: to how many others a rank sends something, and how much to each.
struct Exchange {
  std::int32_t ranks = 1;
  double degree = 0;
  double block_bytes = 0;
};

/// What such an exchange takes, each as a share of what it takes with a message from each rank to each other
/// one.
struct ExchangeShares {
  double mesh2d = 1; ///< on a mesh of two dimensions, nearly square
  double sparse = 1; ///< with messages for what is not empty alone
};

ExchangeShares exchange_shares(const machine::Machine& machine, machine::Level level,
                               const Exchange& exchange);

} // namespace thalweg::tune
