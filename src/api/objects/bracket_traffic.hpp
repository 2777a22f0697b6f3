// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What traveled in an association's brackets between two fences, counted on a rank.

#include "base/assertion.hpp"
#include "base/rank.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace thalweg::objects {

/// Of a rank. Calls that travel combined count as one message from their rank to the one that they are for.
struct RankPeriod {
  double iterations = 0;
  double messages = 0;
  double bytes = 0;
  double received_messages = 0; ///< 0, as are bytes, where calls were not combined
  double received_bytes = 0;
  double seconds = 0;         ///< that running messages took
  double multicast_bytes = 0; ///< of these bytes, for several ranks each
};

/// Counts it on one of so many ranks.
class BracketTraffic {
public:
  explicit BracketTraffic(std::int32_t ranks) : called_(static_cast<std::size_t>(ranks)) {}

  /// A call of an iteration to a rank. The first one opens a message there, also where none is combined.
  void note_call(Rank to, std::uint32_t iteration) {
    THALWEG_ASSERT(light, to >= 0 && static_cast<std::size_t>(to) < called_.size());
    if (std::uint32_t& next = called_[static_cast<std::size_t>(to)]; next <= iteration) {
      next = iteration + 1;
      ++period_.messages;
    }
  }
  void note_bytes(std::size_t bytes) { period_.bytes += static_cast<double>(bytes); }
  /// The same bytes for so many ranks.
  void note_multicast(std::size_t bytes, std::size_t ranks) {
    period_.multicast_bytes += static_cast<double>(bytes * ranks);
  }
  void note_received(std::uint32_t messages, std::size_t bytes) {
    period_.received_messages += messages;
    period_.received_bytes += static_cast<double>(bytes);
  }
  /// An element has ended its iteration.
  void note_end() { ++period_.iterations; }
  /// Iterations count from 0 again.
  void restart() { called_.assign(called_.size(), 0); }
  /// Since the last one, on a rank with so many elements. The seconds are the caller's to fill in.
  RankPeriod take(std::size_t elements) {
    RankPeriod taken = std::exchange(period_, {});
    if (elements != 0)
      taken.iterations /= static_cast<double>(elements);
    return taken;
  }

private:
  RankPeriod period_;
  std::vector<std::uint32_t> called_; ///< by rank: the first iteration in which it was not called yet
};

} // namespace thalweg::objects
