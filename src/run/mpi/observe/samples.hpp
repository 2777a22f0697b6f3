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
#include "mpi/observe/journal.hpp"

#include <algorithm>
#include <array>
#include <atomic>
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

inline constexpr std::size_t samples_capacity = 1024;

/// The samples of a communicator in the journal.
struct JournalSamples {
  const JournalSamples* next;
  std::uint64_t communicator;
  std::int32_t ranks;
  std::atomic<std::uint32_t> count;
  std::array<Sample, samples_capacity> samples;
};

/// Do samples of a call outlive that limit?
constexpr bool is_sampled_below(std::uint64_t limit, std::uint64_t call) {
  return call * 0x9E3779B97F4A7C15U <= limit;
}

class SampleStore {
public:
  static constexpr std::size_t capacity = samples_capacity;
  static constexpr std::uint64_t first_calls = 64; ///< all of these, until the store is full

  bool wants(std::uint64_t call) const { return call < first_ || is_sampled_below(limit_, call); }

  void add(const Sample& sample) {
    THALWEG_ASSERT(normal, wants(sample.call) && (samples_.empty() || samples_.back().call < sample.call));
    if (samples_.size() == capacity) {
      thin();
      if (!wants(sample.call)) {
        return;
      }
    }
    samples_.push_back(sample);
    if (kept_ != nullptr) {
      kept_->samples[samples_.size() - 1] = sample;
      kept_->count.store(static_cast<std::uint32_t>(samples_.size()), std::memory_order_release);
    }
  }

  /// From now on they lie in the journal too, if there is one; before the first.
  void keep(std::uint64_t communicator, int ranks) {
    THALWEG_ASSERT(light, samples_.empty());
    kept_ = journal().add_samples(communicator, ranks);
  }

  const std::vector<Sample>& samples() const { return samples_; }

private:
  void thin() {
    first_ = 0;
    limit_ /= 2;
    std::erase_if(samples_, [this](const Sample& sample) { return !wants(sample.call); });
    if (kept_ != nullptr) {
      kept_->count.store(0, std::memory_order_release);
      std::ranges::copy(samples_, kept_->samples.begin());
      kept_->count.store(static_cast<std::uint32_t>(samples_.size()), std::memory_order_release);
    }
  }

  std::uint64_t first_ = first_calls;
  std::uint64_t limit_ = UINT64_MAX / 16;
  std::vector<Sample> samples_;
  JournalSamples* kept_ = nullptr;
};

/// At most so many of them: by their calls alone, so that all ranks keep the same.
inline std::vector<Sample> thinned(std::vector<Sample> samples, std::size_t limit) {
  for (std::uint64_t bound = UINT64_MAX / 2; samples.size() > limit && bound > 0; bound /= 2)
    std::erase_if(samples, [bound](const Sample& sample) { return !is_sampled_below(bound, sample.call); });
  return samples;
}

} // namespace thalweg::mpi::observe
