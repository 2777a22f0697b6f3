// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A machine's interconnect as routers see it: channels between outputs and inputs, numbered so that a
// vertex's are beside each other.

#include "topology/fat_tree.hpp"
#include "topology/interconnect.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace thalweg::simulate::packet {

inline constexpr std::uint32_t none = UINT32_MAX;

/// One way of a cable. Number c leaves vertex `from` by output c - first_channel(from).
struct Wire {
  std::uint32_t from = none;
  std::uint32_t to = none;
  std::uint32_t input = 0;  ///< of `to`
  topology::Link link = -1; ///< of the interconnect; -1 between a switch and its only node, where it has none
};

/// How nodes hang on switches that are their own: on meshes without cables, and where nodes have several.
enum class Ports : std::uint8_t {
  cables, ///< by a channel there and back, as any other
  free,   ///< by memory: a packet is in its first switch at once, and out of its last when it is whole
};

/// Nodes 0 .. nodes()-1, then switches. Where the interconnect's nodes are its switches (mesh:4x4), or have
/// several links, each gets a node of its own and becomes a switch. Inputs and outputs are numbered by their
/// links, so in trees the input and the output of a port have the same number, down ports first.
class Fabric {
public:
  /// Throws Error where it is too large, or nodes have several links and no free ports: such networks need a
  /// choice that is made before a packet is sent.
  explicit Fabric(std::shared_ptr<const topology::Interconnect> shape, Ports ports = Ports::cables);

  const topology::Interconnect& shape() const { return *shape_; }
  std::uint32_t nodes() const { return nodes_; }
  std::uint32_t vertices() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  const std::vector<Wire>& wires() const { return wires_; }
  std::uint32_t first_channel(std::uint32_t vertex) const { return first_[vertex]; }
  std::uint32_t outputs(std::uint32_t vertex) const { return first_[vertex + 1] - first_[vertex]; }
  std::uint32_t inputs(std::uint32_t vertex) const { return inputs_[vertex]; }
  bool is_node(std::uint32_t vertex) const { return vertex < nodes_; }
  /// The channel of a link of the interconnect.
  std::uint32_t channel_of(topology::Link link) const { return channels_[static_cast<std::size_t>(link)]; }
  /// The vertex that is a vertex of the interconnect as a switch.
  std::uint32_t switch_vertex(topology::Vertex vertex) const {
    return static_cast<std::uint32_t>(vertex) + (has_ports_ ? nodes_ : 0);
  }
  topology::Vertex shape_vertex(std::uint32_t vertex) const { return vertex - (has_ports_ ? nodes_ : 0); }
  /// Is the node on the other side of a channel without any cable?
  bool is_free(std::uint32_t channel) const { return ports_ == Ports::free && wires_[channel].link < 0; }
  bool has_ports() const { return has_ports_; }
  /// What a channel carries in a time, relative to others.
  double capacity(std::uint32_t channel) const {
    return wires_[channel].link < 0 ? 1 : shape_->capacity(wires_[channel].link);
  }
  /// From a switch to a node beside it.
  std::uint32_t channel_to_node(std::uint32_t node) const { return to_nodes_[node]; }
  /// For people, e.g. "switch 17, output 3".
  std::string channel_name(std::uint32_t channel) const;

private:
  bool needs_ports() const;
  void add_wires();
  void number_inputs();

  std::shared_ptr<const topology::Interconnect> shape_;
  std::uint32_t nodes_ = 0;
  Ports ports_;
  bool has_ports_ = false;
  std::vector<Wire> wires_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> channels_;
  std::vector<std::uint32_t> to_nodes_;
};

/// Where switches are in a generalized fat tree: level, what is below, which port leads where. Level 0 are
/// nodes with several links, whose one port down leads to themselves.
class TreePlaces {
public:
  explicit TreePlaces(const Fabric& fabric, const topology::FatTree& tree);

  std::uint32_t level(std::uint32_t vertex) const { return places_[vertex].level; }
  std::uint32_t first_node(std::uint32_t vertex) const { return places_[vertex].first_node; }
  /// Is a node below?
  bool reaches(std::uint32_t vertex, std::uint32_t node) const {
    return node - places_[vertex].first_node < nodes_below_[places_[vertex].level];
  }
  /// The output that leads down to a node.
  std::uint32_t down_port(std::uint32_t vertex, std::uint32_t node) const {
    const Place& place = places_[vertex];
    return place.level == 0 ? 0 : (node - place.first_node) / nodes_below_[place.level - 1];
  }
  /// Outputs down; those up have the numbers behind.
  std::uint32_t down_ports(std::uint32_t vertex) const { return children_[places_[vertex].level]; }
  std::uint32_t up_ports(std::uint32_t vertex) const { return parents_[places_[vertex].level]; }
  /// Switches of a vertex's level that are above the same nodes.
  std::uint64_t ways(std::uint32_t vertex) const { return ways_[places_[vertex].level]; }

private:
  struct Place {
    std::uint32_t first_node = 0;
    std::uint32_t level = 0;
  };
  std::vector<Place> places_;
  std::vector<std::uint32_t> nodes_below_; ///< a switch of each level, 0 being the nodes
  std::vector<std::uint32_t> children_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint64_t> ways_;
};

} // namespace thalweg::simulate::packet
