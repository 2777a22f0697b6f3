// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/phase_tuner.hpp"

#include "base/assertion.hpp"
#include "evidence/evidence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace thalweg::evidence {

namespace {

// An option that is expected to take more times what the best one takes is not tried. The model knows an
// option's order better than its time, and a trial of a few phases at twice the time is soon made up for.
constexpr double worth_a_trial = 2;
// A trial that looks so bad ends at once.
constexpr double far_too_slow = 2;
// A short phase that ended one may have been disturbed. So the option has a second chance at the next look,
// if such a phase takes this part of the lease at most.
constexpr double part_of_lease = 0.5;
// At a look, what took so many times the pick's time when it was last tried is left out: machines and loads
// seldom change by as much, and where the pick gets slower by as much, it is within reach again.
constexpr double close = 1.5;
// At a look, what was never tried has to be expected to take so little of the pick's time: nothing but the
// model speaks for it.
constexpr double clear_gain = 0.9;

// Several short phases are measured, as one may be disturbed, and the first is in memory that nobody has
// touched. In a long one that is little, and a long one is dear if it is a bad trial.
constexpr double long_phase_seconds = 0.2;
constexpr std::uint32_t short_phases = 3;

// Phases until the pick is looked at. The first lease is as long as two or three trials, so that the first
// look costs no more than a part of what the search has; each is twice as long as the one before, so that
// all looks together cost ever less of a program; and the last one still finds what changes within hours.
constexpr std::uint64_t first_lease = 32;
constexpr std::uint64_t max_lease = 4096;

constexpr std::uint32_t max_restarts = 4;

} // namespace

std::int32_t load_class(double value) {
  THALWEG_ASSERT(normal, value >= 0 && value < 0x1p62);
  return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>(std::llround(value))));
}

double class_min(std::int32_t load_class) {
  return load_class == 0 ? 0 : std::ldexp(1.0, load_class - 1);
}

PhaseTuner::PhaseTuner(std::size_t options, Terms terms) : terms_(terms), options_(options) {
  THALWEG_ASSERT(light, options > 0 && terms.tried_max > 0);
}

bool PhaseTuner::enter(const Situation& situation, std::vector<double> predicted) {
  THALWEG_ASSERT(normal, predicted.size() == options_ && std::ranges::min(predicted) > 0);
  const auto [found, is_new] = searches_.try_emplace(situation);
  now_ = &found->second;
  now_->trials.resize(options_);
  predicted_ = std::move(predicted);
  return is_new;
}

bool PhaseTuner::is_known(std::size_t option) const {
  return now_ != nullptr && now_->trials[option].ratio > 0 && !now_->trials[option].is_wanted;
}

// A pick that has become slow since its lease began is no reason to think so of all others.
std::vector<double> PhaseTuner::known_ratios() const {
  std::vector<double> ratios;
  for (std::size_t option = 0; option < options_; ++option) {
    const double ratio = now_->trials[option].ratio;
    const bool is_pick = now_->pick == option && now_->pick_ratio > 0;
    if (ratio > 0)
      ratios.push_back(is_pick ? std::min(ratio, now_->pick_ratio) : ratio);
  }
  return ratios.empty() ? std::vector{1.0} : ratios;
}

double PhaseTuner::expected(std::size_t option) const {
  THALWEG_ASSERT(normal, now_ != nullptr && option < options_);
  const double ratio = now_->trials[option].ratio;
  return predicted_[option] * (ratio > 0 ? ratio : std::ranges::min(known_ratios()));
}

std::size_t PhaseTuner::best() const {
  std::optional<std::size_t> fastest;
  for (std::size_t option = 0; option < options_; ++option)
    if (is_known(option) && (!fastest || expected(option) < expected(*fastest)))
      fastest = option;
  if (!fastest)
    return current_;
  const std::size_t incumbent = now_->pick.value_or(*fastest);
  const bool stays = is_known(incumbent) &&
                     decide_minima(expected(incumbent), expected(*fastest)) != Decision::surely_faster;
  return stays ? incumbent : *fastest;
}

bool PhaseTuner::is_hopeless() const {
  return now_->stage == Stage::searching && expected(current_) >= far_too_slow * expected(best());
}

void PhaseTuner::observe(double seconds, double duration_seconds) {
  THALWEG_ASSERT(normal, is_open() && seconds >= 0 && duration_seconds >= 0);
  if (now_->stage == Stage::looking && current_ != *now_->pick) { // another situation's was in use
    current_ = *now_->pick;
    return;
  }
  Trial& trial = now_->trials[current_];
  // A phase that takes no time at all has been in use all the same.
  const double ratio = std::max(seconds / predicted_[current_], std::numeric_limits<double>::min());
  trial.ratio = trial.phases == 0 ? ratio : std::min(trial.ratio, ratio);
  ++trial.phases;
  trial.is_wanted = false;
  now_->is_recalled = false;
  if (!now_->pick)
    now_->pick = current_;
  const bool is_long = duration_seconds > long_phase_seconds;
  const bool is_hopeless = this->is_hopeless();
  if (trial.phases < (is_long ? 1 : short_phases) && !is_hopeless)
    return;
  if (is_hopeless)
    trial.chances = is_long || trial.chances == 0 ? 0 : trial.chances - 1;
  ++now_->compared;
  if (now_->stage == Stage::looking)
    look_around();
  go_on(is_long);
}

void PhaseTuner::go_on(bool is_long) {
  if (const auto next = next_option())
    try_out(*next, is_long);
  else
    settle();
}

std::optional<std::size_t> PhaseTuner::next_option() const {
  const auto tried = std::ranges::count_if(now_->trials, [](const Trial& trial) { return trial.phases > 0; });
  if (!now_->has_ended && static_cast<std::size_t>(tried) >= terms_.tried_max)
    return std::nullopt;
  const double limit = worth_a_trial * expected(best());
  std::optional<std::size_t> next;
  for (std::size_t option = 0; option < options_; ++option) {
    const Trial& trial = now_->trials[option];
    if (trial.is_wanted && (trial.ratio > 0 || expected(option) <= limit) &&
        (!next || expected(option) < expected(*next)))
      next = option;
  }
  return next;
}

void PhaseTuner::try_out(std::size_t option, bool is_long) {
  current_ = option;
  wait_ = is_long ? 0 : terms_.warm_up_phases;
}

// Where the pick has changed, the next look comes early.
void PhaseTuner::settle() {
  const std::size_t found = best();
  const bool stays = now_->has_ended && now_->pick == found;
  now_->pick = found;
  if (now_->compared > 1)
    now_->found_seconds = expected(found);
  now_->compared = 0;
  for (Trial& trial : now_->trials)
    trial.is_wanted = false;
  begin_lease(stays ? std::min(2 * now_->lease, max_lease) : first_lease);
}

void PhaseTuner::begin_lease(std::uint64_t phases) {
  now_->lease = now_->left = phases;
  now_->pick_ratio = now_->trials[*now_->pick].ratio;
  now_->stage = Stage::settled;
  now_->has_ended = true;
  now_->restarts = 0;
  current_ = *now_->pick;
  wait_ = 0;
}

void PhaseTuner::skip() {
  if (!is_open()) {
    if (now_ == nullptr)
      return;
    current_ = *now_->pick;
    if (--now_->left > 0)
      return;
    now_->stage = Stage::looking;
    now_->trials[current_].phases = 0;
  } else if (wait_ > 0) {
    --wait_;
  }
}

void PhaseTuner::use_best() {
  current_ = best();
}

void PhaseTuner::recall(std::size_t option, double seconds) {
  THALWEG_ASSERT(normal, now_ != nullptr && option < options_ && seconds >= 0);
  Trial& trial = now_->trials[option];
  trial.ratio = seconds / predicted_[option];
  trial.is_wanted = false;
  now_->pick = option;
  now_->is_recalled = true;
  begin_lease(first_lease);
}

// Of what was never tried the model is taken to be as wrong as it usually is.
bool PhaseTuner::is_close(std::size_t option) const {
  const Trial& trial = now_->trials[option];
  if (trial.ratio == 0)
    return predicted_[option] * median(known_ratios()) < clear_gain * expected(current_);
  const double affordable = trial.chances == 1 ? part_of_lease * static_cast<double>(now_->lease) : 0;
  return expected(option) < std::max(close, affordable) * expected(current_);
}

void PhaseTuner::look_around() {
  now_->stage = Stage::searching;
  for (std::size_t option = 0; option < options_; ++option) {
    Trial& trial = now_->trials[option];
    trial.is_wanted = option != current_ && is_close(option);
    if (trial.is_wanted)
      trial.phases = 0;
    if (trial.chances == 1)
      trial.chances = 0;
  }
}

void PhaseTuner::restart() {
  if (!is_open() || ++now_->restarts > max_restarts)
    return;
  now_->trials.assign(options_, Trial{});
  now_->stage = Stage::searching;
}

void PhaseTuner::add_option(double predicted_seconds) {
  THALWEG_ASSERT(normal, now_ != nullptr && predicted_seconds > 0);
  ++options_;
  predicted_.push_back(predicted_seconds);
  for (auto& [situation, search] : searches_)
    search.trials.resize(options_);
  now_->stage = Stage::searching;
  try_out(options_ - 1, false);
}

std::vector<PhaseTuner::Finding> PhaseTuner::findings() const {
  std::vector<Finding> findings;
  for (const auto& [situation, search] : searches_)
    if (search.found_seconds)
      findings.push_back({situation, *search.pick, *search.found_seconds});
  return findings;
}

} // namespace thalweg::evidence
