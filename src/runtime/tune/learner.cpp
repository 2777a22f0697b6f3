// SPDX-License-Identifier: BSD-3-Clause
#include "tune/learner.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace thalweg::tune {

namespace {

using evidence::Decision;

constexpr std::size_t native = 0;
// Measured calls in a row are about so long together, or so many times what agreeing on them takes, and
// neither too few for a median nor too many to lose. Where ranks share cores, it takes tens of short calls
// until they have fallen into step with a strategy.
constexpr double row_seconds = 1.5e-3;
constexpr double row_per_overhead = 4;
constexpr double min_in_row = 3;
constexpr double max_in_row = 64;
// For so long after a change calls take longer than they will.
constexpr double settling_seconds = 2e-4;
constexpr double max_settling = 16;
// What was never tried is first looked at in fewer calls, which also warm up what it needs.
constexpr std::uint32_t first_look = 4; // times fewer
constexpr double hopeless_at_first_look = 3;
// Of calls in a round that nothing is known of yet.
constexpr std::uint32_t first_row = 4;
// However little is known, something is measured then.
constexpr double max_first_calls = 1 << 17;
// What a candidate that was never used takes once: its schedule and plan are made.
constexpr double first_use_seconds = 5e-5;
// The rounds that a candidate's time is the median of.
constexpr std::size_t rounds_kept = 9;
// While it is settled, every so manieth look is one at native too.
constexpr std::uint32_t looks_per_confirmation = 8;
constexpr std::uint64_t calls_between_searches = 512;

double all_of(std::span<const double> seconds, double lower_bound) {
  return std::max(std::accumulate(seconds.begin(), seconds.end(), 0.0),
                  lower_bound * static_cast<double>(seconds.size()));
}

} // namespace

Learner::Learner(const LearningLimits& limits, double ordering_seconds, std::string_view start, bool searched)
    : limits_(limits), searched_(searched), test_(limits.worth),
      round_overhead_seconds_(limits.agreement_seconds), ordering_seconds_(ordering_seconds),
      budget_(limits.budget, limits.exploration_budget) {
  trials_.push_back({.text = "native"});
  if (!start.empty() && start != "native") {
    trials_.push_back({.text = std::string(start), .outcome = Outcome::began_with});
    incumbent_ = candidate_ = 1;
  }
  times_.resize(trials_.size());
  confirmed_ = incumbent_ == native;
}

Round Learner::next_round() {
  if (calls_ == 0)
    return run(first_calls());
  if (state_ == State::counting) {
    if (incumbent_seconds_ == 0)
      return measure(incumbent_);
    if (const std::uint32_t calls = calls_to_count(); calls > 0)
      return run(calls);
    state_ = searched_ ? State::confirming : State::searching;
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
  budget_.add_time(calls * incumbent_seconds_);
  return round_;
}

// So many that they pay for the first agreement.
std::uint32_t Learner::first_calls() const {
  if (limits_.min_seconds <= 0)
    return limits_.first_calls;
  const double cost = limits_.ready_seconds + limits_.agreement_seconds;
  const double paid = std::ceil(cost / (limits_.budget * limits_.min_seconds));
  return static_cast<std::uint32_t>(
      std::clamp(paid, static_cast<double>(limits_.first_calls), max_first_calls));
}

// What was not called for long will perhaps not be called for long.
std::uint32_t Learner::calls_to_count() const {
  const double wanted =
      std::min<double>(limits_.calls_seen, std::ceil(limits_.seconds_seen / incumbent_seconds_));
  return static_cast<std::uint32_t>(std::max(0.0, wanted - static_cast<double>(calls_)));
}

// Where calls were not measured yet, they are taken to be like the first that are. All that a round takes
// more than the incumbent would have is spent, transitions there and back too.
void Learner::account(double all, double calls, double own, double overhead) {
  if (incumbent_seconds_ == 0)
    budget_.add_time(static_cast<double>(calls_) * own);
  budget_.add_time(all);
  if (candidate_ != incumbent_)
    budget_.spend(all - calls * own);
  budget_.spend(overhead);
  round_overhead_seconds_ = overhead;
}

Round Learner::measure(std::size_t candidate) {
  candidate_ = candidate;
  const std::uint32_t settle = settling(candidate);
  const std::uint32_t calls = settle + row(candidate) + 1;
  round_ = {Round::Kind::measure, calls, candidate == incumbent_ ? 0 : calls, settle};
  return round_;
}

std::uint32_t Learner::settling(std::size_t candidate) const {
  if (incumbent_seconds_ == 0 || !is_fresh(candidate))
    return 1;
  return static_cast<std::uint32_t>(std::clamp(settling_seconds / incumbent_seconds_, 1.0, max_settling));
}

std::uint32_t Learner::row(std::size_t candidate) const {
  if (incumbent_seconds_ == 0)
    return first_row;
  double wanted = std::max(row_seconds, row_per_overhead * round_overhead_seconds_) / incumbent_seconds_;
  wanted = std::min(wanted, max_in_row);
  if (!is_fresh(candidate))
    wanted /= first_look;
  return static_cast<std::uint32_t>(std::max(wanted, min_in_row));
}

Round Learner::save_up(double cost) {
  return run(budget_.calls_until(cost, incumbent_seconds_));
}

// What a round with that candidate will cost: as far as is known from its own rounds, else from the model,
// which is held against the best candidate that was measured.
double Learner::expected_excess(std::size_t candidate) const {
  double expected = trials_[candidate].seconds;
  double once = 0;
  if (!is_fresh(candidate)) {
    once = first_use_seconds;
    double best_ratio = 0;
    for (std::size_t other = 0; other < trials_.size(); ++other) {
      if (!is_fresh(other) || trials_[other].predicted <= 0)
        continue;
      const double ratio = trials_[other].seconds / trials_[other].predicted;
      if (best_ratio == 0 || ratio < best_ratio)
        best_ratio = ratio;
    }
    expected = best_ratio * trials_[candidate].predicted;
  }
  return round_overhead_seconds_ + once +
         (settling(candidate) + row(candidate) + 1) * std::max(0.0, expected - incumbent_seconds_);
}

bool Learner::is_hopeless(std::size_t candidate) const {
  double best = 0;
  for (std::size_t other = 0; other < trials_.size(); ++other)
    if (is_fresh(other) && trials_[other].predicted > 0 && (best == 0 || trials_[other].predicted < best))
      best = trials_[other].predicted;
  return best > 0 && trials_[candidate].predicted > limits_.hopeless * best;
}

bool Learner::is_open(std::size_t candidate) const {
  const Outcome outcome = trials_[candidate].outcome;
  return outcome == Outcome::not_tried || outcome == Outcome::tried_before_change;
}

// Has one of which the model expects the same been tried in vain? It is probably much the same.
bool Learner::resembles_a_loser(std::size_t candidate) const {
  constexpr double alike = 1.01;
  const double predicted = trials_[candidate].predicted;
  for (std::size_t index = 0; index < trials_.size(); ++index) {
    const Trial& other = trials_[index];
    if (is_fresh(index) && other.outcome != Outcome::in_use && other.predicted > 0 &&
        std::max(other.predicted, predicted) <= alike * std::min(other.predicted, predicted))
      return true;
  }
  return false;
}

// The next by the model, or the incumbent when the search has ended. Patience is not for the like of losers:
// they come last.
std::size_t Learner::next_candidate() const {
  std::size_t next = incumbent_;
  if (without_gain_ >= limits_.patience)
    return next;
  for (std::size_t candidate = 1; candidate < trials_.size(); ++candidate) {
    if (candidate == incumbent_ || !is_open(candidate) || is_hopeless(candidate))
      continue;
    if (!resembles_a_loser(candidate))
      return candidate;
    if (next == incumbent_)
      next = candidate;
  }
  return next;
}

Round Learner::next_trial() {
  if (batches_ == 0 || wants_more_) {
    if (!budget_.affords(ordering_seconds_))
      return save_up(ordering_seconds_);
    round_ = {Round::Kind::order, 0, 0};
    return round_;
  }
  if (candidate_ == incumbent_) {
    const std::size_t next = next_candidate();
    if (next == incumbent_) {
      state_ = State::confirming;
      return next_confirmation();
    }
    start_comparison(next);
  }
  const double cost = expected_excess(candidate_);
  return budget_.affords(cost) ? measure(candidate_) : save_up(cost);
}

Round Learner::next_confirmation() {
  if (confirmed_) {
    settle();
    return next_look();
  }
  if (candidate_ == incumbent_)
    start_comparison(native);
  const double cost = expected_excess(candidate_);
  return budget_.affords(cost) ? measure(candidate_) : save_up(cost);
}

Round Learner::next_look() {
  if (round_.kind != Round::Kind::run)
    return run(watch_.calls_until_next());
  if (!budget_.affords(round_overhead_seconds_))
    return save_up(round_overhead_seconds_);
  return measure(incumbent_);
}

void Learner::start_comparison(std::size_t candidate) {
  candidate_ = candidate;
  test_ = evidence::SequentialTest(limits_.worth);
  note(candidate);
}

void Learner::add_round(std::size_t trial, double seconds) {
  std::vector<double>& times = times_[trial];
  if (times.empty())
    trials_[trial].rounds = 0;
  if (times.size() == rounds_kept)
    times.erase(times.begin());
  times.push_back(seconds);
  trials_[trial].seconds = evidence::median(times);
  ++trials_[trial].rounds;
}

// Without those in which ranks were at something else too: what was before, and what comes next.
std::span<const double> Learner::counted(std::span<const double> seconds) const {
  const std::span<const double> settled = seconds.subspan(round_.settling);
  return settled.first(std::max<std::size_t>(settled.size() - 1, 1));
}

void Learner::measured(std::span<const double> seconds, double overhead_seconds, bool refused,
                       const LowerBounds& bounds) {
  const auto of_incumbent = seconds.first(round_.incumbent_calls);
  const auto of_candidate = seconds.subspan(round_.incumbent_calls);
  const double own = std::max(evidence::typical(counted(of_incumbent)), bounds.incumbent);
  account(all_of(of_incumbent, bounds.incumbent) + all_of(of_candidate, bounds.candidate),
          static_cast<double>(seconds.size()), own,
          overhead_seconds > 0 ? overhead_seconds : limits_.agreement_seconds);
  calls_ += seconds.size();
  incumbent_seconds_ = own;
  add_round(incumbent_, own);
  if (candidate_ == incumbent_) {
    if (state_ == State::settled)
      look(own);
    return;
  }
  if (refused) {
    trials_[candidate_].outcome = Outcome::cannot_do_it;
    candidate_ = incumbent_;
    return;
  }
  const double other = std::max(evidence::typical(counted(of_candidate)), bounds.candidate);
  const bool is_first_look = !is_fresh(candidate_);
  add_round(candidate_, other);
  // A first look warms up, so only what is very fast all the same is told by it.
  if (!is_first_look || own >= evidence::Limits::decisive * other)
    test_.add(own, other);
  if (is_first_look && other > hopeless_at_first_look * own)
    judge(Decision::surely_not, true);
  else
    judge(test_.decision(), test_.is_far_slower());
}

void Learner::judge(Decision decision, bool is_far_slower) {
  Trial& trial = trials_[candidate_];
  note(static_cast<std::uint64_t>(decision));
  if (decision == Decision::open) {
    trial.outcome = Outcome::being_tried;
    return;
  }
  if (decision == Decision::surely_faster) {
    adopt();
    return;
  }
  trial.outcome = is_far_slower ? Outcome::much_slower : Outcome::not_faster;
  if (candidate_ == native)
    confirmed_ = true;
  else
    ++without_gain_;
  candidate_ = incumbent_;
}

// A pick that held once and now loses to native says that the calls have changed.
void Learner::adopt() {
  const bool held = searched_ || watch_.looks() > 0;
  trials_[incumbent_].outcome = Outcome::outdone;
  confirmed_ = incumbent_ == native || candidate_ == native;
  incumbent_ = candidate_;
  incumbent_seconds_ = trials_[incumbent_].seconds;
  trials_[incumbent_].outcome = Outcome::in_use;
  without_gain_ = 0;
  watch_ = LevelWatch();
  if (incumbent_ == native && held && calls_ >= search_again_after_)
    search_again();
}

void Learner::settle() {
  if (watch_.looks() == 0)
    watch_.begin();
  state_ = State::settled;
  if (batches_ > 0 || trials_[incumbent_].outcome != Outcome::began_with)
    trials_[incumbent_].outcome = Outcome::in_use;
}

// The level, and now and then native again; and more candidates, once they can be paid for.
void Learner::look(double seconds) {
  if (watch_.changed(seconds) && calls_ >= search_again_after_) {
    search_again();
  } else if (batches_ > 0 && batches_ < limits_.batches && budget_.affords(ordering_seconds_)) {
    wants_more_ = true;
    state_ = State::searching;
  } else if (incumbent_ != native && watch_.looks() % looks_per_confirmation == 0) {
    confirmed_ = false;
    state_ = State::confirming;
  }
}

void Learner::search_again() {
  constexpr std::uint32_t max_doublings = 20;
  search_again_after_ = calls_ + (calls_between_searches << std::min(searches_, max_doublings));
  ++searches_;
  state_ = State::searching;
  without_gain_ = 0;
  watch_ = LevelWatch();
  for (std::size_t trial = 0; trial < trials_.size(); ++trial) {
    times_[trial].clear();
    if (trial == incumbent_)
      trials_[trial].outcome = Outcome::in_use;
    else
      trials_[trial].outcome = trials_[trial].rounds == 0 ? Outcome::not_tried : Outcome::tried_before_change;
  }
  confirmed_ = incumbent_ == native;
}

void Learner::add_candidates(std::span<const PredictedCandidate> candidates, double overhead_seconds) {
  ++batches_;
  wants_more_ = false;
  without_gain_ = 0;
  ordering_seconds_ = limits_.wider * overhead_seconds;
  budget_.spend(overhead_seconds);
  for (const PredictedCandidate& one : candidates) {
    const auto known = std::ranges::find(trials_, one.text, &Trial::text);
    if (known != trials_.end()) {
      known->predicted = one.predicted;
    } else {
      trials_.push_back({.text = one.text, .predicted = one.predicted});
      times_.emplace_back();
    }
  }
}

void Learner::note(std::uint64_t event) {
  history_ = (history_ ^ (event + 1)) * 0x9E3779B97F4A7C15U;
  history_ ^= history_ >> 29;
}

} // namespace thalweg::tune
