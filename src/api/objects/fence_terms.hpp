// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// When elements move at a fence.

#include "evidence/evidence.hpp"

namespace thalweg::objects {

struct FenceTerms {
  double threshold = 0.05; ///< the slowest rank has to take over 1 + this times as long as the mean
  double steps = 1;        ///< how often the load since the last fence comes again until the next one
  /// How many times what moving takes has to be gained.
  double hysteresis = evidence::Limits::hysteresis;
  /// Ranks differ by some 10 us from noise alone, and where elements have moved, their homes have to hear of
  /// it. So what gains less is left.
  double min_gain_seconds = 100e-6;

  bool are_uneven(double imbalance) const { return imbalance > 1 + threshold; }
  bool pays(double gain_seconds, double move_seconds) const {
    return gain_seconds > min_gain_seconds &&
           evidence::pays({.before_seconds = gain_seconds, .cost_seconds = move_seconds}, hysteresis);
  }
};

/// What a program has said, and where that is 0, what is usual.
inline FenceTerms completed(const FenceTerms& said) {
  FenceTerms terms;
  const auto take = [](double given, double& term) { term = given > 0 ? given : term; };
  take(said.threshold, terms.threshold);
  take(said.steps, terms.steps);
  take(said.hysteresis, terms.hysteresis);
  take(said.min_gain_seconds, terms.min_gain_seconds);
  return terms;
}

} // namespace thalweg::objects
