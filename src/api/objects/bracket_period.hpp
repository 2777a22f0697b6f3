// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What traveled in an association's brackets between two fences, from rank to rank (Kumar 2005, section 6.4:
// the tuple [delta, m, P]).

#include "model/many_to_many.hpp"

#include <span>

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

/// Of all ranks.
struct Period {
  double iterations = 0;
  model::ManyToMany pattern; ///< of an iteration
  double seconds = 0;        ///< of an iteration, with all that ran meanwhile
  double total_seconds = 0;
};

/// Where calls were not combined, ranks are taken to receive as they send.
Period period_of(std::span<const RankPeriod> ranks);

} // namespace thalweg::objects
