// SPDX-License-Identifier: BSD-3-Clause
#include "fft3d/decomposition.hpp"

#include <functional>
#include <utility>

namespace thalweg::examples::fft3d {
namespace {

Box whole_field(Extents extents) {
  return {{Range{0, extents[0]}, Range{0, extents[1]}, Range{0, extents[2]}}};
}

std::vector<Box> boxes_of(int ranks, std::function<Box(int)> const& box) {
  std::vector<Box> boxes;
  for (int rank = 0; rank < ranks; ++rank) {
    boxes.push_back(box(rank));
  }
  return boxes;
}

/// The ranks that share `color`; with their ranks in the world, in order.
Exchange exchange_among(Group const& world, std::function<int(int)> const& color, int forward_slice_axis,
                        int inverse_slice_axis) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(world.communicator, color(world.rank), world.rank, &part);
  Exchange exchange{group_of(part), {}, forward_slice_axis, inverse_slice_axis};
  for (int rank = 0; rank < world.ranks; ++rank) {
    if (color(rank) == color(world.rank)) {
      exchange.ranks.push_back(rank);
    }
  }
  return exchange;
}

} // namespace

Decomposition Decomposition::slabs(Extents extents, Group const& world) {
  Box const field = whole_field(extents);
  auto across = [&](int axis) {
    return boxes_of(world.ranks,
                    [=, ranks = world.ranks](int rank) { return slice_of(field, axis, ranks, rank); });
  };
  Decomposition slabs;
  slabs.stages_.push_back({{axis_y, axis_z}, across(axis_x), {axis_x, axis_y, axis_z}});
  slabs.stages_.push_back({{axis_x}, across(axis_y), {axis_y, axis_x, axis_z}});
  slabs.exchanges_.push_back(exchange_among(
      world, [](int) { return 0; }, axis_x, axis_y));
  return slabs;
}

Decomposition Decomposition::pencils(Extents extents, Group const& world) {
  int grid[2] = {0, 0};
  MPI_Dims_create(world.ranks, 2, grid);
  int const rows = grid[0];
  int const columns = grid[1];
  Box const field = whole_field(extents);
  // Cuts `row_axis` over the rows and `column_axis` over the columns of the grid.
  auto across = [&](int row_axis, int column_axis) {
    return boxes_of(world.ranks, [=](int rank) {
      return slice_of(slice_of(field, row_axis, rows, rank / columns), column_axis, columns, rank % columns);
    });
  };
  Decomposition pencils;
  pencils.stages_.push_back({{axis_z}, across(axis_x, axis_y), {axis_x, axis_y, axis_z}});
  pencils.stages_.push_back({{axis_y}, across(axis_x, axis_z), {axis_x, axis_z, axis_y}});
  pencils.stages_.push_back({{axis_x}, across(axis_y, axis_z), {axis_y, axis_z, axis_x}});
  // A row's ranks share their x, so slices across x are complete in it; a column's share their z.
  pencils.exchanges_.push_back(exchange_among(
      world, [columns](int rank) { return rank / columns; }, axis_x, axis_x));
  pencils.exchanges_.push_back(exchange_among(
      world, [columns](int rank) { return rank % columns; }, axis_z, axis_z));
  return pencils;
}

Decomposition::Decomposition(Decomposition&& other) noexcept
    : stages_(std::move(other.stages_)), exchanges_(std::exchange(other.exchanges_, {})) {}

Decomposition::~Decomposition() {
  for (Exchange& exchange : exchanges_) {
    MPI_Comm_free(&exchange.group.communicator);
  }
}

} // namespace thalweg::examples::fft3d
