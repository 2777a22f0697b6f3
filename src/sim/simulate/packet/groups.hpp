// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Groups of nodes that multicast and reduce in the switches of a tree: in each switch a bit vector of ports
// for each group, and nothing else. One tree a group serves all its members as sources and as destinations.

#include "simulate/packet/fabric.hpp"
#include "topology/fat_tree.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace thalweg::simulate::packet {

class TreePlaces;

class GroupTables {
public:
  /// Throws Error where a switch has more than 64 ports, or the network is no tree.
  explicit GroupTables(const Fabric& fabric);
  ~GroupTables();
  GroupTables(const GroupTables&) = delete;
  GroupTables& operator=(const GroupTables&) = delete;

  /// Builds a group's tree: upward by the parent with the fewest trees, to the first switch that is above all
  /// members, then down to each (buildTree of S. Kumar 2005, 8.2.1). Its printed form sets no bit for the
  /// port that leads up, and would come back to the child that it came from; here both ends of each channel
  /// have their bits, and what is visited is not visited again. Returns the group's number.
  std::uint32_t add(std::span<const std::uint32_t> members);
  /// Frees a group's number and its places in the switches.
  void remove(std::uint32_t group);

  bool has(std::uint32_t group) const { return group < members_.size() && members_[group] > 0; }
  std::uint32_t members(std::uint32_t group) const { return members_[group]; }
  /// The ports of a switch that are a group's; bit p is output p and input p.
  std::uint64_t ports(std::uint32_t vertex, std::uint32_t group) const {
    return ports_[std::size_t{group} * switches_ + (vertex - fabric_.nodes())];
  }
  /// The output that leads to a member: down, or up the group's tree.
  std::uint32_t output_to(std::uint32_t vertex, std::uint32_t group, std::uint32_t node) const;
  /// How many groups' trees go through a switch.
  std::uint32_t load(std::uint32_t vertex) const { return loads_[vertex]; }

private:
  void visit(std::uint32_t vertex, std::span<const std::uint32_t> members, bool goes_up);
  std::uint64_t& bits(std::uint32_t vertex) {
    return ports_[std::size_t{building_} * switches_ + vertex - fabric_.nodes()];
  }
  std::uint32_t neighbor(std::uint32_t vertex, std::uint32_t output) const {
    return fabric_.wires()[fabric_.first_channel(vertex) + output].to;
  }

  const Fabric& fabric_;
  std::unique_ptr<TreePlaces> places_;
  std::uint32_t switches_ = 0;
  std::uint32_t building_ = 0;       // the group that is being added
  std::vector<std::uint64_t> ports_; // group by group, switch by switch
  std::vector<std::uint32_t> loads_;
  std::vector<std::uint32_t> members_;              // how many, of each group
  std::vector<std::vector<std::uint32_t>> visited_; // the switches of each group
  std::vector<std::uint32_t> free_;
};

} // namespace thalweg::simulate::packet
