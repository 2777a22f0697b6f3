// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The stencil that most of a recorded pattern is. What programs send besides it is left out: calls with few
// bytes, such as reductions; the diagonals of stencils of 9 and 27 points; single edges across the grid. And
// single edges of it may be missing, as on a part of a box.

#include "place/graph.hpp"
#include "place/stencil.hpp"

#include <optional>

namespace thalweg::place {

/// As recognized(), but for nearly all of a pattern. Tasks without a place have -1 as coordinates; several
/// places may be without a task.
std::optional<Stencil> outlined(const Graph& graph);

/// The graph without its lightest edges: all of a weight, as long as they have few of the bytes together.
Graph without_light_edges(const Graph& graph);

/// The edges above the widest gap between weights that leaves most of the bytes: of faces' and diagonals'.
Graph above_widest_gap(const Graph& graph);

/// The faces of a stencil with diagonals: the edges whose ends share most neighbors. In each dimension that
/// they differ in, ends share two thirds of what they see. The graph itself where few edges are such.
Graph without_diagonals(const Graph& graph);

/// The edges that are in squares, as all of grids are. The graph itself where many are in none.
Graph without_crossing_edges(const Graph& graph);

} // namespace thalweg::place
