// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The ranks' slices as rows of one grid, with the part that was waiting.

#include "mpi/observe/profile.hpp"

#include <cstddef>
#include <vector>

namespace thalweg::mpi::observe {

/// More ranks than this share rows.
inline constexpr std::size_t max_slice_rows = 64;

class SliceGrid {
public:
  explicit SliceGrid(const std::vector<RankProfile>& ranks);

  /// A call that all ranks sampled, of the rank at that place.
  void add(std::size_t place, double enter_ns, double ns, double waiting_ns);
  SliceRows finish() const;

private:
  struct Sampled {
    double ns = 0;
    double waiting_ns = 0;
    double waiting_of(double time_ns, const Sampled& fallback) const;
  };
  struct Row {
    std::vector<Sampled> slices;
    Sampled all{};
  };

  std::size_t row_of(std::size_t place) const { return place * rows_.size() / ranks_.size(); }

  const std::vector<RankProfile>& ranks_;
  double begin_ns_ = 0;
  double width_ns_ = 0;
  std::size_t count_ = 0;
  std::vector<Row> rows_;
};

} // namespace thalweg::mpi::observe
