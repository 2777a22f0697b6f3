// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "diffusion_mc/walker.hpp"

#include <algorithm>
#include <vector>

namespace thalweg::examples::diffusion_mc {

/// Sums over walkers. They are whole numbers, so that they do not depend on which rank has which walker.
struct Sums {
  std::int64_t before = 0;  ///< walkers that have come to the step
  std::int64_t walkers = 0; ///< that leave it
  std::int64_t energy = 0;
  std::int64_t r2 = 0; ///< a while ago, of the ancestors of those that live
  std::uint64_t ids = 0;

  static constexpr double unit = 0x1p-32;
  static std::int64_t whole(double value) { return std::llround(value / unit); }
};
struct Together {
  Sums operator()(Sums const& one, Sums const& other) const {
    return {one.before + other.before, one.walkers + other.walkers, one.energy + other.energy,
            one.r2 + other.r2, one.ids + other.ids};
  }
};

/// How many steps ago forward walking looks: by then descendants are distributed as the ground state's
/// square.
inline constexpr std::int64_t lag = 60;

/// A rank's walkers.
template <std::size_t bytes>
class Population {
public:
  using Task = Walker<bytes>;

  /// Those of this rank's part of the first population.
  Population(Problem const& problem, std::int64_t begin, std::int64_t end) : problem_(problem) {
    for (std::int64_t number = begin; number < end; ++number) {
      Task walker;
      walker.id = mix(static_cast<std::uint64_t>(number) + 1);
      Dice dice(problem.seed, walker.id, ~std::uint64_t{0});
      for (double& coordinate : walker.position)
        coordinate = dice.normal()[0];
      walkers.push_back(walker);
    }
  }

  /// Moves the walkers first .. end - 1.
  void advance(std::size_t first, std::size_t end, std::int64_t step, double trial_energy) {
    for (std::size_t i = first; i < end; ++i)
      diffusion_mc::advance(walkers[i], problem_, step, trial_energy);
  }

  /// Each walker leaves as many as its weight says, by chance rounded up or down; none or several.
  Sums branch(std::int64_t step) {
    Sums sums;
    sums.before = static_cast<std::int64_t>(walkers.size());
    std::size_t left = walkers.size(); // to be dealt with
    for (std::size_t i = 0; i < left;) {
      Dice dice(problem_.seed + 1, walkers[i].id, static_cast<std::uint64_t>(step));
      auto const copies = static_cast<int>(std::min(walkers[i].weight + dice.uniform(), 4.0));
      if (copies == 0) {
        walkers[i] = walkers[left - 1];
        walkers[left - 1] = walkers.back();
        walkers.pop_back();
        --left;
        continue;
      }
      walkers[i].weight = 1;
      std::uint64_t const id = walkers[i].id;
      for (int copy = 1; copy < copies; ++copy) {
        Task child = walkers[i]; // as the vector may move
        child.id = mix(id ^ mix(static_cast<std::uint64_t>(step * 4 + copy)));
        walkers.push_back(child);
      }
      ++i;
    }
    for (Task const& walker : walkers)
      add(walker, step, sums);
    return sums;
  }

  std::vector<Task> walkers;

private:
  void add(Task const& walker, std::int64_t step, Sums& sums) const {
    ++sums.walkers;
    sums.energy += Sums::whole(walker.local_energy(problem_));
    sums.ids += walker.id;
    if (step >= lag)
      sums.r2 += Sums::whole(walker.past[static_cast<std::size_t>(step - lag) % Task::past_steps]);
  }

  Problem problem_;
};

} // namespace thalweg::examples::diffusion_mc
