// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Patterns with dimensions of their own, under any numbering of their tasks: stencils, also periodic ones,
// rows, hypercubes, and the rows of all-to-all of an FFT in pencils. What is recognized is mapped without
// search.

#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

#include <functional>
#include <optional>

namespace thalweg::place {

/// Who talks to whom along a dimension.
enum class Shape : std::uint8_t {
  row,    ///< the next one
  ring,   ///< the next one, and the last the first; three at least
  clique, ///< all of them; four at least
};

/// A task's place in the product of rows, rings and cliques that its pattern is.
struct Stencil {
  std::vector<std::int32_t> extents;
  std::vector<Shape> shapes;
  /// By task, dimension and the next task; -1 of tasks that have no place.
  std::vector<std::int32_t> coordinates;
  std::int32_t places = 1;

  bool is_mesh() const;
  bool has_place(std::int32_t task) const { return coordinates[at(task) * extents.size()] >= 0; }
};

/// The product, where all tasks with neighbors are one: exactly those pairs talk that differ in one
/// coordinate, by a step of its shape. From a corner, coordinates follow: of a task with several neighbors
/// nearer to the corner, they are the farthest of theirs. A ring of four is two rows of two. O(edges *
/// dimensions).
std::optional<Stencil> recognized(const Graph& graph);

/// Gives mappings for a stencil to `note`, until it says that one is the best there can be: onto the box that
/// the slots are, with as many on each node, each extent along one side or folded onto several; and else
/// along Hilbert curves of both. Nothing where nothing fits.
void closed_forms(const Stencil& stencil, const Graph& graph, const Distances& distances,
                  const std::function<bool(const Mapping&)>& note);

} // namespace thalweg::place
