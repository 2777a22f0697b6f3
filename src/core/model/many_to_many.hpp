// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a many-to-many exchange takes where each rank sends to some others only (Kumar 2005, section 3.3.1):
// by the number of ranks that one sends to, the bytes of a message and the ranks that take part.
//
//              distinct messages                          multicasts
//   direct     delta (alpha + m beta)            (3.20)   delta (alpha + m beta)            (3.24)
//   2-D mesh   2 sqrt(P) alpha + 2 delta m beta  (3.17)   2 sqrt(P) alpha + delta m beta    (3.21)
//   3-D mesh   3 cbrt(P) alpha + 3 delta m beta  (3.18)   3 cbrt(P) alpha + delta m beta    (3.22)
//   hypercube  log2(P) (alpha + delta m beta)    (3.19)   log2(P) alpha + delta m beta      (3.23)
//
// In a mesh the number of messages is fixed, as ranks without data send empty ones. Here the sides may be
// any. A multicast goes to several ranks: it is one message to all of them that is copied where their ways
// part, so in a mesh each byte counts once, and not once for each dimension. That is exact where nearly all
// ranks are called. With few the ways part early, and a mesh takes up to what distinct messages take.
//
// A dimension of side k then has k - 1 messages for each rank, which carry all but one k-th of what it
// holds: half of it in a hypercube, where the equation has all. Alpha and beta are model/message_terms.hpp's,
// with packing.
//
// The equations are for uniform patterns. Others are bounded by their busiest ranks: as many messages as the
// busiest sends or receives, if they go directly; the busiest sender's bytes in the first dimension of a mesh
// and the busiest receiver's in the last one.

#include "model/message_terms.hpp"

#include <cstdint>
#include <span>

namespace thalweg::model {

/// What a rank sends, or receives, of other ranks' data.
struct Volume {
  double messages = 0; ///< one for each other rank
  double bytes = 0;    ///< of all of them
};

struct ManyToMany {
  Volume mean;           ///< of all ranks; as much is sent as is received
  Volume busiest_sender; ///< the most messages and the most bytes, of different ranks maybe
  Volume busiest_receiver;
  double multicast = 0; ///< the part of the bytes that goes to several ranks each
};

/// Seconds, along a virtual mesh with these sides; one side: directly.
double many_to_many_seconds(const MessageTerms& terms, std::span<const std::int32_t> sides,
                            const ManyToMany& pattern);

} // namespace thalweg::model
