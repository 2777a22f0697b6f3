// SPDX-License-Identifier: BSD-3-Clause
#include "team/learning.hpp"

#include "base/assertion.hpp"
#include "job/library/group_knowledge.hpp"
#include "job/library/mpi_library.hpp"
#include "job/mpi/operator.hpp"
#include "strategies/selection.hpp"
#include "team/plans.hpp"
#include "tune/candidates.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace thalweg::teams {

namespace {

// A guess, until it was done once.
constexpr double ordering_seconds_per_rank = 1e-4;
// More kinds of calls than this in a team are left alone.
constexpr std::size_t max_kinds = 64;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

const char* variable(const char* name, const char* fallback) {
  const char* const value = std::getenv(name);
  return value == nullptr ? fallback : value;
}

// A budget of all the time is none: nothing need be waited for (as in tests).
tune::LearningLimits limits(const job::Group& group, tune::ExplorationBudget& budget) {
  constexpr double all = 100;
  constexpr double message = 5e-6;
  const bool takes_longer = group.node_count() > 1 || group.placement().oversubscribed;
  tune::LearningLimits limits;
  limits.batches = 2; // strategies with their default parameters, then with others
  const double percent = std::strtod(variable("THALWEG_LEARN_BUDGET", "2"), nullptr);
  limits.budget = percent / all;
  limits.exploration_budget = &budget;
  limits.min_seconds = takes_longer ? 1e-6 : 1e-7;
  limits.agreement_seconds =
      message * (1 + std::bit_width(static_cast<unsigned>(group.ranks() - 1))) * (takes_longer ? 4 : 1);
  if (percent >= all) {
    limits.budget = std::numeric_limits<double>::infinity();
    limits.exploration_budget = nullptr;
    limits.min_seconds = 0;
    limits.first_calls = 2;
    limits.calls_seen = 0;
  }
  return limits;
}

// Do all ranks wait for all others in such a call?
bool meets(const TeamCall& call) {
  using schedule::Operation;
  const bool is_of_all = call.operation == Operation::barrier || call.operation == Operation::allreduce ||
                         call.operation == Operation::allgather || call.operation == Operation::alltoall ||
                         call.operation == Operation::reduce_scatter;
  return call.after == thalweg_sync_all || (is_of_all && call.after == thalweg_sync_mine);
}

// Does every strategy give the same result to the last bit? Of whole numbers in C's types. Sums of short
// ones may be saturated in some places.
bool is_exact(const TeamCall& call) {
  if (!schedule::is_reduction(call.operation))
    return true;
  const job::PredefinedOperators& known = job::library_operators();
  const auto of = [](const auto& pairs, const auto& handle) {
    return std::ranges::find_if(pairs, [&](const auto& pair) { return pair.first == handle; });
  };
  const auto type = of(known.types, call.type);
  return of(known.operators, call.op) != known.operators.end() && type != known.types.end() &&
         type->second != engine::Number::float32 && type->second != engine::Number::float64 &&
         call.element_bytes >= sizeof(std::int32_t);
}

double half(std::uint64_t word, int which) {
  return static_cast<double>(which == 0 ? word >> 32U : word & UINT32_MAX);
}

// Behind the figures of calls: two halves of the history, each from both sides, and the agreement's time.
constexpr std::size_t common_figures = 5;

} // namespace

LearnedCalls::LearnedCalls(const tune::LearningLimits& limits, double ordering_seconds, bool is_known)
    : learner_(limits, ordering_seconds, "", is_known) {
  trials_.push_back(nullptr);
}

const Learned* LearnedCalls::next() {
  THALWEG_ASSERT(light, calls_left_ > 0);
  --calls_left_;
  const bool is_at_candidate = calls_left_ < round_.candidate_calls;
  return trials_[is_at_candidate ? learner_.candidate() : learner_.incumbent()].get();
}

// On one node, whose ranks share a clock, when each call began and ended. Elsewhere the time from the end of
// one call to that of the next, with what the program does between.
std::vector<double> LearnedCalls::figures(bool is_on_one_node) const {
  std::vector<double> row;
  if (is_on_one_node) {
    row = arrivals_;
    row.insert(row.end(), departures_.begin(), departures_.end());
  } else {
    for (std::size_t call = 0; call < departures_.size(); ++call)
      row.push_back(departures_[call] - (call == 0 ? arrivals_[call] : departures_[call - 1]));
  }
  for (const int which : {0, 1}) {
    row.push_back(half(learner_.history(), which));
    row.push_back(-half(learner_.history(), which));
  }
  // Who came last did not wait for others: what the agreement took him is what it takes.
  row.push_back(-agreement_seconds_);
  return row;
}

bool LearnedCalls::agree(const Maximize& maximize, bool is_on_one_node) {
  THALWEG_ASSERT(light, departures_.size() == arrivals_.size() && has_round_ended());
  std::vector<double> row = figures(is_on_one_node);
  const double begin = now_seconds();
  maximize(row);
  agreement_seconds_ = now_seconds() - begin;
  const std::span<const double> common = std::span(row).last(common_figures);
  if (common[0] != -common[1] || common[2] != -common[3])
    return false;
  const std::size_t calls = departures_.size();
  std::vector<double> seconds(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(calls));
  if (is_on_one_node)
    for (std::size_t call = 0; call < calls; ++call)
      seconds[call] = std::max(row[calls + call] - row[call], 0.0);
  learner_.measured(seconds, -common[4], false);
  return true;
}

void LearnedCalls::open(const std::function<void(LearnedCalls&)>& order) {
  round_ = learner_.next_round();
  while (round_.kind == tune::Round::Kind::order) {
    order(*this);
    round_ = learner_.next_round();
  }
  calls_left_ = round_.incumbent_calls + round_.candidate_calls;
  arrivals_.clear();
  departures_.clear();
}

void LearnedCalls::add_candidates(std::span<const tune::PredictedCandidate> candidates,
                                  const strategies::Call& call, double seconds) {
  learner_.add_candidates(candidates, seconds);
  while (trials_.size() < learner_.trials().size()) {
    const strategies::Implementation found =
        strategies::parse_implementation(learner_.trials()[trials_.size()].text, call);
    trials_.push_back(std::make_unique<Learned>(
        Learned{std::get<strategies::Scheduled>(found), static_cast<std::int64_t>(trials_.size())}));
  }
}

Learning::Learning(const job::Group& group, Plans& plans, Maximize maximize)
    : group_(group), plans_(plans), maximize_(std::move(maximize)),
      is_on_(job::may_learn() && group.ranks() > 1),
      takes_all_(std::string_view(variable("THALWEG_LEARN", "")) == "all") {}

LearnedCalls& Learning::calls_of(const Kind& kind, const TeamCall& call, bool commutes) {
  std::unique_ptr<LearnedCalls>& calls = known_[kind];
  if (!calls)
    calls =
        std::make_unique<LearnedCalls>(limits(group_, budget_), ordering_seconds_per_rank * group_.ranks(),
                                       plans_.is_tuned(plans_.problem_of(call, commutes), call.mode()));
  return *calls;
}

const Learned* Learning::choose(const TeamCall& call, bool commutes) {
  under_way_ = nullptr;
  if (!is_on_ || !meets(call) || !(takes_all_ || is_exact(call)))
    return nullptr;
  const Kind kind{call.operation, call.mode().number(), static_cast<int>(std::bit_width(call.unit_bytes())),
                  commutes};
  if ((known_.size() == max_kinds && !known_.contains(kind)) || plans_.is_selected(call.operation))
    return nullptr;
  LearnedCalls& calls = calls_of(kind, call, commutes);
  calls.add_bytes(call.unit_bytes());
  if (calls.has_round_ended()) [[unlikely]]
    calls.open([&](LearnedCalls& of) { order(of, call, commutes); });
  under_way_ = &calls;
  const Learned* const next = calls.next();
  if (calls.is_measured()) [[unlikely]]
    calls.arrived(now_seconds());
  return next;
}

void Learning::ended() {
  LearnedCalls* const calls = std::exchange(under_way_, nullptr);
  if (calls == nullptr || !calls->is_measured()) [[likely]]
    return;
  calls->departed(now_seconds());
  if (calls->has_round_ended() && !calls->agree(maximize_, group_.node_count() == 1))
    stop();
}

void Learning::forget() {
  known_.clear();
  budget_ = {};
}

// All of them take long to predict; the default ones have most of the gain. All ranks find the same, each for
// itself, and agree on the longest time that it took.
void Learning::order(LearnedCalls& calls, const TeamCall& call, bool commutes) const {
  double begin = now_seconds();
  const schedule::Problem problem = plans_.problem_of(call, commutes);
  const tune::Breadth breadth = calls.learner().batches() == 0 ? tune::Breadth::defaults : tune::Breadth::all;
  const tune::Case wanted = plans_.model_case(problem, call.mode());
  const std::string usual = strategies::to_text(plans_.choose(problem, call.mode()).scheduled);
  std::vector<tune::PredictedCandidate> found;
  for (const tune::Candidate& one : tune::candidates(wanted, plans_.knowledge().machine.machine, breadth))
    if (Plans::can_run(one.scheduled, problem))
      found.push_back({one.text == usual ? "native" : one.text, one.prediction.seconds});
  double seconds = now_seconds() - begin;
  maximize_({&seconds, 1});
  calls.add_candidates(found, *wanted.call, seconds);
}

void Learning::keep() const {
  tune::Tuning tuning{plans_.knowledge().fingerprint, {}};
  for (const auto& [kind, calls] : known_) {
    const tune::Learner& learner = calls->learner();
    const tune::Trial& pick = learner.trials()[learner.incumbent()];
    if (learner.incumbent() == tune::Trials::native || pick.rounds == 0)
      continue;
    const strategies::Call& call = *strategies::find_call(schedule::name(kind.operation));
    tuning.of_teams.push_back(
        {.call = std::string(call.name),
         .ranks = group_.ranks(),
         .nodes = group_.node_count(),
         .bytes = calls->bytes(),
         .use = strategies::parse_implementation(pick.text, call),
         .seconds = pick.seconds,
         .native_seconds = learner.trials()[tune::Trials::native].seconds,
         .trials = static_cast<std::int32_t>(pick.rounds),
         .source = std::string(tune::online_source) + (learner.has_searched() ? "" : ", unfinished"),
         .mode = std::string(tune::modes[kind.mode])});
  }
  job::keep_found(group_, "a team", tuning);
}

} // namespace thalweg::teams
