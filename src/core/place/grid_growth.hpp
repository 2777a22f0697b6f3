// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The grid that most of a graph is, although edges are missing and others cross it: it grows from a vertex
// whose neighbors lie along clear axes, and each further vertex goes where most of its neighbors agree.
//
//     . . ? .        The vertex that is to have a place talks to b and c: it is where both are a step away.
//     . a b .        One that talks to b alone lies opposite of the neighbor of b with which it shares none
//     . c . .        but b.

#include "place/graph.hpp"
#include "place/stencil.hpp"

#include <optional>

namespace thalweg::place {

/// Rows and rings with coordinates for nearly all vertices that talk; those without have -1 as coordinates.
/// Of two to five dimensions; nothing where no axes are found, or few vertices get a place. O(edges *
/// degree^2) for small degrees; of a graph of larger ones nothing.
std::optional<Stencil> grown_grid(const Graph& graph);

} // namespace thalweg::place
