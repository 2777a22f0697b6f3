// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/tuning_context.hpp"

#include "base/assertion.hpp"
#include "mpi/call/operation_shape.hpp"
#include "mpi/call/operators.hpp"
#include "mpi/call/sides.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "mpi/observe/stopwatch.hpp"
#include "mpi/state/runtime.hpp"
#include "pattern/traffic.hpp"
#include "strategies/degree.hpp"

#include <algorithm>
#include <limits>

namespace thalweg::mpi {

std::optional<CallKind> kind_of(const CollectiveCall& call, CommunicatorState& communicator) {
  const Operation operation = call.function->operation;
  const Mode mode = call.function->mode;
  const bool is_served = mode == Mode::blocking || runtime.learns_nonblocking;
  if (!is_served || !communicator.agreed || communicator.inter || communicator.size == 1)
    return std::nullopt;
  CallKind kind{
      .operation = operation, .blocks = mode == Mode::blocking, .is_persistent = mode == Mode::persistent};
  if (is_reduction(operation)) {
    if (call.op == MPI_OP_NULL)
      return std::nullopt;
    kind.commutative = is_commutative(call.op);
    kind.exact = is_exact(call);
  }
  kind.is_private = !operation_shape(operation).are_sizes_agreed;
  kind.bytes = kind.is_private ? -1 : agreed_unit_bytes(call, communicator);
  kind.size = pattern::size_class(kind.bytes);
  return kind;
}

pattern::Traffic traffic_of(const CollectiveCall& call, CommunicatorState& communicator) {
  pattern::Traffic traffic;
  if (is_among_neighbors(call.function->operation)) {
    const CallRanks ranks = ranks_of(call.function->operation, communicator);
    const Side gives = given_arguments(call, ranks);
    const bool is_one_for_all =
        operation_shape(call.function->operation).gives.blocks == SideShape::Blocks::one;
    for (int block = 0; block < ranks.destinations; ++block) {
      const std::uint64_t bytes = gives.bytes_of(is_one_for_all ? 0 : block);
      traffic += {bytes > 0 ? 1 : 0, static_cast<std::int64_t>(bytes)};
    }
    return traffic;
  }
  visit_given_blocks(call, ranks_of(call.function->operation, communicator), [&](int, std::uint64_t bytes) {
    traffic += {bytes > 0 ? 1 : 0, static_cast<std::int64_t>(bytes)};
  });
  return traffic;
}

namespace {

constexpr const char* best_so_far = "best by learning";

// A guess, until it was done once.
constexpr double ordering_seconds_per_rank = 1e-4;

// What a call surely takes: messages between nodes a microsecond at least, ranks that share a core a change
// of its process, and bytes the fastest memory's time.
double min_seconds(const CallKind& kind, int nodes) {
  constexpr double inside_of_node = 1e-7;
  constexpr double elsewhere = 1e-6;
  constexpr double bytes_per_second = 5e10;
  const bool takes_longer = nodes > 1 || runtime.world.placement.oversubscribed;
  return (takes_longer ? elsewhere : inside_of_node) +
         static_cast<double>(std::max<std::int64_t>(kind.bytes, 0)) / bytes_per_second;
}

// A budget of all the time is none: nothing need be waited for (as in tests).
tune::LearningLimits limits(const CallKind& kind, const Circumstances& around,
                            tune::ExplorationBudget& exploration_budget) {
  constexpr std::uint32_t all = 100;
  tune::LearningLimits limits;
  limits.batches = 2; // strategies with their default parameters, then with others
  limits.budget = runtime.settings.learn_budget_percent / 100.0;
  limits.exploration_budget = &exploration_budget;
  limits.min_seconds = min_seconds(kind, around.nodes);
  limits.agreement_seconds = around.agreement_seconds;
  limits.ready_seconds = around.ready_seconds;
  if (runtime.settings.learn_budget_percent == all) {
    limits.budget = std::numeric_limits<double>::infinity();
    limits.exploration_budget = nullptr;
    limits.min_seconds = 0;
    limits.first_calls = 2;
    limits.calls_seen = 0;
  }
  return limits;
}

double processor_seconds() {
  return 1e-9 * static_cast<double>(observe::thread_cpu_ns());
}

double half(std::uint64_t word, int which) {
  return static_cast<double>(which == 0 ? word >> 32U : word & UINT32_MAX);
}

} // namespace

TuningContext::TuningContext(const CallKind& kind, const Choice* start, bool searched,
                             const Circumstances& around, tune::ExplorationBudget& exploration_budget)
    : kind_(kind),
      learner_(limits(kind, around, exploration_budget), ordering_seconds_per_rank * around.ranks,
               start == nullptr ? "" : start->text, searched) {
  private_.has_degree = strategies::has_degree(*strategies::find_call(call_name(kind.operation)));
  choices_.push_back(std::make_unique<Choice>());
  if (start != nullptr && strategies::is_native(start->implementation))
    *choices_.front() = *start;
  add_choices();
}

void TuningContext::add_choices() {
  const strategies::Call& call = *strategies::find_call(call_name(kind_.operation));
  const auto& trials = learner_.trials();
  while (choices_.size() < trials.size())
    choices_.push_back(std::make_unique<Choice>(
        make_choice(strategies::parse_implementation(trials[choices_.size()].text, call), best_so_far)));
}

void TuningContext::open(const tune::Round& round) {
  THALWEG_ASSERT(light, calls_left_ == 0);
  round_ = round;
  calls_left_ = round.incumbent_calls + round.candidate_calls;
  refused_ = false;
  work_ = {};
  private_.seen = {};
  seen_ = {};
  if (learner_.has_searched())
    choices_.front()->reason = best_so_far;
}

// Those after the transitions there, but for the last one (tune::Round::counted).
TuningContext::CallRange TuningContext::counted(Side side) const {
  const std::uint32_t first = side == incumbent ? 0 : round_.incumbent_calls;
  const std::uint32_t calls = side == incumbent ? round_.incumbent_calls : round_.candidate_calls;
  return calls == 0 ? CallRange{} : CallRange{first + round_.settling, first + calls - 1};
}

void TuningContext::arrived(double seconds) {
  THALWEG_ASSERT(light, is_measured());
  const Side side = seen_.arrivals.size() < round_.incumbent_calls ? incumbent : candidate;
  if (runtime.world.placement.oversubscribed && seen_.arrivals.size() == counted(side).begin)
    work_[side].begin(processor_seconds());
  work_[side].arrived(seconds);
  seen_.arrivals.push_back(seconds);
}

void TuningContext::departed(double seconds, bool refused, const pattern::Traffic& traffic) {
  THALWEG_ASSERT(light, seen_.departures.size() + 1 == seen_.arrivals.size());
  const Side side = seen_.departures.size() < round_.incumbent_calls ? incumbent : candidate;
  work_[side].departed(seconds);
  seen_.departures.push_back(seconds);
  if (runtime.world.placement.oversubscribed && seen_.departures.size() == counted(side).end)
    work_[side].end(processor_seconds());
  // Where what is in use cannot do the calls, native has run: that says nothing of the candidate.
  refused_ = refused_ || (refused && is_at_candidate());
  private_.seen += traffic;
}

void TuningContext::see_distance(double round_trip_ns) {
  (needs_round() ? seen_.distances.end : seen_.distances.begin) = round_trip_ns;
}

void TuningContext::started(bool refused, const pattern::Traffic& traffic) {
  THALWEG_ASSERT(light, is_measured());
  refused_ = refused_ || (refused && is_at_candidate());
  private_.seen += traffic;
}

// Last arrivals, last departures, first arrivals (the largest of their negatives); then what must be equal on
// all ranks, from both sides.
std::vector<double> TuningContext::to_maximize(double last_agreement_seconds) const {
  std::vector<double> row = seen_.arrivals;
  row.insert(row.end(), seen_.departures.begin(), seen_.departures.end());
  for (const double seconds : seen_.arrivals)
    row.push_back(-seconds);
  const std::uint64_t history = learner_.history();
  for (const int which : {0, 1}) {
    row.push_back(half(history, which));
    row.push_back(-half(history, which));
  }
  row.push_back(refused_ ? 1 : 0);
  // Who came last did not wait for others: what the agreement took him is what it takes.
  row.push_back(-last_agreement_seconds);
  row.push_back(seen_.distances.begin);
  row.push_back(seen_.distances.end);
  return row;
}

// What is known of private sizes, then what processors did.
std::vector<double> TuningContext::to_sum() const {
  std::vector<double> row;
  if (kind_.is_private)
    row = private_.to_sum();
  if (runtime.world.placement.oversubscribed)
    for (const RowWork& work : work_)
      row.push_back(work.seconds());
  return row;
}

// Of a call, from what all ranks worked in those that count.
tune::LowerBounds TuningContext::lower_bounds(std::span<const double> work, int nodes) const {
  const auto of = [&](Side side) {
    const CallRange calls = counted(side);
    return calls.end == calls.begin ? 0
                                    : work[side] / ((calls.end - calls.begin) *
                                                    runtime.world.placement.oversubscribed_cores * nodes);
  };
  return {of(incumbent), of(candidate)};
}

namespace {

// Have all ranks the same history?
bool went_one_way(std::span<const double> common) {
  return common[0] == -common[1] && common[2] == -common[3];
}

} // namespace

std::vector<double> PrivateSizes::to_sum() const {
  return {static_cast<double>(seen.messages), static_cast<double>(seen.bytes)};
}

void PrivateSizes::learn(std::span<const double> sums, std::size_t calls, int ranks) {
  const pattern::Traffic all{static_cast<std::int64_t>(sums[0]), static_cast<std::int64_t>(sums[1])};
  traffic = pattern::traffic_class(all, static_cast<std::int64_t>(calls), ranks);
  bytes = pattern::bytes_per_message(all);
  degree = has_degree ? pattern::degree(all, static_cast<std::int64_t>(calls), ranks) : 0;
}

bool TuningContext::learn_started(const std::optional<tune::RoundTimes>& times,
                                  std::span<const double> common, const std::vector<double>& sums,
                                  int ranks) {
  THALWEG_ASSERT(light, common.size() == common_figures && is_measured());
  if (!went_one_way(common))
    return false;
  if (kind_.is_private)
    private_.learn(sums, round_.incumbent_calls + round_.candidate_calls, ranks);
  const tune::RoundTimes known = times.value_or(tune::RoundTimes{});
  for (const double seconds : known.seconds)
    arrivals_.add({0, 0, seconds});
  learner_.measured(known.seconds, -common[5], common[4] > 0, {}, known.periods, {common[6], common[7]});
  return true;
}

bool TuningContext::learn(const std::vector<double>& maxima, const std::vector<double>& sums, int ranks,
                          int nodes) {
  const std::size_t calls = seen_.arrivals.size();
  THALWEG_ASSERT(light, calls == round_.incumbent_calls + round_.candidate_calls &&
                            maxima.size() == 3 * calls + common_figures);
  THALWEG_ASSERT(light,
                 sums.size() == (kind_.is_private ? 2U : 0U) +
                                    (runtime.world.placement.oversubscribed ? std::size_t{sides} : 0U));
  const std::span<const double> common = std::span(maxima).last(common_figures);
  if (!went_one_way(common))
    return false;
  std::vector<double> seconds;
  for (std::size_t call = 0; call < calls; ++call) {
    const pattern::Visit visit{-maxima[2 * calls + call], maxima[call], maxima[calls + call]};
    arrivals_.add(visit);
    seconds.push_back(visit.transfer());
  }
  if (kind_.is_private)
    private_.learn(sums, calls, ranks);
  tune::LowerBounds bounds;
  if (runtime.world.placement.oversubscribed)
    bounds = lower_bounds(std::span(sums).last(sides), nodes);
  learner_.measured(seconds, -common[5], common[4] > 0, bounds, {}, {common[6], common[7]});
  return true;
}

void TuningContext::add_candidates(std::span<const tune::PredictedCandidate> candidates, double seconds) {
  learner_.add_candidates(candidates, seconds);
  add_choices();
}

std::int64_t TuningContext::bytes() const {
  return kind_.is_private ? private_.bytes : asked_.mean();
}

} // namespace thalweg::mpi
