// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Direct strategies differ in the order in which partners are met and in how far ahead a rank may run. Both
// are here. Orders are permutations step by step: in step i the ranks' sends are one permutation. The pace is
// a sliding window of exchanges under way, or token barriers between steps that keep all ranks in the same
// permutation, as a congestion-free one must be (Kumar 2005, section 4.4).

#include "strategies/strategy.hpp"

#include <functional>
#include <span>

namespace thalweg::strategies {

enum class Barrier : std::int64_t { none, step, lb };

/// One step of a direct strategy; a peer of -1: nobody to send to, or to receive from, in this step.
struct Exchange {
  Rank to = -1;
  Rank from = -1;
};

Parameter window_parameter(std::int64_t default_value);
Parameter barrier_parameter();

/// Appends a dissemination barrier of tokens, in stages of its own.
void append_token_barrier(Builder& b);

struct Pace {
  Barrier barrier = Barrier::none;
  std::size_t window = 1;
};

/// The pace that a strategy's parameters `window` and `barrier` ask for.
Pace pace_of(const Builder& b);

/// Appends steps at that pace, which `append` adds; each gives what it added, nothing where a rank rests.
void append_paced(
    Builder& b, std::size_t steps, Pace pace,
    const std::function<schedule::After(std::size_t step, const schedule::After& after)>& append);

/// Appends the exchanges at that pace:
///   none   exchange i starts when exchange i - window has finished
///   step   a barrier between any two steps
///   lb     a barrier between any `window` steps, which are all under way together
/// All ranks must give the same number of exchanges, those without peers included.
void append_exchanges(Builder& b, std::span<const Exchange> exchanges,
                      const std::function<schedule::BlockList(Rank to)>& sent,
                      const std::function<schedule::BlockList(Rank from)>& received, Pace pace);

/// Step k: send to rank+k, receive from rank-k.
std::vector<Exchange> cyclic_order(Rank rank, std::int32_t ranks);

/// Step j: exchange with rank XOR j. Where the ranks are no power of two there are as many steps as for the
/// next one, and a rank rests in the steps whose partner does not exist.
std::vector<Exchange> prefix_order(Rank rank, std::int32_t ranks);

/// The nearest on a ring first, both ways in turn: to rank+1, rank-1, rank+2, rank-2, ..
std::vector<Exchange> ring_order(Rank rank, std::int32_t ranks);

} // namespace thalweg::strategies
