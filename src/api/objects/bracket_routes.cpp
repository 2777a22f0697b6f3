// SPDX-License-Identifier: BSD-3-Clause
#include "objects/bracket_routes.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace thalweg::objects {

std::string_view to_text(BracketStrategy combining) {
  switch (combining) {
  case BracketStrategy::direct:
    return "direct";
  case BracketStrategy::mesh:
    return "mesh";
  case BracketStrategy::grid:
    return "grid";
  case BracketStrategy::hypercube:
    return "hypercube";
  case BracketStrategy::stream:
    return "stream";
  }
  return "";
}

std::optional<BracketStrategy> find_combining(std::string_view text) {
  for (const BracketStrategy one : {BracketStrategy::direct, BracketStrategy::mesh, BracketStrategy::grid,
                                    BracketStrategy::hypercube, BracketStrategy::stream})
    if (to_text(one) == text)
      return one;
  return std::nullopt;
}

BracketStrategy parse_combining(std::string_view text) {
  if (const auto found = find_combining(text))
    return *found;
  throw Error(fmt::format("no strategy is called \"{}\"", text),
              "give \"direct\", \"mesh\", \"grid\", \"hypercube\", \"stream\" or \"auto\"");
}

std::int32_t dimensions_of(BracketStrategy combining, std::int32_t ranks) {
  switch (combining) {
  case BracketStrategy::mesh:
    return 2;
  case BracketStrategy::grid:
    return 3;
  case BracketStrategy::hypercube:
    return std::max(1, static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(ranks - 1))));
  default:
    return 1;
  }
}

std::vector<std::int32_t> sides_of(BracketStrategy combining, std::int32_t ranks) {
  const topology::VirtualMesh mesh(ranks, dimensions_of(combining, ranks));
  std::vector<std::int32_t> sides;
  for (std::int32_t dimension = 0; dimension < mesh.dimensions(); ++dimension)
    sides.push_back(mesh.side(dimension));
  return sides;
}

BracketRoutes::BracketRoutes(BracketStrategy combining, std::int32_t ranks, Rank rank)
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
