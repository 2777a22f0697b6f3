// SPDX-License-Identifier: BSD-3-Clause
#include "stream/item_route.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace thalweg::streams {

namespace {

std::uint64_t reciprocal_of(std::uint32_t side) {
  return UINT64_MAX / side + 1; // 0 for a side of 1, which only a mesh of one rank has
}

Error no_shape(std::string_view text, std::int32_t ranks, const std::string& why) {
  return {fmt::format("the shape {} for {} ranks: {}", text, ranks, why),
          "give \"direct\", or the sides of a mesh as \"4x8\": the last is as short as holds all ranks"};
}

} // namespace

Shape parse_shape(std::string_view text, std::int32_t ranks) {
  if (text == "direct")
    return {ranks};
  Shape shape;
  std::int64_t inner = 1;
  for (const char *at = text.data(), *const end = at + text.size();;) {
    std::int32_t side = 0;
    const auto [behind, failure] = std::from_chars(at, end, side);
    if (failure != std::errc() || side < 1)
      throw no_shape(text, ranks, "a side is a whole number from 1 on");
    shape.push_back(side);
    if (behind == end)
      break;
    inner *= side;
    if (*behind != 'x' || inner > ranks)
      throw no_shape(text, ranks, "sides stand between x, and are no more ranks than there are");
    at = behind + 1;
  }
  if (shape.back() != ceil_divide(std::int64_t{ranks}, inner))
    throw no_shape(text, ranks, fmt::format("the last side is {}", ceil_divide(std::int64_t{ranks}, inner)));
  for (std::size_t d = 0; d < shape.size() && shape.size() > 1; ++d)
    if (shape[d] < 2)
      throw no_shape(text, ranks, "a side of 1 is no dimension");
  return shape;
}

std::string to_text(const Shape& shape) {
  return shape.size() == 1 ? "direct" : fmt::format("{}", fmt::join(shape, "x"));
}

ItemRoute::ItemRoute(const Shape& shape, std::int32_t ranks, Rank rank, std::span<const Rank> rank_of_cell)
    : shape_(shape) {
  const topology::VirtualMesh mesh(ranks, shape);
  const auto rank_at = [&](Rank cell) {
    return cell < 0 || rank_of_cell.empty() ? cell : rank_of_cell[static_cast<std::size_t>(cell)];
  };
  const Rank own_cell = rank_of_cell.empty()
                            ? rank
                            : static_cast<Rank>(std::ranges::find(rank_of_cell, rank) - rank_of_cell.begin());
  THALWEG_ASSERT(light, rank >= 0 && rank < ranks);
  THALWEG_ASSERT(light, rank_of_cell.empty() || rank_of_cell.size() == static_cast<std::size_t>(ranks));
  std::int64_t cells_left = 1;
  for (std::int32_t d = 0; d < mesh.dimensions(); ++d) {
    const auto side = static_cast<std::uint32_t>(mesh.side(d));
    const auto own = static_cast<std::uint32_t>(mesh.coordinate(own_cell, d));
    dimensions_.push_back({side, own, static_cast<std::uint32_t>(peers_.size()), reciprocal_of(side)});
    const bool is_last = d + 1 == mesh.dimensions();
    for (std::uint32_t coordinate = 0; coordinate < side; ++coordinate) {
      const bool is_own = coordinate == own;
      const Rank to = is_own ? (is_last ? rank : -1)
                             : rank_at(mesh.towards(own_cell, d, static_cast<std::int32_t>(coordinate)));
      peers_.push_back({to, static_cast<std::uint32_t>(d)});
    }
    senders_.emplace_back(mesh.senders(own_cell, d));
    for (Rank& sender : senders_.back())
      sender = rank_at(sender);
    if (is_last)
      senders_.back().push_back(rank);
    cells_left *= d == 0 ? 1 : mesh.side(d);
  }
  THALWEG_ASSERT(light, peers_[own_link()].rank == rank);
  tag_bytes_ = cells_left <= UINT16_MAX ? 2 : 4;
  add_quiescence_links(ranks, rank);
}

void ItemRoute::add_quiescence_links(std::int32_t ranks, Rank rank) {
  std::vector<Rank> senders;
  for (std::int64_t step = 1; step < ranks; step *= ItemRoute::quiescence_radix) {
    rounds_.push_back(static_cast<std::uint32_t>(peers_.size()));
    for (std::int64_t away = step; away < step * ItemRoute::quiescence_radix && away < ranks; away += step) {
      peers_.push_back({static_cast<Rank>((rank + away) % ranks), quiescence_dimension()});
      senders.push_back(static_cast<Rank>((rank + ranks - away) % ranks));
    }
  }
  rounds_.push_back(static_cast<std::uint32_t>(peers_.size()));
  THALWEG_ASSERT(light,
                 senders.size() == peers_.size() - rounds_.front()); // who hears it from others tells as many
  senders_.push_back(std::move(senders));
}

std::uint32_t ItemRoute::own_link() const {
  return dimensions_.back().first_link + dimensions_.back().own;
}

std::uint32_t ItemRoute::end_link(std::uint32_t dimension) const {
  return dimensions_[dimension].first_link + dimensions_[dimension].side;
}

} // namespace thalweg::streams
