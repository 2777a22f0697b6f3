// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Folds a sequence of calls into loops while it grows, so that what a program repeats is kept once (as
// ScalaTrace does; Noeth, Ratn, Mueller, Schulz, de Supinski 2009, "ScalaTrace: scalable compression and
// replay of communication traces for high-performance computing"). Nothing of the sequence gets lost, but
// that the times before calls are added up.

#include "pattern/call_trace.hpp"

#include <unordered_map>

namespace thalweg::pattern {

class LoopFolder {
public:
  /// Keeps at most so many items, those inside of loops too.
  explicit LoopFolder(std::size_t items_max) : items_max_(items_max) {}

  /// A call, by its number, before which so much was computed. False: there is no room for it.
  bool append(std::uint32_t call, std::uint64_t computed);

  /// The items so far, with the mean of the times of each, `scale` times what was given. The folder is empty
  /// then.
  std::vector<TraceItem> take(double scale = 1);

private:
  /// The longest body of a loop that is looked for, in items.
  static constexpr std::size_t body_max = std::size_t{1} << 14;
  /// Of how many earlier items that are like the last it is asked whether a body ended there.
  static constexpr int tries_max = 64;

  void push(TraceItem item);
  TraceItem pop();
  bool grow_loop();
  bool make_loop();
  bool is_next_round(std::size_t place) const;
  bool is_repeated(std::size_t first, std::size_t second, std::size_t length) const;

  std::size_t items_max_;
  std::size_t kept_ = 0; ///< items, those in loops too
  std::vector<TraceItem> items_;
  std::vector<std::size_t> before_;                     ///< of each item the last one before that is like it
  std::unordered_map<std::uint64_t, std::size_t> last_; ///< by hash: where the last such item is
  /// Loops that may grow when there are so many items.
  std::unordered_map<std::size_t, std::vector<std::size_t>> grows_at_;
};

} // namespace thalweg::pattern
