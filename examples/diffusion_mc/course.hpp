// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "diffusion_mc/estimate.hpp"
#include "diffusion_mc/population.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace thalweg::examples::diffusion_mc {

/// Keeps the number of walkers: the trial energy is what was measured, less where there are too many.
class TrialEnergy {
public:
  explicit TrialEnergy(Problem const& problem) : problem_(problem) {}

  [[nodiscard]] double value() const { return value_; }
  void update(Sums const& all) {
    double const energy = static_cast<double>(all.energy) * Sums::unit / static_cast<double>(all.walkers);
    mean_ += (energy - mean_) / 50;
    value_ = mean_ - std::log(static_cast<double>(all.walkers) / static_cast<double>(problem_.population));
  }

private:
  Problem problem_;
  double mean_ = exact_energy;
  double value_ = exact_energy;
};

/// What all walkers of all ranks come to, step by step: the result, and whether it is right.
class Course {
public:
  Course(Problem const& problem, std::int64_t steps)
      : trial_(problem), walkers_(problem.population), first_measured_(std::max(steps / 5, lag)),
        steps_(steps) {}

  [[nodiscard]] double trial_energy() const { return trial_.value(); }
  [[nodiscard]] std::int64_t walkers() const { return walkers_; }

  /// The next step's sums over all ranks.
  void add(std::int64_t step, Sums const& all) {
    is_conserved_ = is_conserved_ && all.before == walkers_;
    walkers_ = all.walkers;
    hash_ = mix(hash_ ^ all.ids);
    if (walkers_ == 0)
      return;
    trial_.update(all);
    if (step < first_measured_)
      return;
    auto const walkers = static_cast<double>(walkers_);
    energy_.add(static_cast<double>(all.energy) * Sums::unit / walkers);
    r2_.add(static_cast<double>(all.r2) * Sums::unit / walkers);
  }

  /// No walker was lost, and energy and size are the ground state's.
  [[nodiscard]] bool is_right() const {
    return is_conserved_ && energy_.agrees_with(exact_energy) && r2_.agrees_with(exact_r2);
  }
  [[nodiscard]] std::string answer() const {
    return fmt::format(
        "answer: walkers={} steps={} right={} energy={:.6f}+-{:.6f} r2={:.6f}+-{:.6f} hash={:016x}", walkers_,
        steps_, is_right() ? "yes" : "NO", energy_.mean(), energy_.error(), r2_.mean(), r2_.error(), hash_);
  }

private:
  TrialEnergy trial_;
  std::int64_t walkers_ = 0;
  std::int64_t first_measured_ = 0;
  std::int64_t steps_ = 0;
  bool is_conserved_ = true;
  std::uint64_t hash_ = 0;
  Estimate energy_;
  Estimate r2_;
};

} // namespace thalweg::examples::diffusion_mc
