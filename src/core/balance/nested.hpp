// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who serves whom along an order of the ranks, each the nearest that is left, like brackets.
//
//     order   A +2   p -1   B +1   q -1   r -2   C +1
//               |------|      |------|      |      |      A p, B q: the last that is open is met first
//               |---------------------------|      |      A r
//                                           |------|      C r
//
// On the line of line.hpp the first surplus meets the first deficit. Once loads have drifted, all tasks
// travel as far as the drift lasts. Here most of them stay near. Along a row of nodes both are as far in sum.
// But on a mesh or torus many short ways and a few long ones are less, as the hops between two ranks grow
// with a root of their distance in the order.
//
// Messages, tasks and their bounds are as on the line, and so are the two ways to serve. It follows from one
// prefix sum: a surplus covers the sums between that before it and that behind it, and each sum is paid for
// by the next deficit that covers it. So ranks could find each other over a tree of minima; this is the form
// for one that knows all loads. O(P).
//
// That brackets are best where costs are concave: Aggarwal et al. 1992, "Efficient minimum cost matching
// using quadrangle inequality".

#include "balance/line.hpp"

namespace thalweg::balancing {

/// The flow. The sums of loads and targets have to be equal. alias: is_ready() tells whether all can leave at
/// once.
Flow nested(Service service, std::span<const Tasks> loads, std::span<const Tasks> targets,
            std::span<const Rank> order);

} // namespace thalweg::balancing
