// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/random.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace thalweg::examples::diffusion_mc {

/// The particle in the trap H = -1/2 laplacian + 1/2 r^2, and how it is sampled.
struct Problem {
  double guide = 0.8;          ///< the guiding function is exp(-guide r^2 / 2); the ground state has 1
  int moves = 5;               ///< between two branchings
  std::int64_t population = 0; ///< at which the trial energy keeps the number of walkers
  std::uint64_t seed = 1;

  /// Of a move. Branchings are a tenth of the trap's time apart.
  [[nodiscard]] double time_step() const { return 0.1 / moves; }
};

inline constexpr double exact_energy = 1.5;
inline constexpr double exact_r2 = 1.5; ///< mean of r^2 in the ground state

/// Random numbers of a walker, which depend on nothing but its own past.
class Dice {
public:
  Dice(std::uint64_t seed, std::uint64_t walker, std::uint64_t step)
      : state_(mix(seed ^ mix(walker ^ mix(step)))) {}

  std::uint64_t word() { return mix(state_ += 0x9e3779b97f4a7c15U); }
  /// In (0, 1).
  double uniform() { return (static_cast<double>(word() >> 12U) + 0.5) * 0x1p-52; }
  /// Two of a normal distribution (Box and Muller 1958).
  std::array<double, 2> normal() {
    double const radius = std::sqrt(-2 * std::log(uniform()));
    double const angle = 2 * 3.14159265358979323846 * uniform();
    return {radius * std::cos(angle), radius * std::sin(angle)};
  }

private:
  std::uint64_t state_;
};

/// A walker of so many bytes. Most of them are its past, as for estimates by forward walking.
template <std::size_t bytes>
struct Walker {
  static constexpr std::size_t past_steps = bytes / sizeof(double) - 5;

  std::uint64_t id = 0;
  double weight = 1;
  std::array<double, 3> position{};
  std::array<double, past_steps> past{}; ///< r^2 after each step, in a ring

  [[nodiscard]] double r2() const {
    return position[0] * position[0] + position[1] * position[1] + position[2] * position[2];
  }
  /// What the Hamiltonian gives of the guiding function, over it.
  [[nodiscard]] double local_energy(Problem const& problem) const {
    return 1.5 * problem.guide + 0.5 * (1 - problem.guide * problem.guide) * r2();
  }
};

/// Moves a walker for a step: drift and diffusion, accepted by Metropolis's rule, and its weight (Reynolds,
/// Ceperley, Alder and Lester 1982).
template <std::size_t bytes>
void advance(Walker<bytes>& walker, Problem const& problem, std::int64_t step, double trial_energy) {
  Dice dice(problem.seed, walker.id, static_cast<std::uint64_t>(step));
  double const tau = problem.time_step();
  double const shrink = 1 - tau * problem.guide; // the drift is -guide * position
  double energy = walker.local_energy(problem);
  for (int move = 0; move < problem.moves; ++move) {
    auto const [x, y] = dice.normal();
    auto const [z, unused] = dice.normal();
    std::array<double, 3> const kick{x, y, z};
    Walker<5 * sizeof(double)> moved;
    double forth = 0;
    double back = 0;
    for (std::size_t i = 0; i < kick.size(); ++i) {
      moved.position[i] = shrink * walker.position[i] + std::sqrt(tau) * kick[i];
      double const difference = walker.position[i] - shrink * moved.position[i];
      forth += tau * kick[i] * kick[i];
      back += difference * difference;
    }
    double const acceptance =
        std::exp((forth - back) / (2 * tau) - problem.guide * (moved.r2() - walker.r2()));
    if (dice.uniform() < acceptance)
      walker.position = moved.position;
    double const energy_before = energy;
    energy = walker.local_energy(problem);
    walker.weight *= std::exp(-tau * ((energy + energy_before) / 2 - trial_energy));
  }
  walker.past[static_cast<std::size_t>(step) % Walker<bytes>::past_steps] = walker.r2();
}

} // namespace thalweg::examples::diffusion_mc
