// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/slices.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <cmath>

namespace thalweg::mpi::observe {

namespace {

// About a millisecond.
std::uint64_t first_width() {
  return cpu_reading_period_ticks();
}

} // namespace

SliceTable::SliceTable(std::uint64_t begin_ticks)
    : begin_(begin_ticks), width_(first_width()), current_begin_(begin_ticks) {}

void SliceTable::double_width() {
  for (auto* slices : {&all_, &meetings_}) {
    for (std::size_t index = 0; index < max_slices / 2; ++index)
      (*slices)[index] = (*slices)[2 * index] + (*slices)[2 * index + 1];
    std::fill(slices->begin() + max_slices / 2, slices->end(), 0);
  }
  width_ *= 2;
}

void SliceTable::add_elsewhere(std::uint64_t start, std::uint64_t stop, std::uint64_t weight, bool meets) {
  start = std::max(start, begin_);
  stop = std::max(stop, start);
  while (stop - begin_ >= width_ * max_slices)
    double_width();
  current_ = (start - begin_) / width_;
  current_begin_ = begin_ + current_ * width_;
  while (stop - current_begin_ >= width_) {
    const std::uint64_t end = current_begin_ + width_;
    add_to(current_, (end - start) * weight, meets);
    start = end;
    ++current_;
    current_begin_ = end;
  }
  THALWEG_ASSERT(normal, current_ < max_slices && start >= current_begin_);
  add_to(current_, (stop - start) * weight, meets);
}

void SliceTableDeleter::operator()(SliceTable* table) const {
  table->~SliceTable();
  JournalAllocator<SliceTable>().deallocate(table, 1);
}

RunSlices run_slices(const SliceTable& table, const TickScale& scale) {
  RunSlices slices{scale.monotonic_ns_at(table.begin_ticks()),
                   static_cast<double>(table.width_ticks()) * scale.ns_per_tick()};
  for (std::size_t index = 0; index < max_slices; ++index) {
    slices.all_ns.push_back(static_cast<double>(table.all()[index]) * scale.ns_per_tick());
    slices.meetings_ns.push_back(static_cast<double>(table.meetings()[index]) * scale.ns_per_tick());
  }
  return slices;
}

namespace {

std::vector<double> spread(const std::vector<double>& times, const RunSlices& from, double begin_ns,
                           double width_ns, std::size_t count) {
  std::vector<double> result(count);
  const auto slice_at = [&](double ns) {
    return static_cast<std::size_t>(
        std::clamp(std::floor((ns - begin_ns) / width_ns), 0.0, static_cast<double>(count - 1)));
  };
  for (std::size_t index = 0; index < times.size(); ++index) {
    if (times[index] <= 0)
      continue;
    const double begin = from.begin_ns + static_cast<double>(index) * from.width_ns;
    const double end = begin + from.width_ns;
    const std::size_t last = slice_at(end);
    for (std::size_t slice = slice_at(begin); slice <= last; ++slice) {
      const double slice_begin = slice == 0 ? begin : begin_ns + static_cast<double>(slice) * width_ns;
      const double slice_end =
          slice + 1 == count ? end : begin_ns + static_cast<double>(slice + 1) * width_ns;
      const double part = std::max(0.0, std::min(end, slice_end) - std::max(begin, slice_begin));
      result[slice] += times[index] * part / from.width_ns;
    }
  }
  return result;
}

} // namespace

RunSlices rebinned(const RunSlices& slices, double begin_ns, double width_ns, std::size_t count) {
  THALWEG_ASSERT(light, width_ns > 0 && count > 0);
  return {begin_ns, width_ns, spread(slices.all_ns, slices, begin_ns, width_ns, count),
          spread(slices.meetings_ns, slices, begin_ns, width_ns, count)};
}

void add(RunSlices& all, const RunSlices& more) {
  if (more.width_ns <= 0)
    return;
  if (all.width_ns <= 0) {
    all = more;
    return;
  }
  const double begin = std::min(all.begin_ns, more.begin_ns);
  const double width = std::max(all.width_ns, more.width_ns);
  const RunSlices one = rebinned(all, begin, width, max_slices);
  const RunSlices other = rebinned(more, begin, width, max_slices);
  all = one;
  std::ranges::transform(one.all_ns, other.all_ns, all.all_ns.begin(), std::plus<>());
  std::ranges::transform(one.meetings_ns, other.meetings_ns, all.meetings_ns.begin(), std::plus<>());
}

} // namespace thalweg::mpi::observe
