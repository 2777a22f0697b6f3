// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Parts that the reduction strategies are made of: a rank's running sum, exchanges of whole vectors, and
// lists of transfers that make a reduce-scatter or, played backwards, an all-gather.

#include "strategies/strategy.hpp"
#include "topology/exchanges.hpp"

#include <span>

namespace thalweg::strategies {

/// Blocks as topology writes them down, in a buffer and moved up by `offset`.
schedule::BlockList blocks_of(schedule::Buffer buffer, std::span<const topology::Runs> runs,
                              std::int32_t offset = 0);

/// Where a rank's running sum lies: in the user's input until the first operand has come, then in its home.
/// So nothing is copied first. In place both are the same, and the sum is at home from the beginning.
class RunningSum {
public:
  /// `home` is where block 0's sum will be.
  RunningSum(Builder& builder, schedule::Buffer home, std::int32_t first);

  bool is_home() const { return is_home_; }
  /// The blocks where the sum lies now, and where it will be.
  schedule::BlockList here(std::span<const topology::Runs> blocks) const;
  schedule::BlockList home(std::span<const topology::Runs> blocks) const {
    return blocks_of(home_, blocks, first_);
  }
  /// The sum lies at home from here on.
  void arrive() { is_home_ = true; }

  /// Receives an operand and combines it with the sum; the result is in `target`. Blocks being sent in the
  /// same stage must not be among the target's. Returns the step that ends it.
  schedule::StepId absorb(Rank from, std::span<const topology::Runs> blocks,
                          const schedule::BlockList& target, schedule::Side incoming,
                          const schedule::After& after = {});

private:
  Builder& builder_;
  schedule::Buffer home_;
  std::int32_t first_;
  bool is_home_;
};

/// Receives the operands of a group's other ranks and combines all into `target`, from left to right in the
/// group's order, this rank's `own` (elsewhere than the target) among them. Returns the step that ends it.
schedule::StepId receive_in_order(Builder& builder, std::span<const Rank> group,
                                  const schedule::BlockList& own, const schedule::BlockList& target,
                                  const schedule::After& ready = {});

/// One message of an exchange; `side` is where a received operand stands.
struct Transfer {
  Rank peer = -1;
  std::vector<topology::Runs> blocks = {};
  schedule::Side side = schedule::Side::left;
};

/// What a rank sends and receives in one stage. All receives are of the same blocks and combined in the order
/// listed.
struct ExchangeStep {
  std::vector<Transfer> sends = {};
  std::vector<Transfer> receives = {};
};

/// Plays the steps as a reduce-scatter: sends sums and absorbs what comes. The sum is home afterwards; with
/// `last_target` given, what the last step receives ends there instead.
void append_reduce_scatter(Builder& builder, RunningSum& sum, std::span<const ExchangeStep> steps,
                           const schedule::BlockList* last_target = nullptr);
/// Plays the steps backwards as an all-gather at the sum's home: what was received is sent, what was sent is
/// received.
void append_allgather(Builder& builder, const RunningSum& sum, std::span<const ExchangeStep> steps);

/// Ranks that stand together in a place hand everything to its speaker: the step that opens their exchange
/// (speakers without members have an empty one).
ExchangeStep fold_step(const topology::Places& places, Rank rank, std::span<const topology::Runs> everything);

/// The steps in which a place exchanges digit by digit in base `radix`, nearest places first or furthest
/// first. `part(place, done)` are the blocks that a place is responsible for after `done` exchanges.
using PartOfPlace = std::function<std::vector<topology::Runs>(std::int32_t place, int done)>;
enum class ExchangeOrder { nearest_first, furthest_first };
std::vector<ExchangeStep> butterfly(const topology::Places& places, std::int32_t place, std::int32_t radix,
                                    ExchangeOrder order, const PartOfPlace& part);

} // namespace thalweg::strategies
