// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How often something may be done that takes time: as long as it takes a small part of all. What was not used
// is saved for a while, so that a program that computes for long may send often now and then.

#include <algorithm>
#include <cstdint>

namespace thalweg::streams {

class Pace {
public:
  /// It may take one part in so many, and use what was saved for so long.
  Pace(std::uint64_t one_in, std::uint64_t saved_ns_max)
      : one_in_(one_in), saved_ns_max_(saved_ns_max), saved_ns_(saved_ns_max) {}

  bool may(std::uint64_t now_ns) {
    saved_ns_ = std::min(saved_ns_max_, saved_ns_ + (now_ns - last_ns_));
    last_ns_ = now_ns;
    return saved_ns_ >= one_in_ * took_ns_;
  }
  /// It was done, and took so long.
  void took(std::uint64_t ns) {
    took_ns_ = ns;
    saved_ns_ -= std::min(saved_ns_, one_in_ * ns);
  }

private:
  std::uint64_t one_in_;
  std::uint64_t saved_ns_max_;
  std::uint64_t saved_ns_;
  std::uint64_t last_ns_ = 0;
  std::uint64_t took_ns_ = 0; // the last one
};

} // namespace thalweg::streams
