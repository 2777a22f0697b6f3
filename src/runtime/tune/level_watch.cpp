// SPDX-License-Identifier: BSD-3-Clause
#include "tune/level_watch.hpp"

#include "evidence/evidence.hpp"

#include <algorithm>

namespace thalweg::tune {

namespace {

constexpr std::size_t looks_for_level = 5;
constexpr std::uint32_t looks_for_change = 3;
constexpr double far = 1.5;
constexpr std::uint32_t min_pause = 64;
constexpr std::uint32_t max_pause = 4096;

} // namespace

void LevelWatch::begin() {
  *this = LevelWatch();
  pause_ = min_pause;
}

bool LevelWatch::changed(double seconds) {
  ++looks_;
  if (first_.size() < looks_for_level) {
    first_.push_back(seconds);
    usual_ = evidence::median(first_);
    return false;
  }
  const bool is_far = seconds > far * usual_ || seconds * far < usual_;
  far_off_ = is_far ? far_off_ + 1 : 0;
  pause_ = is_far ? min_pause : std::min(max_pause, 2 * pause_);
  return far_off_ >= looks_for_change;
}

} // namespace thalweg::tune
