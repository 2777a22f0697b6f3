#pragma once

#include "strategies/strategy.hpp"

namespace thalweg::strategies::alltoall {

/// All-to-all by message combining on a virtual mesh of at most `dimensions` dimensions, holes included.
void append_on_mesh(Builder& b, std::int32_t dimensions);

} // namespace thalweg::strategies::alltoall
