#include "topology/grid_interconnect.hpp"

#include "core/arithmetic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thalweg::topology {

void GridInterconnect::append_route(Place from, Place to, std::vector<LinkShare>& route) const {
  const auto dimensions = static_cast<Link>(grid_.dimensions());
  for (std::size_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
    const std::int64_t extent = grid_.extent(dimension);
    std::int64_t ahead = grid_.coordinate(to, dimension) - grid_.coordinate(from, dimension);
    if (grid_.wraps()) {
      ahead = modulo(ahead, extent);
      if (2 * ahead > extent)
        ahead -= extent;
    }
    const std::int32_t step = ahead < 0 ? -1 : 1;
    for (; ahead != 0; ahead -= step) {
      route.push_back({2 * (from * dimensions + static_cast<Link>(dimension)) + (step < 0 ? 1 : 0), 1});
      from = grid_.neighbor(from, dimension, step);
    }
  }
}

std::string GridInterconnect::link_name(Link link) const {
  const auto dimensions = static_cast<Link>(grid_.dimensions());
  const Place place = link / 2 / dimensions;
  const auto dimension = static_cast<std::size_t>(link / 2 % dimensions);
  std::vector<std::int32_t> coordinates;
  for (std::size_t each = 0; each < grid_.dimensions(); ++each)
    coordinates.push_back(grid_.coordinate(place, each));
  constexpr std::string_view letters = "xyzuvw";
  const std::string axis =
      dimension < letters.size() ? std::string(1, letters[dimension]) : fmt::format("d{}", dimension);
  return fmt::format("({}){}{}", fmt::join(coordinates, ","), link % 2 == 0 ? '+' : '-', axis);
}

} // namespace thalweg::topology
