// SPDX-License-Identifier: BSD-3-Clause
#include "tune/learning_budget.hpp"

#include "base/assertion.hpp"

namespace thalweg::tune {

namespace {

// Measured calls in a row are about so long together, or so many times what agreeing on them takes, and
// neither too few for a median nor too many to lose. Where ranks share cores, it takes tens of short calls
// until they have fallen into step with a strategy.
constexpr double row_seconds = 1.5e-3;
constexpr double row_per_agreement = 4;
constexpr double row_min = 3;
constexpr double row_max = 64;
// For so long after a change calls take longer than they will.
constexpr double settling_seconds = 2e-4;
constexpr double settling_max = 16;
constexpr std::uint32_t first_look = 4; // times fewer
// Of calls in a round that nothing is known of yet.
constexpr std::uint32_t first_row = 4;
// However little is known, something is measured then.
constexpr double first_calls_max = 1 << 17;
// What a candidate that was never used takes once: its schedule and plan are made.
constexpr double first_use_seconds = 5e-5;

} // namespace

// Without those in which ranks were at something else too: what was before, and what comes next.
std::span<const double> Round::counted(std::span<const double> seconds) const {
  THALWEG_ASSERT(light, settling < seconds.size());
  const std::span<const double> settled = seconds.subspan(settling);
  return settled.first(std::max<std::size_t>(settled.size() - 1, 1));
}

std::uint32_t RoundLengths::first_calls() const {
  if (limits_.min_seconds <= 0)
    return limits_.first_calls;
  const double cost = limits_.ready_seconds + limits_.agreement_seconds;
  const double paid = std::ceil(cost / (limits_.budget * limits_.min_seconds));
  return static_cast<std::uint32_t>(
      std::clamp(paid, static_cast<double>(limits_.first_calls), first_calls_max));
}

std::uint32_t RoundLengths::calls_to_count(std::uint64_t calls) const {
  THALWEG_ASSERT(light, call_seconds_ > 0);
  const double wanted = std::min<double>(limits_.calls_seen, std::ceil(limits_.seconds_seen / call_seconds_));
  return static_cast<std::uint32_t>(std::max(0.0, wanted - static_cast<double>(calls)));
}

std::uint32_t RoundLengths::settling(bool is_fresh) const {
  if (call_seconds_ == 0 || !is_fresh)
    return 1;
  return static_cast<std::uint32_t>(std::clamp(settling_seconds / call_seconds_, 1.0, settling_max));
}

std::uint32_t RoundLengths::row(bool is_fresh) const {
  if (call_seconds_ == 0)
    return first_row;
  double wanted = std::max(row_seconds, row_per_agreement * agreement_seconds_) / call_seconds_;
  wanted = std::min(wanted, row_max);
  if (!is_fresh)
    wanted /= first_look;
  return static_cast<std::uint32_t>(std::max(wanted, row_min));
}

double RoundLengths::excess(double expected_seconds, bool is_fresh) const {
  return agreement_seconds_ + (is_fresh ? 0 : first_use_seconds) +
         calls(is_fresh) * std::max(0.0, expected_seconds - call_seconds_);
}

} // namespace thalweg::tune
