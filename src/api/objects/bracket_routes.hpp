// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which ways combined messages go between the ranks of an association: phase by phase along a virtual mesh
// (Kumar 2005, sections 3.1 and 6.2). One dimension is direct sending, two the mesh, three the grid, and
// sides of 2 the hypercube.

#include "base/rank.hpp"
#include "topology/virtual_mesh.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace thalweg::objects {

/// How the calls of an association's brackets travel.
enum class BracketStrategy { direct, mesh, grid, hypercube, stream };

std::string_view to_text(BracketStrategy combining);
/// The one with that name, or none.
std::optional<BracketStrategy> find_combining(std::string_view text);
/// Throws Error for other words.
BracketStrategy parse_combining(std::string_view text);
/// Of the virtual mesh of so many ranks; with `stream`, calls are not combined, and go directly.
std::int32_t dimensions_of(BracketStrategy combining, std::int32_t ranks);
std::vector<std::int32_t> sides_of(BracketStrategy combining, std::int32_t ranks);

class BracketRoutes {
public:
  BracketRoutes(BracketStrategy combining, std::int32_t ranks, Rank rank);

  std::size_t phases() const { return receivers_.size(); }
  /// Who gets in a phase what this rank holds for `destination`: maybe itself, which keeps it.
  Rank hop(Rank destination, std::size_t phase) const;
  /// All to whom that may lead. In phases but the last also those who may send to this rank, which holes make
  /// others: so whoever waits for a rank has sent to it, and a rank without elements learns of the iteration.
  const std::vector<Rank>& receivers(std::size_t phase) const { return receivers_[phase]; }
  /// How many ranks send to this one in a phase that is not the last.
  std::size_t senders(std::size_t phase) const { return receivers_[phase].size(); }

private:
  topology::VirtualMesh mesh_;
  Rank rank_;
  std::vector<std::vector<Rank>> receivers_; ///< by phase
};

} // namespace thalweg::objects
