// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The alias method as it was published: the yardstick for what line.hpp makes of it, and the better one where
// targets are alike and order does not matter.
//
//     Ranks that lack tasks are served one after the other by the first rank that has too many. Once that one
//     has fallen below its target, it joins the end of the queue, and the next rank serves. So everybody
//     receives from one rank, and sends only what it had from the beginning. It takes O(P) time and cannot be
//     cut into parts: who serves whom depends on all before.
//
// Source: Sudheer Kumar 2012, section 5.3 (after Walker 1977, which draws from discrete distributions).

#include "balance/flow.hpp"

namespace thalweg::balancing {

/// The flow as printed. Where the tasks are no multiple of the ranks, the first ranks of the order hold a
/// phantom each, which leaves with the first message. So loads end between k - 2 and k, the rounded-up share.
/// A rank that has been served to the last task gives once more, which makes up to twice as many messages as
/// are needed.
Flow alias_as_printed(std::span<const Tasks> loads, std::span<const Rank> order);

/// The same for given targets, none of which is more than a giver has; and a rank gives no more once it has
/// reached its own.
Flow alias_queued(std::span<const Tasks> loads, std::span<const Tasks> targets, std::span<const Rank> order);

} // namespace thalweg::balancing
