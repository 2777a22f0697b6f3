// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// When a rank entered and left the blocking collectives of one communicator: a bounded sample, the same on
// every rank.
//
// Calls on a communicator have the same index on all its ranks, so what depends on the index alone keeps the
// same calls everywhere without a word exchanged: the first ones, then one in 16, and half as many whenever
// the store is full. Multiples of the golden ratio choose them, for they are spread evenly and fall in step
// with no loop (Knuth, The Art of Computer Programming 3, section 6.4).

#include "base/assertion.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::mpi::observe {

struct CallRow;

struct Sample {
  std::uint64_t call;        ///< index of the call on its communicator
  std::uint64_t enter_ticks; ///< see ticks.hpp
  std::uint64_t exit_ticks;
  const CallRow* row; ///< the call's row in its thread's table
};

class SampleStore {
public:
  static constexpr std::size_t capacity = 1024;
  static constexpr std::uint64_t first_calls = 64; ///< all of these, until the store is full

  bool wants(std::uint64_t call) const { return call < first_ || call * 0x9E3779B97F4A7C15U <= limit_; }

  void add(const Sample& sample) {
    THALWEG_ASSERT(normal, wants(sample.call) && (samples_.empty() || samples_.back().call < sample.call));
    if (samples_.size() == capacity) {
      thin();
      if (!wants(sample.call)) {
        return;
      }
    }
    samples_.push_back(sample);
  }

  const std::vector<Sample>& samples() const { return samples_; }

private:
  void thin() {
    first_ = 0;
    limit_ /= 2;
    std::erase_if(samples_, [this](const Sample& sample) { return !wants(sample.call); });
  }

  std::uint64_t first_ = first_calls;
  std::uint64_t limit_ = UINT64_MAX / 16;
  std::vector<Sample> samples_;
};

} // namespace thalweg::mpi::observe
