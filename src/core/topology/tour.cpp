// SPDX-License-Identifier: BSD-3-Clause
#include "topology/tour.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace thalweg::topology {

namespace {

/// Corners of a cube as bits, one a dimension. Rotations are among the `width` lowest.
using Corner = std::uint64_t;

Corner rotated_left(Corner bits, int by, int width) {
  by %= width;
  const Corner mask = (Corner{1} << width) - 1;
  return ((bits << by) | (bits >> (width - by))) & mask;
}

Corner rotated_right(Corner bits, int by, int width) {
  return rotated_left(bits, width - by % width, width);
}

Corner gray_code(std::uint64_t number) {
  return number ^ (number >> 1);
}

std::uint64_t gray_code_inverse(Corner code) {
  for (int shift = 1; shift < 64; shift *= 2)
    code ^= code >> shift;
  return code;
}

/// The corner at which sub-cube `number` of the curve is entered.
Corner entry(std::uint64_t number) {
  return number == 0 ? 0 : gray_code((number - 1) / 2 * 2);
}

/// The dimension along which it is crossed.
int direction(std::uint64_t number) {
  if (number == 0)
    return 0;
  return std::countr_one(number % 2 == 0 ? number - 1 : number);
}

} // namespace

HilbertCurve::HilbertCurve(std::span<const std::int32_t> extents) {
  for (std::size_t dimension = 0; dimension < extents.size(); ++dimension)
    if (extents[dimension] > 1)
      sides_.push_back({dimension, extents[dimension], ceil_log(2, extents[dimension])});
  std::ranges::stable_sort(sides_, std::greater{}, &Side::bits);
}

std::uint64_t HilbertCurve::key(std::span<const std::int32_t> coordinates) const {
  const auto spread = [&](const Side& side) {
    return (static_cast<std::uint64_t>(coordinates[side.dimension]) << side.bits) /
           static_cast<std::uint64_t>(side.extent);
  };
  THALWEG_ASSERT(heavy, std::ranges::all_of(sides_, [&](const Side& side) {
                   return side.dimension < coordinates.size() && coordinates[side.dimension] >= 0 &&
                          coordinates[side.dimension] < side.extent;
                 }));
  std::uint64_t result = 0;
  Corner entered = 0;
  int crossed = 0;
  std::size_t active = 0; // sides that have a bit at this level: those of before, and shorter ones
  for (int level = sides_.empty() ? 0 : sides_.front().bits; level-- > 0;) {
    while (active < sides_.size() && sides_[active].bits > level)
      ++active;
    const int width = static_cast<int>(active);
    Corner corner = 0;
    for (std::size_t side = 0; side < active; ++side)
      corner |= (spread(sides_[side]) >> level & 1U) << side;
    const std::uint64_t number = gray_code_inverse(rotated_right(corner ^ entered, crossed + 1, width));
    entered ^= rotated_left(entry(number), crossed + 1, width);
    crossed = (crossed + direction(number) + 1) % width;
    result = result << width | number;
  }
  return result;
}

std::vector<std::int32_t> hilbert_order(const Grid& grid, std::span<const Place> places) {
  const HilbertCurve curve(grid.extents());
  std::vector<std::pair<std::uint64_t, std::int32_t>> keys;
  keys.reserve(places.size());
  std::vector<std::int32_t> coordinates(grid.dimensions());
  for (const Place place : places) {
    for (std::size_t dimension = 0; dimension < coordinates.size(); ++dimension)
      coordinates[dimension] = grid.coordinate(place, dimension);
    keys.emplace_back(curve.key(coordinates), static_cast<std::int32_t>(keys.size()));
  }
  std::ranges::sort(keys);
  std::vector<std::int32_t> order;
  order.reserve(keys.size());
  for (const auto& [key, index] : keys)
    order.push_back(index);
  return order;
}

namespace {

/// Joining takes the square of their number.
constexpr std::size_t pieces_max = 2000;

class DisjointSets {
public:
  explicit DisjointSets(std::size_t size) {
    parents_.resize(size);
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
  }

  std::size_t root(std::size_t member) {
    while (parents_[member] != member)
      member = parents_[member] = parents_[parents_[member]];
    return member;
  }
  void join(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }

private:
  std::vector<std::size_t> parents_;
};

/// Where a piece begins in a dimension that wraps: behind its widest gap.
std::int32_t first_coordinate(const Grid& grid, std::span<const Place> places, std::size_t dimension) {
  std::vector<std::int32_t> used;
  used.reserve(places.size());
  for (const Place place : places)
    used.push_back(grid.coordinate(place, dimension));
  std::ranges::sort(used);
  if (!grid.wraps())
    return used.front();
  std::int32_t first = used.front();
  std::int32_t widest = used.front() + grid.extent(dimension) - used.back();
  for (std::size_t i = 1; i < used.size(); ++i)
    if (used[i] - used[i - 1] > widest) {
      widest = used[i] - used[i - 1];
      first = used[i];
    }
  return first;
}

/// Goes through a piece along the curve of the smallest box around it.
void follow_curve(const Grid& grid, std::span<const Place> places, std::vector<std::int32_t>& piece) {
  std::vector<Place> own;
  for (const std::int32_t index : piece)
    own.push_back(places[static_cast<std::size_t>(index)]);
  std::vector<std::int32_t> extents;
  std::vector<Place> moved(own.size());
  Place stride = 1;
  for (std::size_t dimension = 0; dimension < grid.dimensions(); ++dimension) {
    const std::int32_t first = first_coordinate(grid, own, dimension);
    std::int32_t extent = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const auto coordinate = static_cast<std::int32_t>(
          modulo(grid.coordinate(own[i], dimension) - first, grid.extent(dimension)));
      moved[i] += coordinate * stride;
      extent = std::max(extent, coordinate + 1);
    }
    extents.push_back(extent);
    stride *= extent;
  }
  std::vector<std::int32_t> ordered;
  for (const std::int32_t index : hilbert_order(Grid(extents, false), moved))
    ordered.push_back(piece[static_cast<std::size_t>(index)]);
  piece = std::move(ordered);
}

/// Joins pieces, each in its order, to one tour.
std::vector<std::int32_t> joined(const Grid& grid, std::span<const Place> places,
                                 std::vector<std::vector<std::int32_t>> parts) {
  const auto hops = [&](std::int32_t a, std::int32_t b) {
    return grid.hops(places[static_cast<std::size_t>(a)], places[static_cast<std::size_t>(b)]);
  };
  std::vector<std::int32_t> order = std::move(parts.front());
  parts.erase(parts.begin());
  while (!parts.empty()) {
    const auto distance = [&](const std::vector<std::int32_t>& part) {
      return std::min(hops(order.back(), part.front()), hops(order.back(), part.back()));
    };
    const auto nearest = std::ranges::min_element(parts, {}, distance);
    if (hops(order.back(), nearest->back()) < hops(order.back(), nearest->front()))
      std::ranges::reverse(*nearest);
    order.insert(order.end(), nearest->begin(), nearest->end());
    parts.erase(nearest);
  }
  return order;
}

} // namespace

std::vector<std::vector<std::int32_t>> pieces(const Grid& grid, std::span<const Place> places) {
  std::vector<Place> sorted(places.begin(), places.end());
  std::ranges::sort(sorted);
  const auto number = [&](Place place) {
    return static_cast<std::size_t>(std::ranges::lower_bound(sorted, place) - sorted.begin());
  };
  DisjointSets sets(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    for (std::size_t dimension = 0; dimension < grid.dimensions(); ++dimension) {
      const Place ahead = grid.neighbor(sorted[i], dimension, 1);
      const std::size_t other = ahead < 0 ? sorted.size() : number(ahead);
      if (other < sorted.size() && sorted[other] == ahead)
        sets.join(number(sorted[i]), other);
    }
  std::vector<std::vector<std::int32_t>> found;
  std::vector<std::size_t> piece_of(sorted.size(), sorted.size());
  for (std::size_t index = 0; index < places.size(); ++index) {
    std::size_t& piece = piece_of[sets.root(number(places[index]))];
    if (piece == sorted.size()) {
      piece = found.size();
      found.emplace_back();
    }
    found[piece].push_back(static_cast<std::int32_t>(index));
  }
  return found;
}

std::vector<std::int32_t> tour(const Grid& grid, std::span<const Place> places) {
  std::vector<std::int32_t> curve = hilbert_order(grid, places);
  std::vector<std::vector<std::int32_t>> parts = pieces(grid, places);
  if (parts.empty() || parts.size() > pieces_max)
    return curve;
  for (std::vector<std::int32_t>& part : parts)
    follow_curve(grid, places, part);
  std::vector<std::int32_t> through_pieces = joined(grid, places, std::move(parts));
  THALWEG_ASSERT(light, through_pieces.size() == places.size());
  return tour_hops(grid, places, through_pieces) < tour_hops(grid, places, curve) ? through_pieces : curve;
}

std::int64_t tour_hops(const Grid& grid, std::span<const Place> places, std::span<const std::int32_t> order) {
  std::int64_t total = 0;
  for (std::size_t i = 1; i < order.size(); ++i)
    total +=
        grid.hops(places[static_cast<std::size_t>(order[i - 1])], places[static_cast<std::size_t>(order[i])]);
  return total;
}

} // namespace thalweg::topology
