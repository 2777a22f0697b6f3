// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How long calls took and how large their payloads were, in classes of a fixed number: counting a call is an
// addition, however many there are.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>

namespace thalweg::mpi::observe {

/// Durations have four classes for each power of two, up to 2^44 ticks.
inline constexpr std::size_t duration_classes = 172;

constexpr std::size_t duration_class(std::uint64_t ticks) {
  if (ticks < 4)
    return static_cast<std::size_t>(ticks);
  const auto width = static_cast<unsigned>(std::bit_width(ticks));
  const std::size_t index = (width - 2) * std::size_t{4} + ((ticks >> (width - 3)) & 3U);
  return index < duration_classes ? index : duration_classes - 1;
}

/// The shortest duration of a class; of the class behind the last, where that one ends.
constexpr std::uint64_t duration_class_begin(std::size_t index) {
  return index < 4 ? index : (4 + index % 4) << (index / 4 - 1);
}

struct SizeCount {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;

  void add(std::uint64_t more) {
    ++calls;
    bytes += more;
  }
};

/// Payloads have a class for each power of two; nothing has its own.
inline constexpr std::size_t size_classes = 49;

constexpr std::size_t size_class(std::uint64_t bytes) {
  const auto width = static_cast<std::size_t>(std::bit_width(bytes));
  return width < size_classes ? width : size_classes - 1;
}

constexpr std::uint64_t size_class_begin(std::size_t index) {
  return index == 0 ? 0 : std::uint64_t{1} << (index - 1);
}

/// Of one call site in a thread.
class CallCounts {
public:
  void add_size(std::uint64_t bytes) { size_of(bytes).add(bytes); }
  /// Where payloads of that size are counted; it stays there.
  SizeCount& size_of(std::uint64_t bytes) { return sizes_[size_class(bytes)]; }
  /// `weight`: the calls that this one stands for.
  void add_duration(std::uint64_t ticks, std::uint64_t weight) {
    durations_[duration_class(ticks)] += weight;
  }

  const std::array<std::uint64_t, duration_classes>& durations() const { return durations_; }
  const std::array<SizeCount, size_classes>& sizes() const { return sizes_; }
  std::uint64_t bytes() const;

private:
  std::array<std::uint64_t, duration_classes> durations_{};
  std::array<SizeCount, size_classes> sizes_{};
};

/// Calls by class, of many ranks.
using DurationCounts = std::map<std::uint16_t, std::uint64_t>;
using SizeCounts = std::map<std::uint16_t, SizeCount>;

DurationCounts duration_counts(const CallCounts& counts);
SizeCounts size_counts(const CallCounts& counts);

/// The same by classes of a clock whose ticks are `ratio` times as long.
DurationCounts scaled(const DurationCounts& counts, double ratio);

/// In ticks: that share of the calls took no longer. Right to the class; between its ends, calls are taken to
/// be spread evenly. 0 where there are no calls.
double quantile(const DurationCounts& counts, double share);

} // namespace thalweg::mpi::observe
