// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who serves whom along an order of the ranks, from two prefix sums.
//
//     surpluses   |-----A-----|--B--|------C------|
//     deficits    |--p--|---q----|-r-|-----s------|
//
// What ranks have too much of is laid out on a line, one rank behind the other, and so is what ranks lack.
// The prefix sums are where a rank's stretch begins. Both rows are of one length.
//
//     sweep   Whoever lies above serves whoever lies below: A p, A q, B q, B r, C r, C s. The fewest tasks
//             move. It is QWalk's scheme with the messages to one rank put together (Sudheer Kumar 2012,
//             section 5.5).
//     alias   Each deficit is served as a whole by whoever lies above its beginning: A p, A q, B r, C s. He
//             may have too little then, and gets that at once from the next: B A, C B. So everybody receives
//             one message (the alias method, section 5.3, with its ranks kept in order).
//
// Both have the same number of messages. The line can be cut into slices that are worked on apart, by any
// rank that knows the stretches that begin in its slice and the last ones before. So all of it takes
// O(log P) rounds in parallel.

#include "balance/flow.hpp"
#include "base/rank.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::balancing {

/// The ranks, those of a node one after the other, and of its sockets. `sockets` is empty where nobody knows.
/// Else they stay in their order.
std::vector<Rank> near_order(std::span<const std::int32_t> nodes, std::span<const std::int32_t> sockets);

/// Does it name each of its places once?
bool is_order(std::span<const Rank> order);

/// What a rank has too much of, or lacks, as a place on the line.
struct Stretch {
  Rank rank = -1;
  Tasks begin = 0;
  Tasks size = 0;

  Tasks end() const { return begin + size; }
  bool operator==(const Stretch&) const = default;
};

/// All that begins in a part of the line, in order, and the last that begins before it (size 0: none).
struct Slice {
  Stretch surplus_before;
  Stretch deficit_before;
  std::span<const Stretch> surpluses;
  std::span<const Stretch> deficits;
};

/// The whole line.
struct Line {
  std::vector<Stretch> surpluses;
  std::vector<Stretch> deficits;

  Slice slice() const { return {{}, {}, surpluses, deficits}; }
};

/// Lays out loads over targets in the order of the ranks. The sums of loads and targets have to be equal.
Line line_of(std::span<const Tasks> loads, std::span<const Tasks> targets, std::span<const Rank> order);

enum class Service : std::uint8_t { sweep, alias };

/// The transfers that begin in a slice, in the order of the line. Those of all slices are those of the line.
/// alias: a rank may be asked for more than it has if targets differ by more than loads allow; is_ready()
/// tells.
Flow served(Service service, const Slice& slice);

/// Can all ranks send at once, that is, before they have received anything?
bool is_ready(std::span<const Tasks> loads, const Flow& flow);

/// Who serves whom along an order of the ranks, each the nearest that is left, like brackets.
///
///     order   A +2   p -1   B +1   q -1   r -2   C +1
///               |------|      |------|      |      |      A p, B q: the last that is open is met first
///               |---------------------------|      |      A r
///                                           |------|      C r
///
/// On the line the first surplus meets the first deficit. Once loads have drifted, all tasks
/// travel as far as the drift lasts. Here most of them stay near. Along a row of nodes both are as far in
/// sum. But on a mesh or torus many short ways and a few long ones are less, as the hops between two ranks
/// grow with a root of their distance in the order.
///
/// Messages, tasks and their bounds are as on the line, and so are the two ways to serve. It follows from one
/// prefix sum: a surplus covers the sums between that before it and that behind it, and each sum is paid for
/// by the next deficit that covers it. So ranks could find each other over a tree of minima; this is the form
/// for one that knows all loads. O(P).
///
/// That brackets are best where costs are concave: Aggarwal et al. 1992, "Efficient minimum cost matching
/// using quadrangle inequality".
///
/// The sums of loads and targets have to be equal. alias: is_ready() tells whether all can leave at once.
Flow nested(Service service, std::span<const Tasks> loads, std::span<const Tasks> targets,
            std::span<const Rank> order);

} // namespace thalweg::balancing
