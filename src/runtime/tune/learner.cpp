// SPDX-License-Identifier: BSD-3-Clause
#include "tune/learner.hpp"

#include "base/assertion.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::tune {

namespace {

using evidence::Decision;

constexpr std::size_t native = Trials::native;
// While it is settled, every so manieth look is one at native too.
constexpr std::uint32_t looks_per_confirmation = 8;

double all_of(std::span<const double> seconds, double lower_bound) {
  return std::max(std::accumulate(seconds.begin(), seconds.end(), 0.0),
                  lower_bound * static_cast<double>(seconds.size()));
}

} // namespace

Learner::Learner(const LearningLimits& limits, double ordering_seconds, std::string_view start, bool searched)
    : limits_(limits), trials_(start), lengths_(limits),
      search_({limits.patience, limits.batches, limits.wider}, ordering_seconds, searched),
      budget_(limits.budget, limits.exploration_budget), confirmed_(trials_.incumbent() == native),
      candidate_(trials_.incumbent()), comparison_(limits.worth) {}

Round Learner::next_round() {
  if (calls_ == 0)
    return run(lengths_.first_calls());
  if (state_ == State::counting) {
    if (lengths_.call_seconds() == 0)
      return measure(incumbent());
    if (const std::uint32_t calls = lengths_.calls_to_count(calls_); calls > 0)
      return run(calls);
    state_ = search_.has_result() ? State::confirming : State::searching;
  }
  switch (state_) {
  case State::searching:
    return next_trial();
  case State::confirming:
    return next_confirmation();
  default:
    return next_look();
  }
}

Round Learner::run(std::uint32_t calls) {
  round_ = {Round::Kind::run, calls, 0};
  calls_ += calls;
  budget_.add_time(calls * lengths_.call_seconds());
  return round_;
}

Round Learner::save_up(double cost) {
  return run(budget_.calls_until(cost, lengths_.call_seconds()));
}

Round Learner::measure(std::size_t candidate) {
  candidate_ = candidate;
  const bool is_fresh = trials_.is_fresh(candidate);
  const std::uint32_t calls = lengths_.calls(is_fresh);
  round_ = {Round::Kind::measure, calls, candidate == incumbent() ? 0 : calls, lengths_.settling(is_fresh)};
  return round_;
}

Round Learner::compare() {
  const double cost = lengths_.excess(trials_.expected_seconds(candidate_), trials_.is_fresh(candidate_));
  return budget_.affords(cost) ? measure(candidate_) : save_up(cost);
}

Round Learner::next_trial() {
  if (search_.wants_batch()) {
    if (!budget_.affords(search_.ordering_seconds()))
      return save_up(search_.ordering_seconds());
    round_ = {Round::Kind::order, 0, 0};
    return round_;
  }
  if (candidate_ == incumbent()) {
    const std::size_t next = search_.is_patient() ? trials_.next(limits_.hopeless) : incumbent();
    if (next == incumbent()) {
      state_ = State::confirming;
      return next_confirmation();
    }
    start_comparison(next);
  }
  return compare();
}

Round Learner::next_confirmation() {
  if (!confirmed_) {
    if (candidate_ == incumbent())
      start_comparison(native);
    return compare();
  }
  if (watch_.looks() == 0)
    watch_.begin();
  state_ = State::settled;
  if (search_.batches() > 0 || trials_[incumbent()].outcome != Outcome::began_with)
    trials_.set_outcome(incumbent(), Outcome::in_use);
  return next_look();
}

Round Learner::next_look() {
  if (round_.kind != Round::Kind::run)
    return run(watch_.calls_until_next());
  if (!budget_.affords(lengths_.agreement_seconds()))
    return save_up(lengths_.agreement_seconds());
  return measure(incumbent());
}

void Learner::start_comparison(std::size_t candidate) {
  THALWEG_ASSERT(light, candidate != incumbent());
  candidate_ = candidate;
  comparison_.begin();
  history_ = mixed_hash(history_, candidate + 1);
}

// Where calls were not measured yet, they are taken to be like the first that are. All that a round takes
// more than the incumbent would have is spent, transitions there and back too.
void Learner::measured(std::span<const double> seconds, double overhead_seconds, bool refused,
                       const LowerBounds& bounds, const Periods& periods, const Distances& distances) {
  THALWEG_ASSERT(light, round_.kind == Round::Kind::measure);
  const std::uint32_t calls = round_.incumbent_calls + round_.candidate_calls;
  THALWEG_ASSERT(light, seconds.empty() || seconds.size() == calls);
  if (seconds.empty()) {
    budget_.spend(overhead_seconds);
    calls_ += calls;
    return;
  }
  const auto of_incumbent = seconds.first(round_.incumbent_calls);
  const auto of_candidate = seconds.subspan(round_.incumbent_calls);
  const double own = std::max(evidence::typical(round_.counted(of_incumbent)), bounds.incumbent);
  const double all = all_of(of_incumbent, bounds.incumbent) + all_of(of_candidate, bounds.candidate);
  const double overhead = overhead_seconds > 0 ? overhead_seconds : limits_.agreement_seconds;
  if (lengths_.call_seconds() == 0)
    budget_.add_time(static_cast<double>(calls_) * own);
  budget_.add_time(all);
  if (candidate_ != incumbent())
    budget_.spend(all - static_cast<double>(seconds.size()) * own);
  budget_.spend(overhead);
  calls_ += seconds.size();
  lengths_.set_agreement(overhead);
  lengths_.set_call(own);
  const Comparison::Cores cores = comparison_.see(distances);
  if (cores == Comparison::Cores::moved_meanwhile)
    return;
  if (cores == Comparison::Cores::moved_before && watch_.looks() > 0)
    watch_.begin();
  trials_.add_round(incumbent(), own);
  if (candidate_ == incumbent()) {
    if (state_ == State::settled)
      look(own);
    return;
  }
  if (refused) {
    trials_.set_outcome(candidate_, Outcome::cannot_do_it);
    candidate_ = incumbent();
    return;
  }
  const double other = std::max(evidence::typical(round_.counted(of_candidate)), bounds.candidate);
  const bool is_first_look = !trials_.is_fresh(candidate_);
  trials_.add_round(candidate_, other);
  judge(comparison_.add(own, other, is_first_look, periods));
}

void Learner::judge(const Comparison::Verdict& verdict) {
  history_ = mixed_hash(history_, static_cast<std::uint64_t>(verdict.decision) + 1);
  if (verdict.decision == Decision::open) {
    trials_.set_outcome(candidate_, Outcome::being_tried);
    return;
  }
  if (verdict.decision == Decision::surely_faster) {
    adopt();
    return;
  }
  trials_.set_outcome(candidate_, verdict.is_far_slower ? Outcome::much_slower : Outcome::not_faster);
  if (candidate_ == native)
    confirmed_ = true;
  else
    search_.miss();
  candidate_ = incumbent();
}

// A pick that held once and now loses to native says that the calls have changed.
void Learner::adopt() {
  const bool held = search_.has_result() || watch_.looks() > 0;
  confirmed_ = incumbent() == native || candidate_ == native;
  trials_.adopt(candidate_);
  lengths_.set_call(trials_[candidate_].seconds);
  search_.gain();
  watch_ = LevelWatch();
  if (incumbent() == native && held && search_.may_begin_anew(calls_))
    search_again();
}

// The level, and now and then native again; and more candidates, once they can be paid for.
void Learner::look(double seconds) {
  if (watch_.changed(seconds) && search_.may_begin_anew(calls_)) {
    search_again();
  } else if (search_.may_widen() && budget_.affords(search_.ordering_seconds())) {
    search_.widen();
    state_ = State::searching;
  } else if (incumbent() != native && watch_.looks() % looks_per_confirmation == 0) {
    confirmed_ = false;
    state_ = State::confirming;
  }
}

void Learner::search_again() {
  search_.begin_anew(calls_);
  state_ = State::searching;
  watch_ = LevelWatch();
  trials_.begin_search();
  confirmed_ = incumbent() == native;
}

void Learner::add_candidates(std::span<const PredictedCandidate> candidates, double overhead_seconds) {
  search_.add_batch(overhead_seconds);
  budget_.spend(overhead_seconds);
  trials_.add(candidates);
}

} // namespace thalweg::tune
