// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace thalweg::mpi {

struct TrialResult {
  // Of each pair of rounds, how many times as fast the new numbering was; those of earlier runs first.
  std::vector<double> ratios;
  double saved_s = 0;  // what is left of the time for trying; below 0 where it took longer than thought
  double before_s = 0; // the phases' messages once, by this run's median round; 0 where there was none
  double placed_s = 0;
};

} // namespace thalweg::mpi
