// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/slice_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thalweg::mpi::observe {

double SliceGrid::Sampled::waiting_of(double time_ns, const Sampled& fallback) const {
  const Sampled& known = ns > 0 ? *this : fallback;
  return known.ns > 0 ? time_ns * std::min(1.0, known.waiting_ns / known.ns) : 0;
}

SliceGrid::SliceGrid(const std::vector<RankProfile>& ranks) : ranks_(ranks) {
  double begin = std::numeric_limits<double>::infinity();
  double end = 0;
  for (const RankProfile& rank : ranks) {
    if (rank.slices.width_ns <= 0)
      continue;
    begin = std::min(begin, rank.slices.begin_ns);
    end = std::max(end, rank.slices.begin_ns + rank.wall_ns);
    width_ns_ = std::max(width_ns_, rank.slices.width_ns);
  }
  if (width_ns_ <= 0)
    return;
  begin_ns_ = begin;
  width_ns_ = std::max(width_ns_, (end - begin) / static_cast<double>(max_slices));
  count_ = static_cast<std::size_t>(std::ceil((end - begin) / width_ns_));
  count_ = std::clamp(count_, std::size_t{1}, max_slices);
  rows_.assign(std::min(ranks.size(), max_slice_rows), Row{std::vector<Sampled>(count_)});
}

void SliceGrid::add(std::size_t place, double enter_ns, double ns, double waiting_ns) {
  if (rows_.empty())
    return;
  Row& row = rows_[row_of(place)];
  const double slice = std::floor((enter_ns - begin_ns_) / width_ns_);
  const auto index = static_cast<std::size_t>(std::clamp(slice, 0.0, static_cast<double>(count_ - 1)));
  for (Sampled* const sampled : {&row.slices[index], &row.all}) {
    sampled->ns += ns;
    sampled->waiting_ns += waiting_ns;
  }
}

SliceRows SliceGrid::finish() const {
  SliceRows result{width_ns_, {}};
  std::vector<double> meetings(rows_.size() * count_);
  std::vector<double> members(rows_.size());
  for (std::size_t place = 0; place < ranks_.size() && !rows_.empty(); ++place) {
    const std::size_t row = row_of(place);
    const RankProfile& rank = ranks_[place];
    if (row == result.rows.size())
      result.rows.push_back({rank.rank, rank.rank, std::vector<double>(count_), std::vector<double>(count_)});
    SliceRow& shown = result.rows[row];
    shown.last = rank.rank;
    ++members[row];
    if (rank.slices.width_ns <= 0)
      continue;
    const RunSlices own = rebinned(rank.slices, begin_ns_, width_ns_, count_);
    for (std::size_t slice = 0; slice < count_; ++slice) {
      shown.mpi_ns[slice] += own.all_ns[slice];
      meetings[row * count_ + slice] += own.meetings_ns[slice];
    }
  }
  for (std::size_t row = 0; row < result.rows.size(); ++row) {
    for (std::size_t slice = 0; slice < count_; ++slice) {
      const Row& sampled = rows_[row];
      const double mean_ns = meetings[row * count_ + slice] / members[row];
      result.rows[row].mpi_ns[slice] /= members[row];
      result.rows[row].waiting_ns[slice] = sampled.slices[slice].waiting_of(mean_ns, sampled.all);
    }
  }
  return result;
}

} // namespace thalweg::mpi::observe
