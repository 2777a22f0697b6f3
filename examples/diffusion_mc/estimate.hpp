// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <vector>

namespace thalweg::examples::diffusion_mc {

/// The mean of a row of measurements that depend on those shortly before, with its standard error: of the
/// means of so many equal parts of the row (Flyvbjerg and Petersen 1989).
class Estimate {
public:
  void add(double value) { values_.push_back(value); }

  [[nodiscard]] double mean() const { return mean_of(0, values_.size()); }
  [[nodiscard]] double error() const {
    constexpr std::size_t parts = 20;
    std::size_t const length = values_.size() / parts;
    if (length == 0)
      return INFINITY;
    double const all = mean();
    double squares = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      double const difference = mean_of(part * length, (part + 1) * length) - all;
      squares += difference * difference;
    }
    return std::sqrt(squares / (parts * (parts - 1)));
  }
  /// Within five standard errors, and what a finite time step and population do.
  [[nodiscard]] bool agrees_with(double exact) const {
    constexpr double systematic = 0.002;
    return std::abs(mean() - exact) <= 5 * error() + systematic * std::abs(exact);
  }

private:
  [[nodiscard]] double mean_of(std::size_t begin, std::size_t end) const {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i)
      sum += values_[i];
    return end > begin ? sum / static_cast<double>(end - begin) : 0;
  }

  std::vector<double> values_;
};

} // namespace thalweg::examples::diffusion_mc
