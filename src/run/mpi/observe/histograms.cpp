// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/histograms.hpp"

#include "base/assertion.hpp"

#include <algorithm>

namespace thalweg::mpi::observe {

std::uint64_t CallCounts::bytes() const {
  std::uint64_t sum = 0;
  for (const SizeCount& size : sizes_)
    sum += size.bytes;
  return sum;
}

DurationCounts duration_counts(const CallCounts& counts) {
  DurationCounts result;
  for (std::size_t index = 0; index < duration_classes; ++index)
    if (const std::uint64_t calls = counts.durations()[index]; calls > 0)
      result.emplace_hint(result.end(), index, calls);
  return result;
}

SizeCounts size_counts(const CallCounts& counts) {
  SizeCounts result;
  for (std::size_t index = 0; index < size_classes; ++index)
    if (const SizeCount& size = counts.sizes()[index]; size.calls > 0)
      result.emplace_hint(result.end(), index, size);
  return result;
}

DurationCounts scaled(const DurationCounts& counts, double ratio) {
  THALWEG_ASSERT(light, ratio > 0);
  DurationCounts result;
  for (const auto& [index, calls] : counts) {
    const double middle =
        0.5 * static_cast<double>(duration_class_begin(index) + duration_class_begin(index + std::size_t{1}));
    result[static_cast<std::uint16_t>(duration_class(static_cast<std::uint64_t>(middle / ratio)))] += calls;
  }
  return result;
}

double quantile(const DurationCounts& counts, double share) {
  THALWEG_ASSERT(light, share >= 0 && share <= 1);
  double all = 0;
  for (const auto& [index, calls] : counts)
    all += static_cast<double>(calls);
  double before = 0;
  for (const auto& [index, calls] : counts) {
    const auto own = static_cast<double>(calls);
    if (before + own >= share * all) {
      const auto begin = static_cast<double>(duration_class_begin(index));
      const auto end = static_cast<double>(duration_class_begin(index + std::size_t{1}));
      return begin + (end - begin) * std::max(0.0, share * all - before) / own;
    }
    before += own;
  }
  return 0;
}

} // namespace thalweg::mpi::observe
