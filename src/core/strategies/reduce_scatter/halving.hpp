// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/exchange.hpp"

namespace thalweg::strategies::reduce_scatter {

/// Reduce-scatter by recursive halving over places in base `radix`. Ranks beyond a power of the radix fold
/// into a neighbor that speaks for them and hands them their sum at the end. Furthest first: messages are
/// intervals of blocks. Nearest first: messages are strided rows, and the order of ranks is kept.
void append_halving(Builder& builder, std::int32_t radix, ExchangeOrder order);

/// How many ranks exchange with one another: the parameter `radix`.
Parameter radix_parameter();

} // namespace thalweg::strategies::reduce_scatter
