// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where switches are in a generalized fat tree: level, what is below, which port leads where. Level 0 are
// nodes with several links, whose one port down leads to themselves.

#include "simulate/packet/fabric.hpp"
#include "topology/fat_tree.hpp"

namespace thalweg::simulate::packet {

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
  std::vector<std::uint32_t> nodes_below_; // a switch of each level, 0 being the nodes
  std::vector<std::uint32_t> children_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint64_t> ways_;
};

} // namespace thalweg::simulate::packet
