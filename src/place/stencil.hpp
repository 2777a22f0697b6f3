#pragma once

// Patterns that are meshes of any dimensions themselves, under any numbering of their tasks: stencils, rows,
// hypercubes. What is recognized is mapped without search.

#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

#include <optional>

namespace thalweg::place {

/// A task's place in the mesh that its pattern is.
struct Stencil {
  std::vector<std::int32_t> extents;
  /// By task, dimension and the next task; tasks beyond the mesh's places have no neighbors and no
  /// coordinates.
  std::vector<std::int32_t> coordinates;
  std::int32_t places = 1;
};

/// The mesh, where all tasks with neighbors are one: each pair of places one step apart talks, and no other.
/// From a corner, coordinates follow: of a task with several neighbors nearer to the corner, they are the
/// largest of theirs. O(edges).
std::optional<Stencil> recognized(const Graph& graph);

/// Mappings for a stencil: onto a box of the same sides, or of sides that its own multiply up to; and else
/// along Hilbert curves of both. Empty where nothing fits.
std::vector<Mapping> closed_forms(const Stencil& stencil, const Graph& graph, const Distances& distances);

} // namespace thalweg::place
