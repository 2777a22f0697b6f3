#pragma once

// What lies between the nodes of a machine: how far they are apart, and which links their messages share.
// Distances and routes are computed when they are asked for, so a million nodes cost nothing.

#include "topology/grid.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::topology {

/// A link that carries messages one way, by its number: 0 .. links()-1.
using Link = std::int64_t;

/// What a link carries of the bytes between two nodes: 1 on a fixed route, less where messages are spread.
struct LinkShare {
  Link link = 0;
  double share = 1;

  bool operator==(const LinkShare&) const = default;
};

/// Nodes 0 .. nodes()-1 and directed links between them, or between the switches that they are linked to.
/// Immutable, so threads may share it.
class Interconnect {
public:
  Interconnect() = default;
  Interconnect(const Interconnect&) = delete;
  Interconnect& operator=(const Interconnect&) = delete;
  virtual ~Interconnect() = default;

  /// As parse_interconnect() reads it.
  virtual std::string name() const = 0;
  virtual Place nodes() const = 0;
  /// Links on a shortest route between two nodes, 0 from a node to itself. O(dimensions or levels).
  virtual std::int64_t hops(Place a, Place b) const = 0;
  /// The most hops between two nodes.
  virtual std::int64_t diameter() const = 0;
  virtual Link links() const = 0;
  /// Appends the links from one node to another, with what each carries; nothing to itself. Links of a fixed
  /// route are in order.
  virtual void append_route(Place from, Place to, std::vector<LinkShare>& route) const = 0;
  /// What a link carries in the time in which the slowest carries 1.
  virtual double capacity(Link /*link*/) const { return 1; }
  /// For people, e.g. "(3,1,0)+x".
  virtual std::string link_name(Link link) const = 0;
  /// The mesh or torus that the nodes are on, or null where the machine is none.
  virtual const Grid* grid() const { return nullptr; }
};

/// Reads a machine's interconnect:
///
///   mesh:XxY…, torus:XxY…   a switch for each node; one dimension after the other, the shorter way, forward
///                           where both are as long
///
/// Throws Error naming the text and what may be written.
std::shared_ptr<const Interconnect> parse_interconnect(std::string_view text);

} // namespace thalweg::topology
