// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What lies between the nodes of a machine: how far they are apart, and which links their messages share.
// Distances and routes are computed when they are asked for, so a million nodes cost nothing (but on graphs).

#include "topology/grid.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::topology {

/// A link that carries messages one way, by its number: 0 .. links()-1.
using Link = std::int64_t;

/// A node, by its place 0 .. nodes()-1, or a switch: nodes() .. vertices()-1.
using Vertex = std::int64_t;

/// What a link carries of the bytes between two nodes: 1 on a fixed route, less where messages are spread.
struct LinkShare {
  Link link = 0;
  double share = 1;

  bool operator==(const LinkShare&) const = default;
};

/// Where a link comes from and leads to; -1 for a number that no link has, as at a mesh's edge.
struct LinkEnds {
  Vertex from = -1;
  Vertex to = -1;

  bool operator==(const LinkEnds&) const = default;
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
  /// Links on a shortest route between two nodes, 0 from a node to itself; or the distance of the level at
  /// which they meet, where the machine's name has distances. O(dimensions or levels).
  virtual std::int64_t hops(Place a, Place b) const = 0;
  /// The most hops between two nodes.
  virtual std::int64_t diameter() const = 0;
  /// Of all ordered pairs of two different nodes; 0 where there is one node.
  virtual double mean_hops() const = 0;
  /// What crosses from half of the nodes to the others, as a sum of capacities, at the weakest of the cuts
  /// that the shape suggests; 0 where it is not known.
  virtual double bisection() const { return 0; }
  virtual Link links() const = 0;
  /// Nodes, and the switches that are no nodes.
  virtual Vertex vertices() const = 0;
  virtual LinkEnds ends(Link link) const = 0;
  /// Appends the links from one node to another, with what each carries; nothing to itself. Links of a fixed
  /// route are in order; where messages are spread, each link comes once.
  virtual void append_route(Place from, Place to, std::vector<LinkShare>& route) const = 0;
  /// Are there messages of which a link carries but a part?
  virtual bool spreads() const { return false; }
  /// What a link carries in a time, relative to the machine's other links.
  virtual double capacity(Link /*link*/) const { return 1; }
  /// The node of that name, or -1: only graphs name their nodes.
  virtual Place node_named(std::string_view /*name*/) const { return -1; }
  /// For people, e.g. "(3,1,0)+x".
  virtual std::string link_name(Link link) const = 0;
  /// May ranks be put on this node? Not on those for input and output.
  virtual bool takes_ranks(Place /*node*/) const { return true; }
  /// How many nodes do.
  virtual Place rank_nodes() const { return nodes(); }
  /// The mesh or torus on which the nodes are so many hops apart, or null where the machine is none.
  virtual const Grid* grid() const { return nullptr; }
  /// The mesh or torus of the switches, of which each may have several nodes; null where the machine is none.
  virtual const Grid* switch_grid() const { return grid(); }
  /// The place on switch_grid() of a node's switch.
  virtual Place switch_place(Place node) const { return node; }
};

/// Reads a machine's interconnect:
///
///   mesh:XxY…, torus:XxY…   a switch for each node, and no links between node and switch; one dimension
///   after
///                           the other, the shorter way, forward where both are as long
///   torus:XxY…*N, …*N+I     N nodes on each switch, by links of their own, and I more that take no ranks
///   ring:N                  torus:N
///   hypercube:D             mesh:2x2x… of D dimensions
///   star:N                  N nodes on one switch
///   fat-tree:HxS            H nodes on each leaf switch, S spine switches; `nodes` says how many leaves
///   tree:K^N                the k-ary n-tree
///   xgft:M1xM2…:W1xW2…      the generalized fat tree, from the nodes up: M children, W parents
///   hierarchy:4x2x8         4 nodes of 2 sockets of 8 cores: a tree, from the whole down
///   dragonfly:PxAxH[xG]     P nodes on a router, A routers a group, H global links a router, G groups
///   graph:FILE              vertices, links and forwarding tables (graph_file.hpp)
///
/// Behind a comma: route=split|adaptive (mesh, torus) or route=spread (trees); capacity=2:1:0.5/0.25 by
/// dimension (then nodes' links), by level from the nodes up, or nodes:local:global; each one way, or
/// forward/backward. distance=1:10:100 (trees) by level. `nodes` completes star, ring and fat-tree:HxS.
///
/// Throws Error naming the text and what may be written.
std::shared_ptr<const Interconnect> parse_interconnect(std::string_view text, Place nodes = 0);
/// What names of interconnects begin with.
std::vector<std::string_view> interconnect_kinds();

// Names of interconnects taken apart: "torus:4x4*16,route=split,capacity=2:1" and the like.

/// What a link carries up or forward, and down or backward.
struct Capacity {
  double forward = 1;
  double backward = 1;

  bool operator==(const Capacity&) const = default;
};

/// How a message finds its way where there are several as short.
enum class Routing : std::uint8_t { fixed, split, adaptive, spread };

struct InterconnectName {
  std::string text; ///< all of it, for errors
  std::string kind; ///< in front of the colon
  std::string body; ///< behind it
  Routing routing = Routing::fixed;
  std::vector<Capacity> capacities;
  std::vector<std::int64_t> distances;

  [[noreturn]] void refuse(std::string_view why, std::string_view remedy) const;
};

/// Throws Error for options that are none.
InterconnectName parse_interconnect_name(std::string_view text);

/// The options as they are written: ",route=split,capacity=2:0.5/1", or nothing where all are the usual ones.
std::string options_text(const InterconnectName& name);

// An interconnect of which other jobs use some links: what is left of these is their capacity.

/// `free_part` has, for each link, the part of its capacity that is left: above 0, at most 1. Distances and
/// routes are as before. The name says that some are busy, not which, so that it is the same from run to run.
/// Throws Error where there is not one part for each link, or one that is out of bounds.
std::shared_ptr<const Interconnect> with_busy_links(std::shared_ptr<const Interconnect> machine,
                                                    std::vector<double> free_part);

} // namespace thalweg::topology
