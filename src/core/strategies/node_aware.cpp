// SPDX-License-Identifier: BSD-3-Clause

// Neighborhood collectives in which what goes from a node to another travels together: ranks of a node hand
// it to one of them, which sends it to one of the other node's, which hands it out (Bienz, Gropp, Olson 2019,
// "Node aware sparse matrix-vector multiplication": the 3-step and the 2-step way). On a mesh of nodes, nodes
// in between pass it on, so that a node sends fewer messages (Kumar 2005, section 3.3.1). All ranks know the
// graph, so that nobody sends where there is nothing.

#include "base/assertion.hpp"
#include "strategies/neighbor_graph.hpp"
#include "strategies/strategy.hpp"
#include "topology/node_groups.hpp"
#include "topology/virtual_mesh.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

namespace thalweg::strategies {

namespace {

using schedule::BlockList;
using schedule::BlockRange;
using schedule::Buffer;

/// The ranks that an edge's block goes by, as many for each edge; equal ones follow each other where there is
/// nothing to do.
using Path = std::vector<Rank>;

/// How many edges between two nodes each of a node's ranks has.
using EdgeCounts = std::map<Rank, std::int32_t>;

/// From each node to each other one in one message.
class StraightRoutes {
public:
  StraightRoutes(const topology::NodeGroups& nodes, const std::vector<GraphEdge>& edges, bool gathers)
      : nodes_(nodes), gathers_(gathers) {
    std::map<Flow, EdgeCounts> senders;
    std::map<Flow, EdgeCounts> receivers;
    for (const GraphEdge& edge : edges)
      if (nodes_.group(edge.from) != nodes_.group(edge.to)) {
        ++senders[flow(edge)][edge.from];
        ++receivers[flow(edge)][edge.to];
      }
    sender_ = choose(senders, nodes_.group_of.size());
    receiver_ = choose(receivers, nodes_.group_of.size());
  }

  Path of(const GraphEdge& edge) const {
    return {edge.from, sender_.at(flow(edge)), receiver_.at(flow(edge)), edge.to};
  }

private:
  /// What travels together: from a node, or one rank of it, to a node.
  struct Flow {
    std::int32_t distance = 0; ///< from node to node, going round, so that nodes begin with different ones
    std::int32_t from = 0;
    std::int32_t to = 0;
    Rank sender = -1;
    auto operator<=>(const Flow&) const = default;
  };

  Flow flow(const GraphEdge& edge) const {
    const std::int32_t from = nodes_.group(edge.from);
    const std::int32_t to = nodes_.group(edge.to);
    return {(to - from + nodes_.count()) % nodes_.count(), from, to, gathers_ ? -1 : edge.from};
  }

  /// Who of those that have edges does it: who does least so far, and of these who has the most edges. Flows
  /// with one rank alone come first.
  static std::map<Flow, Rank> choose(const std::map<Flow, EdgeCounts>& flows, std::size_t ranks) {
    std::map<Flow, Rank> chosen;
    std::vector<std::int32_t> load(ranks);
    for (const bool is_alone : {true, false})
      for (const auto& [flow, counts] : flows) {
        if ((counts.size() == 1) != is_alone)
          continue;
        const auto better = [&](const auto& one, const auto& other) {
          const auto key = [&](const auto& who) {
            return std::tuple(load[static_cast<std::size_t>(who.first)], -who.second, who.first);
          };
          return key(one) < key(other);
        };
        const Rank best = std::ranges::min_element(counts, better)->first;
        ++load[static_cast<std::size_t>(best)];
        chosen.emplace(flow, best);
      }
    return chosen;
  }

  const topology::NodeGroups& nodes_;
  bool gathers_; ///< all ranks of a node what goes to another
  std::map<Flow, Rank> sender_;
  std::map<Flow, Rank> receiver_;
};

/// From node to node along a mesh of all of them. Of each node one rank carries what the ranks of one place
/// in their nodes send, or what all do.
class MeshRoutes {
public:
  MeshRoutes(const topology::NodeGroups& nodes, const topology::VirtualMesh& mesh, bool gathers)
      : nodes_(nodes), mesh_(mesh), gathers_(gathers) {}

  Path of(const GraphEdge& edge) const {
    const std::int32_t place = gathers_ ? 0 : nodes_.place(edge.from);
    const std::int32_t destination = nodes_.group(edge.to);
    std::int32_t node = nodes_.group(edge.from);
    Path path{edge.from, carrier(node, place)};
    for (std::int32_t phase = 0; phase < mesh_.dimensions(); ++phase) {
      if (const std::int32_t wanted = mesh_.coordinate(destination, phase);
          wanted != mesh_.coordinate(node, phase))
        node = mesh_.towards(node, phase, wanted);
      path.push_back(carrier(node, place));
    }
    THALWEG_ASSERT(normal, node == destination);
    path.push_back(edge.to);
    return path;
  }

private:
  Rank carrier(std::int32_t node, std::int32_t place) const {
    const std::vector<Rank>& members = nodes_.members[static_cast<std::size_t>(node)];
    return members[static_cast<std::size_t>(place) % members.size()];
  }

  const topology::NodeGroups& nodes_;
  const topology::VirtualMesh& mesh_;
  bool gathers_; ///< all ranks of a node what goes to others
};

constexpr std::int64_t gathered = 3;

/// The path of each edge, all of the same length.
std::vector<Path> paths_of(const Builder& b, const std::vector<GraphEdge>& edges) {
  const topology::NodeGroups nodes = topology::node_groups(b.ranks(), b.problem().nodes.get());
  const topology::VirtualMesh mesh(nodes.count(), static_cast<std::int32_t>(b.parameter("dimensions")));
  const bool gathers = b.parameter("steps") == gathered;
  const bool is_straight = mesh.dimensions() == 1;
  const StraightRoutes straight(nodes, is_straight ? edges : std::vector<GraphEdge>(), gathers);
  const MeshRoutes on_mesh(nodes, mesh, gathers);
  std::vector<Path> paths;
  for (const GraphEdge& edge : edges) {
    if (nodes.group(edge.from) != nodes.group(edge.to)) {
      paths.push_back(is_straight ? straight.of(edge) : on_mesh.of(edge));
    } else {
      paths.emplace_back(static_cast<std::size_t>(mesh.dimensions()) + 3, edge.to);
      paths.back().front() = edge.from;
    }
  }
  return paths;
}

/// A block on its way. Those of a number are the same block: it goes once between two ranks.
struct Delivery {
  std::int32_t number = 0;
  Path path = {};
};

/// Where this rank has a block, by its number.
using Places = std::map<std::int32_t, BlockRange>;

BlockList blocks_of(const std::set<std::int32_t>& numbers, const Places& places) {
  BlockList blocks;
  for (const std::int32_t number : numbers) {
    const BlockRange& next = places.at(number);
    if (!blocks.empty() && blocks.back().buffer == next.buffer &&
        blocks.back().first + blocks.back().run == next.first)
      ++blocks.back().run;
    else
      blocks.push_back(next);
  }
  return blocks;
}

void append_deliveries(Builder& b, const std::vector<Delivery>& deliveries, Places places) {
  const std::size_t ends = deliveries.empty() ? 0 : deliveries.front().path.size();
  for (std::size_t hop = 0; hop + 1 < ends; ++hop) {
    std::map<Rank, std::set<std::int32_t>> sent;
    std::map<Rank, std::set<std::int32_t>> received;
    for (const auto& [number, path] : deliveries) {
      if (path[hop] == path[hop + 1])
        continue;
      if (path[hop] == b.rank())
        sent[path[hop + 1]].insert(number);
      if (path[hop + 1] == b.rank())
        received[path[hop]].insert(number);
    }
    b.round();
    for (const auto& [peer, numbers] : received) {
      for (const std::int32_t number : numbers)
        if (!places.contains(number))
          places.emplace(number, BlockRange{Buffer::scratch, b.scratch_blocks(1)});
      b.receive(peer, blocks_of(numbers, places));
    }
    for (const auto& [peer, numbers] : sent)
      b.send(peer, blocks_of(numbers, places));
  }
}

std::vector<GraphEdge> edges_of(const Builder& b) {
  return graph_edges(*b.problem().neighborhoods);
}

Strategy node_aware(Operation operation, std::string_view summary, std::function<void(Builder&)> append) {
  return {.name = "node_aware",
          .operation = operation,
          .summary = summary,
          .wins_when = "several ranks a node, and neighbors on few other nodes or short blocks",
          .source = "Bienz, Gropp, Olson 2019 (node-aware communication in 3 and 2 steps); Kumar 2005, "
                    "section 3.3.1 (many-to-many on meshes)",
          .parameters = {{.name = "steps",
                          .kind = ParameterKind::count,
                          .default_value = gathered,
                          .min = 2,
                          .max = gathered,
                          .description = "3: one message from a node to another; 2: one from each rank to "
                                         "another node, which nobody gathers before",
                          .proven_at = {2}},
                         {.name = "dimensions",
                          .kind = ParameterKind::count,
                          .default_value = 1,
                          .min = 1,
                          .max = 16,
                          .description = "of the mesh of nodes, at most; 1: all messages go straight",
                          .proven_at = {2, 3}}},
          .uses_nodes = true,
          .uses_graph = true,
          .append = std::move(append)};
}

} // namespace

} // namespace thalweg::strategies

namespace thalweg::strategies::neighbor_alltoall {

namespace {

void append_node_aware(Builder& b) {
  const std::vector<GraphEdge> edges = edges_of(b);
  const std::vector<Path> paths = paths_of(b, edges);
  std::vector<Delivery> deliveries;
  Places places;
  for (std::int32_t number = 0; number < std::ssize(edges); ++number) {
    const GraphEdge& edge = edges[static_cast<std::size_t>(number)];
    if (edge.from == b.rank() && edge.to == b.rank()) {
      b.copy(schedule::input(edge.destination), schedule::output(edge.source));
      continue;
    }
    deliveries.push_back({number, paths[static_cast<std::size_t>(number)]});
    if (edge.from == b.rank())
      places.emplace(number, BlockRange{Buffer::input, edge.destination});
    if (edge.to == b.rank())
      places.emplace(number, BlockRange{Buffer::output, edge.source});
  }
  append_deliveries(b, deliveries, std::move(places));
}

} // namespace

Strategy node_aware() {
  return strategies::node_aware(
      Operation::neighbor_alltoall,
      "sends what a node has for another one in one message, which one of its ranks "
      "gathers and one of the other's hands out",
      append_node_aware);
}

} // namespace thalweg::strategies::neighbor_alltoall

namespace thalweg::strategies::neighbor_allgather {

namespace {

// A rank's block goes once to each node, and once to each rank there; copies make up parallel edges.
void append_node_aware(Builder& b) {
  const std::vector<GraphEdge> edges = edges_of(b);
  const std::vector<Path> paths = paths_of(b, edges);
  std::vector<Delivery> deliveries;
  Places places{{b.rank(), BlockRange{Buffer::input, 0}}};
  std::vector<std::pair<std::int32_t, std::int32_t>> copies;
  for (std::size_t number = 0; number < edges.size(); ++number) {
    const GraphEdge& edge = edges[number];
    deliveries.push_back({edge.from, paths[number]});
    if (edge.to != b.rank())
      continue;
    if (edge.from == b.rank())
      b.copy(schedule::input(0), schedule::output(edge.source));
    else if (const auto [first, is_new] = places.emplace(edge.from, BlockRange{Buffer::output, edge.source});
             !is_new)
      copies.emplace_back(first->second.first, edge.source);
  }
  append_deliveries(b, deliveries, std::move(places));
  b.round();
  for (const auto& [first, further] : copies)
    b.copy(schedule::output(first), schedule::output(further));
}

} // namespace

Strategy node_aware() {
  return strategies::node_aware(
      Operation::neighbor_allgather,
      "sends a rank's block once to each node that has neighbors of it, in one message "
      "with the others', which one of the node's ranks hands out",
      append_node_aware);
}

} // namespace thalweg::strategies::neighbor_allgather
