// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Routes on meshes, hypercubes and tori. A ring of a torus has two virtual channels: a packet is in the first
// until it has crossed the link that closes the ring, and in the second from then on, or where it does not
// cross it (W. Dally, C. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks",
// 1987).

#include "simulate/packet/routing.hpp"
#include "topology/grid.hpp"

namespace thalweg::simulate::packet {

/// Dimension 0 first, each the shorter way, forward where both are as long (e-cube: H. Sullivan, T. Bashkow
/// 1977).
class DimensionOrdered : public Routing {
public:
  DimensionOrdered(const Fabric& fabric, const topology::Grid& grid) : fabric_(fabric), grid_(grid) {}

  std::uint32_t virtual_channels() const override { return ring_channels(); }
  Hop next(Packet& packet, std::uint32_t at, const Surroundings& surroundings) const override;

protected:
  std::uint32_t ring_channels() const { return grid_.wraps() ? 2 : 1; }
  topology::Place place_of(std::uint32_t vertex) const;
  topology::Place node_place(std::uint32_t node) const { return fabric_.shape().switch_place(node); }
  /// Towards a place that is not this one.
  Hop step(topology::Place at, topology::Place to) const;

  const Fabric& fabric_;
  const topology::Grid& grid_;
};

/// To a place at random first, then to the node, both in dimension order, with virtual channels of their own
/// (L. Valiant, "A scheme for fast parallel communication", 1982).
class ValiantOnGrid : public DimensionOrdered {
public:
  using DimensionOrdered::DimensionOrdered;

  std::uint32_t virtual_channels() const override { return 2 * ring_channels(); }
  Hop next(Packet& packet, std::uint32_t at, const Surroundings& surroundings) const override;

protected:
  /// Chooses the place to go to first, in the packet's first switch.
  virtual topology::Place choose(topology::Place at, topology::Place to,
                                 const Surroundings& surroundings) const;
};

/// Valiant's detour where its first queue times its hops is shorter than the direct way's (UGAL: A. Singh,
/// "Load-balanced routing in interconnection networks", 2005).
class UgalOnGrid final : public ValiantOnGrid {
public:
  using ValiantOnGrid::ValiantOnGrid;

protected:
  topology::Place choose(topology::Place at, topology::Place to,
                         const Surroundings& surroundings) const override;
};

} // namespace thalweg::simulate::packet
