// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The ways in which examples of streams send their items, and the options that all of them have for it.

#include "bench/program/aggregator.hpp"
#include "common/options.hpp"
#include "thalweg/stream.hpp"

namespace thalweg::examples {

using thalweg::by_hand::Aggregator;
using thalweg::by_hand::AggregatorOptions;

struct Way {
  bool is_stream = true;
  stream_options stream;
  AggregatorOptions by_hand;
};

inline Options& add_way_options(Options& options) {
  return options
      .add("way", "stream",
           "direct: a message an item; buffered: buffers made by hand; stream: thalweg::stream")
      .add("buffer-bytes", "0", "of a buffer; 0: 16384 by hand, what Thalweg thinks best in streams")
      .add("shape", "auto", "mesh of a stream: direct, or sides such as 2x4");
}

/// `max_pending`: items of a rank that wait in buffers, 0 for as many as there are.
inline Way way_of(Options const& options, std::size_t max_pending = 0) {
  std::size_t const chosen = options.choice("way", {"direct", "buffered", "stream"});
  auto const bytes = static_cast<std::size_t>(options.integer("buffer-bytes", 0, 1 << 20));
  Way way;
  way.is_stream = chosen == 2;
  way.stream.buffer_bytes = bytes;
  way.stream.max_pending_items = max_pending;
  if (options.text("shape") != "auto")
    way.stream.shape = options.text("shape");
  way.by_hand.max_pending = max_pending;
  if (chosen == 0)
    way.by_hand.buffer_bytes = 1; // so that each item goes by itself
  else if (bytes != 0)
    way.by_hand.buffer_bytes = bytes;
  return way;
}

} // namespace thalweg::examples
