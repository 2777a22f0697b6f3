// SPDX-License-Identifier: BSD-3-Clause
#include "topology/virtual_mesh.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"

#include <algorithm>

namespace thalweg::topology {

VirtualMesh::VirtualMesh(std::int32_t ranks, std::int32_t dimensions) : ranks_(ranks) {
  std::int64_t uncovered = ranks;
  for (std::int32_t left = dimensions; left > 0 && (uncovered > 1 || sides_.empty()); --left) {
    const std::int64_t side = ceil_root(uncovered, left);
    sides_.push_back(static_cast<std::int32_t>(side));
    uncovered = ceil_divide(uncovered, side);
  }
  set_strides();
}

VirtualMesh::VirtualMesh(std::int32_t ranks, std::span<const std::int32_t> sides)
    : ranks_(ranks), sides_(sides.begin(), sides.end()) {
  set_strides();
  THALWEG_ASSERT(light, !sides_.empty());
  THALWEG_ASSERT(light, sides_.back() == ceil_divide(std::int64_t{ranks}, strides_[sides_.size() - 1]));
}

void VirtualMesh::set_strides() {
  strides_.push_back(1);
  for (const std::int32_t side : sides_)
    strides_.push_back(strides_.back() * side);
  THALWEG_ASSERT(light, ranks_ >= 1 && strides_.back() >= ranks_);
}

std::int32_t VirtualMesh::coordinate(Rank rank, std::int32_t dimension) const {
  THALWEG_ASSERT(normal, rank >= 0 && rank < strides_.back() && dimension >= 0 && dimension < dimensions());
  const auto d = static_cast<std::size_t>(dimension);
  return static_cast<std::int32_t>(rank % strides_[d + 1] / strides_[d]);
}

Rank VirtualMesh::towards(Rank holder, std::int32_t dimension, std::int32_t wanted) const {
  const std::int32_t own = coordinate(holder, dimension);
  THALWEG_ASSERT(normal, wanted != own && wanted >= 0 && wanted < side(dimension));
  const std::int64_t cell = holder + (wanted - own) * strides_[static_cast<std::size_t>(dimension)];
  if (cell < ranks_)
    return static_cast<Rank>(cell);
  // A hole. In the last phase nobody is behind it; before, an inner plane has the same place filled.
  const std::int32_t last = dimensions() - 1;
  if (dimension == last)
    return -1;
  const std::int32_t inner_planes = side(last) - 1;
  return static_cast<Rank>(cell -
                           (inner_planes - own % inner_planes) * strides_[static_cast<std::size_t>(last)]);
}

std::vector<Rank> VirtualMesh::receivers(Rank rank, std::int32_t dimension) const {
  const std::int32_t own = coordinate(rank, dimension);
  std::vector<Rank> found;
  for (std::int32_t k = 1; k < side(dimension); ++k)
    if (const Rank next = towards(rank, dimension, (own + k) % side(dimension)); next >= 0)
      found.push_back(next);
  return found;
}

std::vector<Rank> VirtualMesh::senders(Rank rank, std::int32_t dimension) const {
  const std::int32_t own = coordinate(rank, dimension);
  const std::int32_t length = side(dimension);
  const auto along = [&](std::int64_t cell, std::int32_t place) {
    return cell + (place - own) * strides_[static_cast<std::size_t>(dimension)];
  };
  std::vector<Rank> found;
  for (std::int32_t k = 1; k < length; ++k)
    if (const std::int64_t cell = along(rank, (own - k + length) % length); cell < ranks_)
      found.push_back(static_cast<Rank>(cell));
  const std::int32_t last = dimensions() - 1;
  const std::int64_t role =
      rank + (side(last) - 1 - coordinate(rank, last)) * strides_[static_cast<std::size_t>(last)];
  if (dimension == last || role < ranks_)
    return found;
  // The cell above in the last plane is a hole whose role this rank shares.
  for (std::int32_t k = 1; k < length; ++k) {
    const std::int64_t cell = along(role, (own - k + length) % length);
    if (cell < ranks_ && towards(static_cast<Rank>(cell), dimension, own) == rank)
      found.push_back(static_cast<Rank>(cell));
  }
  return found;
}

std::vector<Rank> VirtualMesh::sources(Rank rank, std::int32_t phase) const {
  std::vector<Rank> found;
  append_sources(rank, phase, found);
  return found;
}

void VirtualMesh::append_sources(Rank rank, std::int32_t phase, std::vector<Rank>& found) const {
  found.push_back(rank);
  for (std::int32_t earlier = 0; earlier < phase; ++earlier)
    for (const Rank sender : senders(rank, earlier))
      append_sources(sender, earlier, found);
}

std::int32_t VirtualMesh::count_cells(std::int64_t first_cell, std::int32_t fixed) const {
  return first_cell >= ranks_ ? 0
                              : static_cast<std::int32_t>(ceil_divide(
                                    ranks_ - first_cell, strides_[static_cast<std::size_t>(fixed)]));
}

std::int32_t VirtualMesh::count_agreeing(Rank rank, std::int32_t fixed) const {
  return count_cells(rank % strides_[static_cast<std::size_t>(fixed)], fixed);
}

std::int32_t VirtualMesh::place_among(Rank other, std::int32_t fixed, std::int32_t agreed) const {
  std::int32_t before = 0;
  for (std::int32_t d = fixed; d < agreed; ++d) {
    const auto at = static_cast<std::size_t>(d);
    for (std::int32_t k = 0; k < coordinate(other, d); ++k)
      before += count_cells(other % strides_[at] + k * strides_[at], d + 1);
  }
  return before;
}

std::vector<Rank> VirtualMesh::agreeing(Rank rank, std::int32_t fixed) const {
  std::vector<Rank> found;
  const auto visit = [&](auto&& self, std::int64_t cell, std::int32_t d) -> void {
    if (cell >= ranks_)
      return;
    if (d == dimensions()) {
      found.push_back(static_cast<Rank>(cell));
      return;
    }
    for (std::int32_t k = 0; k < side(d); ++k)
      self(self, cell + k * strides_[static_cast<std::size_t>(d)], d + 1);
  };
  visit(visit, rank % strides_[static_cast<std::size_t>(fixed)], fixed);
  return found;
}

} // namespace thalweg::topology
