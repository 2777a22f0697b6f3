// SPDX-License-Identifier: BSD-3-Clause
#include "tune/trials.hpp"

#include "base/assertion.hpp"
#include "evidence/evidence.hpp"

#include <algorithm>

namespace thalweg::tune {

namespace {

// The rounds that a candidate's time is the median of.
constexpr std::size_t rounds_kept = 9;

} // namespace

std::string_view text_of(Outcome outcome) {
  switch (outcome) {
  case Outcome::not_tried:
    return "not tried";
  case Outcome::tried_before_change:
    return "tried before the calls changed";
  case Outcome::began_with:
    return "what it began with";
  case Outcome::being_tried:
    return "being tried";
  case Outcome::in_use:
    return "in use";
  case Outcome::outdone:
    return "slower than what came later";
  case Outcome::not_faster:
    return "not surely faster";
  case Outcome::much_slower:
    return "much slower";
  case Outcome::cannot_do_it:
    return "cannot do these calls";
  }
  return "";
}

Trials::Trials(std::string_view start) {
  trials_.push_back({.text = "native"});
  if (!start.empty() && start != "native") {
    trials_.push_back({.text = std::string(start), .outcome = Outcome::began_with});
    incumbent_ = 1;
  }
  rounds_.resize(trials_.size());
}

void Trials::add(std::span<const PredictedCandidate> candidates) {
  for (const PredictedCandidate& one : candidates) {
    const auto known = std::ranges::find(trials_, one.text, &Trial::text);
    if (known != trials_.end()) {
      known->predicted = one.predicted;
    } else {
      trials_.push_back({.text = one.text, .predicted = one.predicted});
      rounds_.emplace_back();
    }
  }
  THALWEG_ASSERT(light, rounds_.size() == trials_.size());
}

void Trials::add_round(std::size_t trial, double seconds) {
  THALWEG_ASSERT(light, trial < trials_.size());
  std::vector<double>& rounds = rounds_[trial];
  if (rounds.empty())
    trials_[trial].rounds = 0;
  if (rounds.size() == rounds_kept)
    rounds.erase(rounds.begin());
  rounds.push_back(seconds);
  trials_[trial].seconds = evidence::median(rounds);
  ++trials_[trial].rounds;
}

double Trials::expected_seconds(std::size_t trial) const {
  if (is_fresh(trial))
    return trials_[trial].seconds;
  double best_ratio = 0;
  for (std::size_t other = 0; other < trials_.size(); ++other) {
    if (!is_fresh(other) || trials_[other].predicted <= 0)
      continue;
    const double ratio = trials_[other].seconds / trials_[other].predicted;
    if (best_ratio == 0 || ratio < best_ratio)
      best_ratio = ratio;
  }
  return best_ratio * trials_[trial].predicted;
}

bool Trials::is_hopeless(std::size_t trial, double hopeless) const {
  double best = 0;
  for (std::size_t other = 0; other < trials_.size(); ++other)
    if (is_fresh(other) && trials_[other].predicted > 0 && (best == 0 || trials_[other].predicted < best))
      best = trials_[other].predicted;
  return best > 0 && trials_[trial].predicted > hopeless * best;
}

bool Trials::is_open(std::size_t trial) const {
  const Outcome outcome = trials_[trial].outcome;
  return outcome == Outcome::not_tried || outcome == Outcome::tried_before_change;
}

// Has one of which the model expects the same been tried in vain? It is probably much the same.
bool Trials::resembles_a_loser(std::size_t trial) const {
  constexpr double alike = 1.01;
  const double predicted = trials_[trial].predicted;
  for (std::size_t index = 0; index < trials_.size(); ++index) {
    const Trial& other = trials_[index];
    if (is_fresh(index) && other.outcome != Outcome::in_use && other.predicted > 0 &&
        std::max(other.predicted, predicted) <= alike * std::min(other.predicted, predicted))
      return true;
  }
  return false;
}

std::size_t Trials::next(double hopeless) const {
  std::size_t next = incumbent_;
  for (std::size_t trial = native + 1; trial < trials_.size(); ++trial) {
    if (trial == incumbent_ || !is_open(trial) || is_hopeless(trial, hopeless))
      continue;
    if (!resembles_a_loser(trial))
      return trial;
    if (next == incumbent_)
      next = trial;
  }
  return next;
}

void Trials::adopt(std::size_t trial) {
  THALWEG_ASSERT(light, trial != incumbent_ && is_fresh(trial));
  trials_[incumbent_].outcome = Outcome::outdone;
  trials_[trial].outcome = Outcome::in_use;
  incumbent_ = trial;
}

void Trials::begin_search() {
  for (std::size_t trial = 0; trial < trials_.size(); ++trial) {
    rounds_[trial].clear();
    if (trial == incumbent_)
      trials_[trial].outcome = Outcome::in_use;
    else
      trials_[trial].outcome = trials_[trial].rounds == 0 ? Outcome::not_tried : Outcome::tried_before_change;
  }
}

} // namespace thalweg::tune
