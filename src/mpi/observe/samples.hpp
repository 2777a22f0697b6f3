#pragma once

// When a rank entered and left the blocking collectives of one communicator: a bounded sample, the same on
// every rank.
//
// Calls on a communicator have the same index on all its ranks, so keeping every stride-th call, and doubling
// the stride whenever the store is full, keeps the same calls everywhere without a word exchanged.

#include <cstdint>
#include <vector>

namespace thalweg::mpi::observe {

struct CallRow;

struct Sample {
  std::uint64_t call;        // index of the call on its communicator
  std::uint64_t enter_ticks; // see ticks.hpp
  std::uint64_t exit_ticks;
  const CallRow* row; // the call's row in its thread's table
};

class SampleStore {
public:
  static constexpr std::size_t capacity = 1024;

  bool wants(std::uint64_t call) const { return (call & (stride_ - 1)) == 0; }

  void add(const Sample& sample) {
    if (samples_.size() == capacity) {
      thin();
      if (!wants(sample.call)) {
        return;
      }
    }
    samples_.push_back(sample);
  }

  std::uint64_t stride() const { return stride_; }
  const std::vector<Sample>& samples() const { return samples_; }

private:
  void thin();

  std::uint64_t stride_ = 1; // a power of two
  std::vector<Sample> samples_;
};

} // namespace thalweg::mpi::observe
