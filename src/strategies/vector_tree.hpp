#pragma once

// Scatter and gather inside of a vector: of as many equal parts as ranks, part r belongs to rank r and stays at its own
// place, so that no scratch is needed. Trees are k-nomial over relative ranks.

#include "strategies/tree_parameters.hpp"

namespace thalweg::strategies {

/// Each rank gets at least its own part of the root's vector, which lies in the same blocks everywhere: those from block
/// `first` of the buffer on. builder.pieces() must be a multiple of its ranks.
void append_part_scatter(Builder& builder, schedule::Buffer buffer, std::int32_t first, std::int32_t radix);

/// The root gets each rank's part into its own vector, from block `first` of its buffer on. Here the place may differ from rank to rank.
void append_part_gather(Builder& builder, schedule::Buffer buffer, std::int32_t first, std::int32_t radix);

} // namespace thalweg::strategies
