// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The time in MPI over the run, in at most a hundred slices of one width: where the run outgrows them, two
// become one.

#include "mpi/observe/journal.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace thalweg::mpi::observe {

inline constexpr std::size_t max_slices = 100;

/// Of one thread, from its first call. In the journal, if there is one.
class SliceTable : public JournalSlices {
public:
  explicit SliceTable(std::uint64_t begin_ticks);

  /// A call stands for `weight` like it. `meets`: its waiting is known from samples (samples.hpp).
  void add(std::uint64_t start, std::uint64_t stop, std::uint64_t weight, bool meets) {
    if (start - current_begin_ < width_ && stop - current_begin_ < width_) [[likely]]
      add_to(current_, (stop - start) * weight, meets);
    else
      add_elsewhere(start, stop, weight, meets);
  }

  std::uint64_t begin_ticks() const { return begin_; }
  std::uint64_t width_ticks() const { return width_; }
  const std::array<std::uint64_t, max_slices>& all() const { return all_; }
  const std::array<std::uint64_t, max_slices>& meetings() const { return meetings_; }

private:
  void add_to(std::size_t slice, std::uint64_t ticks, bool meets) {
    all_[slice] += ticks;
    meetings_[slice] += meets ? ticks : 0;
  }
  void add_elsewhere(std::uint64_t start, std::uint64_t stop, std::uint64_t weight, bool meets);
  void double_width();

  std::uint64_t begin_;
  std::uint64_t width_;
  std::size_t current_ = 0;
  std::uint64_t current_begin_;
  std::array<std::uint64_t, max_slices> all_{};
  std::array<std::uint64_t, max_slices> meetings_{};
};

struct SliceTableDeleter {
  void operator()(SliceTable* table) const;
};

/// A process's slices, in the clock of rank 0's node; nanoseconds.
struct RunSlices {
  double begin_ns = 0;
  double width_ns = 0; ///< 0: there are none
  std::vector<double> all_ns{};
  std::vector<double> meetings_ns{};
};

RunSlices run_slices(const SliceTable& table, const TickScale& scale);

/// The same time in `count` slices from another begin and of another width; what lies outside goes to the
/// first or the last.
RunSlices rebinned(const RunSlices& slices, double begin_ns, double width_ns, std::size_t count);

/// Adds another thread's of the process.
void add(RunSlices& all, const RunSlices& more);

} // namespace thalweg::mpi::observe
