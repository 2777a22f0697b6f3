// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What is learned of one kind of call on one communicator, and what its next call runs.

#include "base/assertion.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/learn/row_work.hpp"
#include "pattern/traffic.hpp"
#include "tune/learner.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace thalweg::mpi {

/// Calls that are alike for choosing a strategy. All ranks of a call find the same kind: nothing that is
/// known to one rank alone is part of it.
struct CallKind {
  Operation operation;
  bool commutative = true;    ///< reductions: whether operands may change places
  bool exact = true;          ///< every strategy gives the same result to the last bit
  bool blocks = true;         ///< else it is a nonblocking call, whose program goes on meanwhile
  bool is_persistent = false; ///< the call of one request, which the program starts again and again
  bool is_private = false;    ///< sizes are known to ranks alone, and agreed upon between rounds only
  std::int64_t bytes = 0;     ///< of a unit of this call; -1 where private
  std::int32_t size = 0;      ///< class of the bytes

  std::uint32_t key() const {
    return static_cast<std::uint32_t>(operation) << 16U | static_cast<std::uint32_t>(size) << 8U |
           static_cast<std::uint32_t>(blocks) << 2U | static_cast<std::uint32_t>(commutative) << 1U |
           static_cast<std::uint32_t>(exact);
  }
};

/// None where nothing can be learned: ranks that cannot agree, and nonblocking and persistent calls where
/// operations of ours could not progress inside of all calls that block.
std::optional<CallKind> kind_of(const CollectiveCall& call, CommunicatorState& communicator);

/// What this rank hands to a call whose sizes are its own business, to other ranks.
pattern::Traffic traffic_of(const CollectiveCall& call, CommunicatorState& communicator);

/// Where calls are learned about, and what to learn is thought to take there.
struct Circumstances {
  int ranks;
  int nodes;
  double agreement_seconds;
  double ready_seconds; ///< once, before the first agreement
};

/// Sizes that each rank alone knows, as far as ranks have agreed on them.
struct PrivateSizes {
  bool has_degree = false; ///< the model orders such calls by it too
  pattern::Traffic seen;   ///< by this rank, in the round
  pattern::TrafficClass traffic;
  std::int64_t bytes = 0; ///< of a unit, in the mean
  double degree = 0;

  /// What ranks take the sums of, and what follows from these for so many calls.
  std::vector<double> to_sum() const;
  void learn(std::span<const double> sums, std::size_t calls, int ranks);
};

/// Units of calls.
struct CallSizes {
  std::uint64_t calls = 0;
  double bytes = 0;

  void add(std::int64_t unit_bytes) {
    ++calls;
    bytes += static_cast<double>(unit_bytes);
  }
  std::int64_t mean() const {
    return calls == 0 ? 0 : static_cast<std::int64_t>(bytes / static_cast<double>(calls) + 0.5);
  }
};

/// In what ranks take the maxima of, behind all figures of calls.
inline constexpr std::size_t common_figures = 8;

class TuningContext {
public:
  /// `start`: what the tuning file says, or null; `searched`: after a whole search. The exploration budget is
  /// borrowed.
  TuningContext(const CallKind& kind, const Choice* start, bool searched, const Circumstances& around,
                tune::ExplorationBudget& exploration_budget);

  /// Before a call. True when a round has ended and the next must be opened (communicator_learning.cpp).
  bool needs_round() const { return calls_left_ == 0; }
  void open(const tune::Round& round);
  /// What the next call of the round runs. Counts it.
  const Choice& next(std::int64_t bytes) {
    THALWEG_ASSERT(light, calls_left_ > 0);
    --calls_left_;
    asked_.add(bytes);
    return *choices_[is_at_candidate() ? learner_.candidate() : learner_.incumbent()];
  }
  /// What a nonblocking call between two rounds runs. Counts it.
  const Choice& between_rounds(std::int64_t bytes) {
    asked_.add(bytes);
    return *choices_[learner_.incumbent()];
  }
  /// Of the round. Where it is not measured, its calls need not be asked for one by one: who makes one counts
  /// it.
  std::uint32_t& calls_left() { return calls_left_; }

  /// Around calls of measured rounds; seconds of a clock that ranks share.
  bool is_measured() const { return round_.kind == tune::Round::Kind::measure; }
  void arrived(double seconds);
  void departed(double seconds, bool refused, const pattern::Traffic& traffic);

  /// Is it time to look how far apart ranks are: after the first call, and after the last?
  bool wants_distance() const { return seen_.departures.size() == 1 || needs_round(); }
  void see_distance(double round_trip_ns);

  /// Instead of these, once a nonblocking call of the round has started.
  void started(bool refused, const pattern::Traffic& traffic);
  const tune::Round& round() const { return round_; }

  /// What ranks agree on after a measured round, and what comes of it. False where ranks have gone
  /// different ways.
  std::vector<double> to_maximize(double last_agreement_seconds) const;
  std::vector<double> to_sum() const;
  bool learn(const std::vector<double>& maxima, const std::vector<double>& sums, int ranks, int nodes);
  /// The same of nonblocking calls: what the round told, or nothing, and what to_maximize() has of all calls.
  bool learn_started(const std::optional<tune::RoundTimes>& times, std::span<const double> common,
                     const std::vector<double>& sums, int ranks);

  void add_candidates(std::span<const tune::PredictedCandidate> candidates, double seconds);

  tune::Learner& learner() { return learner_; }
  const tune::Learner& learner() const { return learner_; }
  const CallKind& kind() const { return kind_; }
  /// Of a unit, in the mean; of private sizes those that are not empty.
  std::int64_t bytes() const;
  /// To how many others a rank sends something, in the mean; 0: not known, as all have as much for all.
  double degree() const { return private_.degree; }
  /// Of private sizes: where the traffic of the last round belongs.
  pattern::TrafficClass traffic() const { return private_.traffic; }
  const pattern::Arrivals& arrivals() const { return arrivals_; }

private:
  enum Side : std::uint8_t { incumbent, candidate, sides };

  void add_choices();
  struct CallRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  CallRange counted(Side side) const;
  bool is_at_candidate() const { return calls_left_ < round_.candidate_calls; } ///< once the call is counted
  tune::LowerBounds lower_bounds(std::span<const double> work, int nodes) const;

  CallKind kind_;
  tune::Learner learner_;
  std::vector<std::unique_ptr<Choice>> choices_; ///< by trial; their addresses stay
  tune::Round round_;
  std::uint32_t calls_left_ = 0; ///< of the round
  CallSizes asked_;              ///< the calls that were asked for
  struct Seen {
    std::vector<double> arrivals;
    std::vector<double> departures;
    tune::Distances distances; ///< of this rank and its neighbor
  };
  Seen seen_;                       ///< in the round
  std::array<RowWork, sides> work_; ///< in the calls that count
  bool refused_ = false;            ///< the candidate, by this rank
  PrivateSizes private_;
  pattern::Arrivals arrivals_;
};

} // namespace thalweg::mpi
