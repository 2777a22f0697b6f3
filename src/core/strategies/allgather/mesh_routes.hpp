// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/strategy.hpp"

namespace thalweg::strategies::allgather {

/// All-gather by message combining on a virtual mesh of at most `dimensions` dimensions, holes included.
void append_on_mesh(Builder& b, std::int32_t dimensions);

} // namespace thalweg::strategies::allgather
