// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Fences: when elements move there, in which order they are taken, and what is told of that.

#include "evidence/evidence.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::objects {

/// When elements move at a fence.
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

// Elements by their loads, where there are too many to be compared with one another. Loads within an eighth
// of each other are taken as equal: one pass counts how many there are of each kind, another puts them there.

/// The higher, the heavier; the same for loads that differ by less than an eighth of the power of two below.
constexpr std::size_t load_kind(std::uint64_t load) {
  constexpr int steps_log2 = 3;
  const int exponent = static_cast<int>(std::bit_width(load)) - 1;
  if (exponent < steps_log2)
    return static_cast<std::size_t>(load);
  const int shift = exponent - steps_log2;
  return (static_cast<std::size_t>(shift) << steps_log2) + static_cast<std::size_t>(load >> shift);
}

/// Heaviest first, and in their order where loads are alike.
template <typename T>
std::vector<T> heaviest_first(std::vector<T> all, std::span<const std::uint64_t> loads) {
  constexpr std::size_t kinds = load_kind(UINT64_MAX) + 1;
  std::array<std::size_t, kinds> place{};
  for (const std::uint64_t load : loads)
    ++place[load_kind(load)];
  std::size_t before = 0;
  for (std::size_t kind = kinds; kind-- > 0;)
    before += std::exchange(place[kind], before);
  std::vector<T> sorted(all.size());
  for (std::size_t one = 0; one < all.size(); ++one)
    sorted[place[load_kind(loads[one])]++] = std::move(all[one]);
  return sorted;
}

/// What the last fences have decided and why, in lines for people.
class FenceNotes {
public:
  void begin_fence() { ++fences_; }
  std::uint64_t fence() const { return fences_; } ///< its number, from 1
  /// Of the fence that goes on.
  void add(const std::string& text) {
    constexpr std::size_t kept = 16;
    lines_.push_back("fence " + std::to_string(fences_) + ": " + text + "\n");
    if (lines_.size() > kept)
      lines_.pop_front();
  }
  std::string text() const {
    std::string all;
    for (const std::string& one : lines_)
      all += one;
    return all;
  }

private:
  std::uint64_t fences_ = 0;
  std::deque<std::string> lines_;
};

} // namespace thalweg::objects
