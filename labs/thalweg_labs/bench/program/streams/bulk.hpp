// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "harness.hpp"

#include <algorithm>
#include <mpi.h>
#include <numeric>
#include <vector>

namespace thalweg::bench {

/// Items in parts: those for each rank behind one another, by MPI_Alltoallv.
template <typename T>
class Bulk {
public:
  /// At most `part` items of a rank go at a time.
  explicit Bulk(std::size_t part = std::size_t{256} << 10)
      : part_(part), piles_(static_cast<std::size_t>(all_ranks), std::vector<T>(part)), used_(piles_.size()) {
  }

  /// Ranks may have different numbers of items.
  template <typename Make, typename Handle>
  void run(std::size_t items, Make make, Handle handle) {
    const Word own_parts = (items + part_ - 1) / part_;
    Word parts = 0;
    MPI_Allreduce(&own_parts, &parts, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    for (std::size_t left = items; parts != 0; --parts) {
      const std::size_t now = std::min(left, part_);
      run_part(now, make, handle);
      left -= now;
    }
  }

private:
  template <typename Make, typename Handle>
  void run_part(std::size_t items, Make& make, Handle& handle) {
    std::ranges::fill(used_, 0);
    for (std::size_t item = 0; item < items; ++item) {
      const auto [rank, value] = make();
      const auto pile = static_cast<std::size_t>(rank);
      piles_[pile][used_[pile]++] = value;
    }
    exchange();
    for (const T& item : in_)
      handle(item);
  }
  void exchange() {
    const auto ranks = static_cast<std::size_t>(all_ranks);
    std::vector<int> out(ranks), out_at(ranks), in(ranks), in_at(ranks);
    out_.clear();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      out[rank] = static_cast<int>(used_[rank] * sizeof(T));
      out_at[rank] = static_cast<int>(out_.size() * sizeof(T));
      out_.insert(out_.end(), piles_[rank].begin(),
                  piles_[rank].begin() + static_cast<std::ptrdiff_t>(used_[rank]));
    }
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::exclusive_scan(in.begin(), in.end(), in_at.begin(), 0);
    in_.resize(static_cast<std::size_t>(in_at.back() + in.back()) / sizeof(T));
    MPI_Alltoallv(out_.data(), out.data(), out_at.data(), MPI_BYTE, in_.data(), in.data(), in_at.data(),
                  MPI_BYTE, MPI_COMM_WORLD);
  }

  std::size_t part_;
  std::vector<std::vector<T>> piles_;
  std::vector<std::size_t> used_;
  std::vector<T> out_, in_;
};

} // namespace thalweg::bench
