// SPDX-License-Identifier: BSD-3-Clause
#include "objects/bracket_routes.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace thalweg::objects {

std::string_view to_text(Combining combining) {
  switch (combining) {
  case Combining::direct:
    return "direct";
  case Combining::mesh:
    return "mesh";
  case Combining::grid:
    return "grid";
  case Combining::hypercube:
    return "hypercube";
  case Combining::stream:
    return "stream";
  }
  return "";
}

std::optional<Combining> find_combining(std::string_view text) {
  for (const Combining one :
       {Combining::direct, Combining::mesh, Combining::grid, Combining::hypercube, Combining::stream})
    if (to_text(one) == text)
      return one;
  return std::nullopt;
}

Combining parse_combining(std::string_view text) {
  if (const auto found = find_combining(text))
    return *found;
  throw Error(fmt::format("no strategy is called \"{}\"", text),
              "give \"direct\", \"mesh\", \"grid\", \"hypercube\", \"stream\" or \"auto\"");
}

std::int32_t dimensions_of(Combining combining, std::int32_t ranks) {
  switch (combining) {
  case Combining::mesh:
    return 2;
  case Combining::grid:
    return 3;
  case Combining::hypercube:
    return std::max(1, static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(ranks - 1))));
  default:
    return 1;
  }
}

std::vector<std::int32_t> sides_of(Combining combining, std::int32_t ranks) {
  const topology::VirtualMesh mesh(ranks, dimensions_of(combining, ranks));
  std::vector<std::int32_t> sides;
  for (std::int32_t dimension = 0; dimension < mesh.dimensions(); ++dimension)
    sides.push_back(mesh.side(dimension));
  return sides;
}

BracketRoutes::BracketRoutes(Combining combining, std::int32_t ranks, Rank rank)
    : mesh_(ranks, dimensions_of(combining, ranks)), rank_(rank) {
  for (std::int32_t phase = 0; phase < mesh_.dimensions(); ++phase) {
    std::vector<Rank>& all = receivers_.emplace_back(mesh_.receivers(rank, phase));
    if (phase + 1 == mesh_.dimensions())
      break;
    for (const Rank sender : mesh_.senders(rank, phase))
      if (std::ranges::find(all, sender) == all.end())
        all.push_back(sender);
  }
}

Rank BracketRoutes::hop(Rank destination, std::size_t phase) const {
  if (phases() == 1)
    return destination;
  const auto dimension = static_cast<std::int32_t>(phase);
  const std::int32_t wanted = mesh_.coordinate(destination, dimension);
  return wanted == mesh_.coordinate(rank_, dimension) ? rank_ : mesh_.towards(rank_, dimension, wanted);
}

} // namespace thalweg::objects
