// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What single steps cost a rank, before anybody waits for anything.

#include "base/assertion.hpp"
#include "model/scenario.hpp"
#include "schedule/schedule.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace thalweg::model {

/// One step's share of the processor's time, and of the network's.
struct StepCost {
  std::int64_t bytes = 0;
  double begin = 0; ///< processor time to start it: for sends packing and overhead, for local steps all of it
  double copying = 0;      ///< the part of a message's processor time that goes by its bytes
  double finish = 0;       ///< processor time when a message has come
  double unexpected = 0;   ///< on top of it if it has come before it was asked for
  double contention = 0;   ///< what the processor takes longer for each pair of ranks at work besides
  double ranks_a_pair = 2; ///< on a machine
  double posted = 0;       ///< for each further receive that its rank has posted
  double loaded = 0;       ///< latency on top of it while as many pairs of ranks send as were measured
  double others = 1;       ///< those pairs, but one
  double latency = 0;
  double gap = 0;      ///< until the rank can send or receive the next message
  double transfer = 0; ///< the time that a rank holds a link which it has for itself
  double share = 1;    ///< the part of it for which it keeps others of its node from the link
  double two_way = 1;  ///< how many times as long if it meets a message between the same two ranks
  bool is_remote = false;
  bool is_send = false;

  /// What the processor takes longer while so many ranks of the machine are at work.
  double contended_seconds(std::int32_t working) const {
    return contention * std::max(0.0, working / ranks_a_pair - 1);
  }
  /// What a message is later while messages of so many other ranks of the machine are under way.
  double loaded_seconds(std::int32_t senders) const { return loaded * std::min(1.0, senders / others); }
};

/// The costs of all steps of a schedule, in their order.
class StepCosts {
public:
  StepCosts(const schedule::Schedule& schedule, std::int64_t unit_bytes, const Scenario& scenario);
  const StepCost& operator[](std::size_t step) const {
    THALWEG_ASSERT(normal, step < costs_.size());
    return costs_[step];
  }
  /// The processor's time for all steps, without what depends on others: contention and early messages.
  double processor_seconds() const;
  /// How long the sends between nodes hold the rank's part of the link that leaves its node, or the receives
  /// the link that comes to it, whichever takes longer; messages that do not meet.
  double link_seconds() const;

private:
  void copy_once(std::span<const std::uint32_t> sends);

  /// Shorter messages go to each reader for themselves: min_published in transport/shm/port.hpp.
  static constexpr std::int64_t min_copied_once = std::int64_t{4} << 10;

  std::vector<StepCost> costs_;
};

/// How far apart two ranks are, as far as their places are known.
machine::Level level_between(const Scenario& scenario, Rank a, Rank b);

} // namespace thalweg::model
