// SPDX-License-Identifier: BSD-3-Clause
#include "topology/grid.hpp"

#include "base/arithmetic.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace thalweg::topology {

std::vector<std::int32_t> parse_extents(std::string_view text) {
  std::vector<std::int32_t> extents;
  for (;;) {
    std::int32_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc{} || extent < 1)
      return {};
    extents.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty())
      return extents;
    if (text.front() != 'x')
      return {};
    text.remove_prefix(1);
  }
}

namespace {

constexpr int bits_max = 62;

} // namespace

Grid::Grid(std::vector<std::int32_t> extents, bool wraps) : extents_(std::move(extents)), wraps_(wraps) {
  if (extents_.empty())
    throw Error("a grid without dimensions", "give at least one extent");
  int bits = 0;
  for (const std::int32_t extent : extents_) {
    if (extent < 1)
      throw Error(fmt::format("{} has an extent of {}", name(), extent), "choose extents above 0");
    bits += ceil_log(2, extent);
    if (bits > bits_max)
      throw Error(fmt::format("{} has too many places", name()),
                  fmt::format("their coordinates have to fit into {} bits", bits_max));
    strides_.push_back(places_);
    places_ *= extent;
  }
}

std::string Grid::name() const {
  return fmt::format("{}:{}", wraps_ ? "torus" : "mesh", fmt::join(extents_, "x"));
}

Place Grid::neighbor(Place place, std::size_t dimension, std::int32_t steps) const {
  const std::int64_t here = coordinate(place, dimension);
  std::int64_t there = here + steps;
  if (wraps_)
    there = modulo(there, extents_[dimension]);
  else if (there < 0 || there >= extents_[dimension])
    return -1;
  return place + (there - here) * strides_[dimension];
}

std::int64_t Grid::hops(Place a, Place b) const {
  std::int64_t total = 0;
  for (std::size_t dimension = 0; dimension < extents_.size(); ++dimension) {
    const std::int32_t apart = std::abs(coordinate(a, dimension) - coordinate(b, dimension));
    total += wraps_ ? std::min(apart, extents_[dimension] - apart) : apart;
  }
  return total;
}

std::int64_t Grid::diameter() const {
  std::int64_t total = 0;
  for (const std::int32_t extent : extents_)
    total += wraps_ ? extent / 2 : extent - 1;
  return total;
}

Grid parse_grid(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view kind = text.substr(0, colon);
  std::vector<std::int32_t> extents =
      colon < text.size() ? parse_extents(text.substr(colon + 1)) : std::vector<std::int32_t>{};
  if ((kind != "torus" && kind != "mesh") || extents.empty())
    throw Error(fmt::format("'{}' is no grid", text), "write torus:XxY… or mesh:XxY…");
  return Grid(std::move(extents), kind == "torus");
}

} // namespace thalweg::topology
