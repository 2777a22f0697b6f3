// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Tells whether calls still take what they took when a search had ended.

#include <cstdint>
#include <vector>

namespace thalweg::tune {

class LevelWatch {
public:
  /// Begins anew: the next figures say what is usual.
  void begin();
  /// A look at what a call takes now; true when it has been far from usual for several looks in a row.
  bool changed(double seconds);
  /// Calls until the next look: more and more while nothing happens, few while something seems to.
  std::uint32_t calls_until_next() const { return pause_; }
  /// Looks so far.
  std::uint32_t looks() const { return looks_; }

private:
  std::vector<double> first_; // looks that the usual level is the median of
  double usual_ = 0;
  std::uint32_t far_off_ = 0; // looks in a row
  std::uint32_t pause_ = 0;
  std::uint32_t looks_ = 0;
};

} // namespace thalweg::tune
