// SPDX-License-Identifier: BSD-3-Clause
#include "objects/bracket_choice.hpp"

#include "base/units.hpp"
#include "model/many_to_many.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace thalweg::objects {

namespace {

// A strategy that the model takes to be worse than the best by more is not tried: inside of a node its
// messages are dearer than ours.
constexpr double worth_a_trial = 2;
// What is better by less is not changed for: periods of one program differ by as much.
constexpr double sure_gain = 0.97;
// A trial that looks so bad ends; and what was so bad is not tried again.
constexpr double far_too_slow = 1.5;

// Several short periods are looked at, as one may be disturbed, and the first is in memory that nobody has
// touched. A long one is dear if it is a bad trial.
constexpr double long_period_seconds = 0.2;
constexpr std::uint32_t short_periods = 3;

constexpr std::uint64_t first_lease = 32;
constexpr std::uint64_t max_lease = 4096;

/// The same for values within a factor of two. Whole numbers, as ranks on different processors have to agree.
int octave(double value) {
  return std::bit_width(static_cast<std::uint64_t>(std::llround(value)));
}

} // namespace

BracketChoice::BracketChoice(machine::Machine machine, machine::Level level, std::int32_t ranks, bool may_try)
    : machine_(std::move(machine)), level_(level), ranks_(ranks), may_try_(may_try) {
  for (const Combining one :
       {Combining::direct, Combining::stream, Combining::mesh, Combining::grid, Combining::hypercube}) {
    std::vector<std::int32_t> sides = sides_of(one, ranks);
    const bool is_known = one != Combining::stream &&
                          std::ranges::any_of(options_, [&](const Option& it) { return it.sides == sides; });
    if (!is_known)
      options_.push_back({one, std::move(sides)});
  }
}

std::vector<double> BracketChoice::predicted(const Period& period) const {
  const model::MessageTerms terms(machine_, level_);
  std::vector<double> seconds;
  for (const Option& option : options_)
    seconds.push_back(model::many_to_many_seconds(terms, option.sides, period.pattern));
  return seconds;
}

void BracketChoice::decide(const Period& period, bool has_turn) {
  const model::Volume& mean = period.pattern.mean;
  if (mean.messages <= 0) {
    explanation_ = fmt::format("nothing was sent in brackets; {} stays", to_text(current()));
    return;
  }
  const std::vector<double> predicted = this->predicted(period);
  const bool is_multicast = std::llround(period.pattern.multicast) == 1; // most bytes
  Situation& now = situations_[{octave(mean.messages), octave(mean.bytes / mean.messages), is_multicast}];
  seen_ = &now; // the map's values stay where they are
  now.trials.resize(options_.size());
  if (!may_try_) {
    current_ = static_cast<std::size_t>(std::ranges::min_element(predicted) - predicted.begin());
  } else if (now.is_open && has_turn) {
    note(now.trials[current_], period);
    current_ = next(now, predicted, period);
  } else {
    current_ = now.best.value_or(current_);
    if (!now.is_open && --now.left == 0)
      look_again(now, current_);
  }
  explain(period, now, predicted, has_turn);
}

bool BracketChoice::wants_turn() const {
  return may_try_ && seen_ != nullptr && seen_->is_open;
}

// Where elements move at each fence, no trial would come to its end.
void BracketChoice::begin_anew() {
  constexpr std::uint32_t max_restarts = 4;
  if (!wants_turn() || ++seen_->restarts > max_restarts)
    return;
  std::ranges::fill(seen_->trials, Trial{});
}

void BracketChoice::note(Trial& trial, const Period& period) const {
  trial.seconds = trial.periods == 0 ? period.seconds : std::min(trial.seconds, period.seconds);
  ++trial.periods;
}

std::size_t BracketChoice::fastest(const Situation& now) {
  std::size_t best = now.trials.size();
  for (std::size_t option = 0; option < now.trials.size(); ++option) {
    const Trial& one = now.trials[option];
    if (one.periods > 0 && (best == now.trials.size() || one.seconds < sure_gain * now.trials[best].seconds))
      best = option;
  }
  return best;
}

std::size_t BracketChoice::next(Situation& now, const std::vector<double>& predicted,
                                const Period& period) const {
  const std::uint32_t wanted = period.total_seconds > long_period_seconds ? 1 : short_periods;
  const std::size_t best = fastest(now);
  const Trial& running = now.trials[current_];
  if (running.periods < wanted && running.seconds < far_too_slow * now.trials[best].seconds)
    return current_;
  const double min_seconds = std::ranges::min(predicted);
  std::size_t untried = options_.size();
  for (std::size_t option = 0; option < options_.size(); ++option)
    if (now.trials[option].periods == 0 && predicted[option] <= worth_a_trial * min_seconds &&
        (untried == options_.size() || predicted[option] < predicted[untried]))
      untried = option;
  if (untried != options_.size())
    return untried;
  now.is_open = false;
  now.best = best;
  now.lease = now.lease == 0 ? first_lease : std::min(2 * now.lease, max_lease);
  now.left = now.lease;
  return best;
}

/// Loads change, and so do machines.
void BracketChoice::look_again(Situation& now, std::size_t fastest) {
  const double limit = far_too_slow * now.trials[fastest].seconds;
  for (Trial& one : now.trials)
    if (one.periods > 0 && one.seconds < limit)
      one = {};
  now.is_open = true;
  now.restarts = 0;
}

void BracketChoice::explain(const Period& period, const Situation& now, const std::vector<double>& predicted,
                            bool has_turn) {
  const auto& [mean, sender, receiver, multicast] = period.pattern;
  explanation_ = fmt::format(
      "a rank sends to {:.3g} of {} ranks, {:.0f} B to each (the busiest: {:.3g} ranks, {:.0f} B "
      "in all{}); {} is {}",
      mean.messages, ranks_, mean.bytes / mean.messages, std::max(sender.messages, receiver.messages),
      std::max(sender.bytes, receiver.bytes),
      multicast > 0 ? fmt::format(", {:.0f} % of it in multicasts", 100 * multicast) : "", to_text(current()),
      !may_try_ || now.trials[current_].periods != 0 ? "used"
      : has_turn                                     ? "tried"
                                                     : "used until its turn to try others");
  const char* separator = ": ";
  for (std::size_t option = 0; option < options_.size(); ++option) {
    const Trial& trial = now.trials[option];
    explanation_ += fmt::format("{}{} {} predicted", separator, to_text(options_[option].combining),
                                format_seconds(predicted[option]));
    if (trial.periods > 0)
      explanation_ += fmt::format(" and steps of {}", format_seconds(trial.seconds));
    separator = ", ";
  }
}

} // namespace thalweg::objects
