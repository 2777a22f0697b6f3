// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Any graph as an interconnect, with the forwarding tables that its switches have, or shortest routes.

#include "base/host_names.hpp"
#include "topology/interconnect.hpp"

#include <limits>

namespace thalweg::topology {

/// What a graph is made of. Vertices 0 .. nodes-1 are nodes, the others switches.
struct Graph {
  struct Arc {
    Vertex from = 0;
    Vertex to = 0;
    double capacity = 1;
  };
  /// What is for node `destination` leaves vertex `at` by that link.
  struct Entry {
    Vertex at = 0;
    Link link = 0;
    Place destination = 0;
  };

  std::string name;                ///< of the interconnect
  std::vector<std::string> labels; ///< of the vertices
  Place nodes = 0;
  std::vector<Arc> links;
  std::vector<Entry> table;
  bool spread = false; ///< over all shortest routes; then there is no table
};

/// Hops are those of a shortest route (breadth-first search). Routes follow the forwarding tables; where
/// these say nothing, messages go over the shortest routes' links from a vertex: number `destination` modulo
/// how many there are, in the order of the file, or over all alike with `routing spread`. Nodes pass nothing
/// on, but in graphs without switches. Memory: two bytes for each pair of vertices but nodes with one cable.
class GraphInterconnect final : public Interconnect {
public:
  /// Throws Error where a node cannot reach another one, tables lead in a circle, or vertices are too many.
  explicit GraphInterconnect(Graph graph);

  std::string name() const override { return graph_.name; }
  Place nodes() const override { return graph_.nodes; }
  std::int64_t hops(Place a, Place b) const override { return distance(a, b); }
  std::int64_t diameter() const override { return diameter_; }
  double mean_hops() const override { return mean_hops_; }
  Link links() const override { return std::ssize(graph_.links); }
  Vertex vertices() const override { return std::ssize(graph_.labels); }
  LinkEnds ends(Link link) const override;
  void append_route(Place from, Place to, std::vector<LinkShare>& route) const override;
  bool spreads() const override { return graph_.spread; }
  double capacity(Link link) const override { return graph_.links[static_cast<std::size_t>(link)].capacity; }
  std::string link_name(Link link) const override;
  Place node_named(std::string_view name) const override;

private:
  using Distance = std::uint16_t;
  static constexpr Distance unreachable = std::numeric_limits<Distance>::max();

  void find_inner();
  void find_distances();
  void search_from(std::int32_t target, const std::vector<std::vector<Link>>& into);
  void summarize();
  void fill_table();
  void check_table() const;
  bool passes_on(Vertex vertex) const { return vertex >= graph_.nodes || !has_switches(); }
  bool has_switches() const { return std::ssize(graph_.labels) > graph_.nodes; }
  std::int64_t distance(Vertex from, Vertex to) const;
  /// The links of shortest routes to a node that leave a vertex.
  std::vector<Link> shorter(Vertex at, Place to) const;
  Link next(Vertex at, Place to) const;
  void append_spread(Place from, Place to, std::vector<LinkShare>& route) const;

  Graph graph_;
  std::vector<std::vector<Link>> out_; ///< of each vertex
  std::vector<Vertex> switch_;         ///< of a node with one cable to a switch, else the vertex itself
  std::vector<std::int32_t> inner_;    ///< numbers of the vertices that are their own switch_, else -1
  std::vector<Vertex> inner_vertices_;
  std::vector<Distance> distances_; ///< between inner vertices
  std::vector<std::int32_t> table_; ///< by inner vertex and node; empty without tables
  HostIndex names_;                 ///< of nodes
  std::int64_t diameter_ = 0;
  double mean_hops_ = 0;
};

} // namespace thalweg::topology
