// SPDX-License-Identifier: BSD-3-Clause
#include "tune/round_figures.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace thalweg::tune {

void RoundFigures::open(const Round& round) {
  const std::lock_guard lock(mutex_);
  ++generation_;
  round_ = round;
  starts_.clear();
  exposed_.assign(round.incumbent_calls + round.candidate_calls, unknown);
}

std::uint32_t RoundFigures::start(double now_seconds) {
  const std::lock_guard lock(mutex_);
  starts_.push_back(now_seconds);
  return static_cast<std::uint32_t>(starts_.size() - 1);
}

std::uint32_t RoundFigures::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

void RoundFigures::ended(std::uint32_t generation, std::uint32_t call, double exposed_seconds) {
  const std::lock_guard lock(mutex_);
  if (generation == generation_ && call < exposed_.size())
    exposed_[call] = exposed_seconds;
}

// Of the calls that count, up to the start of the one behind them.
double RoundFigures::period(std::uint32_t first, std::uint32_t calls) const {
  const std::uint32_t begin = first + round_.settling;
  const std::uint32_t end = first + calls - 1;
  if (calls == 0 || end <= begin || end >= starts_.size())
    return 0;
  return (starts_[end] - starts_[begin]) / (end - begin);
}

std::vector<double> RoundFigures::to_maximize() const {
  const std::lock_guard lock(mutex_);
  std::vector<double> row = exposed_;
  row.push_back(period(0, round_.incumbent_calls));
  row.push_back(period(round_.incumbent_calls, round_.candidate_calls));
  return row;
}

namespace {

// Puts the mean of the known calls that count in the place of what is not known.
bool fill_in(const Round& round, std::span<double> side) {
  if (side.empty())
    return true;
  const std::span<const double> counted = round.counted(side);
  const auto is_known = [](double seconds) { return std::isfinite(seconds); };
  const auto known = std::ranges::count_if(counted, is_known);
  if (known == 0 || 2 * static_cast<std::size_t>(known) < counted.size())
    return false;
  const double sum = std::accumulate(counted.begin(), counted.end(), 0.0,
                                     [&](double all, double one) { return is_known(one) ? all + one : all; });
  std::ranges::replace_if(side, std::not_fn(is_known), sum / static_cast<double>(known));
  return true;
}

} // namespace

std::optional<RoundTimes> times_of(const Round& round, std::span<const double> maxima) {
  const std::size_t calls = round.incumbent_calls + round.candidate_calls;
  THALWEG_ASSERT(light, maxima.size() == calls + 2);
  RoundTimes times{.seconds = {maxima.begin(), maxima.end() - 2},
                   .periods = {maxima[calls], maxima[calls + 1]}};
  const std::span<double> seconds = times.seconds;
  if (!fill_in(round, seconds.first(round.incumbent_calls)) ||
      !fill_in(round, seconds.subspan(round.incumbent_calls)))
    return std::nullopt;
  return times;
}

} // namespace thalweg::tune
