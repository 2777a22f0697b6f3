// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/strategy.hpp"
#include "topology/virtual_mesh.hpp"

namespace thalweg::strategies::alltoall {

/// All-to-all by message combining on a virtual mesh over the builder's ranks, holes included.
void append_on_mesh(Builder& b, const topology::VirtualMesh& mesh);

} // namespace thalweg::strategies::alltoall
