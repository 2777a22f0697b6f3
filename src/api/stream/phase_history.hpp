// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the phases of a stream did: all together, the last one, and a bounded number of them for reports.
//
// Which ones are kept depends on their numbers alone, so all ranks keep the same: every one at first, then
// every second one, every fourth, and so on as they become too many.

#include "stream/statistics.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace thalweg::streams {

class PhaseHistory {
public:
  static constexpr std::size_t capacity = 16;

  struct Phase {
    std::uint64_t number = 0; ///< from 0
    Statistics done;
  };

  /// A phase ended, in which all this was done: it is counted anew from here on.
  void phase_ended(Statistics& done) {
    ++done.phases;
    total_ += done;
    last_ = {count_++, std::exchange(done, {})};
    if (last_.number % stride_ != 0)
      return;
    if (kept_.size() == capacity)
      thin();
    if (last_.number % stride_ == 0)
      kept_.push_back(last_);
  }

  /// Of no phase, as long as none has ended.
  const Statistics& last() const { return last_.done; }
  const Statistics& total() const { return total_; }
  /// In their order, the last one included.
  std::vector<Phase> kept() const {
    std::vector<Phase> phases = kept_;
    if (count_ > 0 && phases.back().number != last_.number)
      phases.push_back(last_);
    return phases;
  }

private:
  void thin() {
    stride_ *= 2;
    std::erase_if(kept_, [this](const Phase& phase) { return phase.number % stride_ != 0; });
  }

  Statistics total_;
  Phase last_;
  std::vector<Phase> kept_;
  std::uint64_t count_ = 0;
  std::uint64_t stride_ = 1;
};

} // namespace thalweg::streams
