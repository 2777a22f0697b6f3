// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Collectives in switches: multicasts, whose packets are copied there, and reductions in combine units.
//
// Combine units are outputs of a switch that lead back into it (S. Kumar 2005, 8.1.2). Of r units one is the
// root and the others are leaves, each for some of the inputs; a leaf that is the only one with something to
// combine needs no root.
//
// A unit begins with a packet when all of it is there, and takes a cycle, or as many as its elements need.
// The text does not say how a leaf knows that it has all its contributions where the port that sends none is
// one of its own: here reductions name the node that they go to, and that port is the one that leads there.

#include "simulate/packet/channels.hpp"
#include "simulate/packet/fabric.hpp"
#include "simulate/packet/queues.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace thalweg::simulate::packet {

/// Groups of nodes that multicast and reduce in the switches of a tree: in each switch a bit vector of ports
/// for each group, and nothing else. One tree a group serves all its members as sources and as destinations.
class GroupTables {
public:
  /// Throws Error where a switch has more than 64 ports, or the network is no tree.
  explicit GroupTables(const Fabric& fabric);
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
  TreePlaces places_;
  std::uint32_t switches_ = 0;
  std::uint32_t building_ = 0;       ///< the group that is being added
  std::vector<std::uint64_t> ports_; ///< group by group, switch by switch
  std::vector<std::uint32_t> loads_;
  std::vector<std::uint32_t> members_;              ///< how many, of each group
  std::vector<std::vector<std::uint32_t>> visited_; ///< the switches of each group
  std::vector<std::uint32_t> free_;
};

/// What the copies of a multicast share in a switch: their credit goes back after the last has left.
class Multicasts {
public:
  /// A packet is copied for these outputs, one or more (bits): a number for what its copies share.
  std::uint32_t begin(std::uint64_t outputs);
  /// A copy has left. The outputs of all, if it was the last one, whose number is free then; else 0.
  std::uint64_t leave(std::uint32_t copies);
  /// Multicasts of which copies are left.
  std::size_t under_way() const { return copies_.used(); }

private:
  struct Copies {
    std::uint32_t left = 0;
    std::uint64_t outputs = 0;
  };

  Pool<Copies> copies_;
};

class CombineUnits {
public:
  /// Keeps references to the channels and the groups. These may be null where there are no units.
  CombineUnits(const Channels& channels, const RouterOptions& options, const GroupTables* groups);

  /// The channel by which a reduction's packet goes on, which came to a switch by that input: of a unit, or
  /// out of the switch.
  std::uint32_t output(const Packet& packet, std::uint32_t vertex, std::uint32_t input) const;
  /// How long a unit works at a packet of so many bytes.
  Ticks duration(std::uint32_t bytes) const;
  /// A unit has combined a contribution. Was it the last one for its message there?
  bool add(std::uint32_t channel, const Packet& packet);
  /// Messages that wait for contributions, by unit.
  std::size_t waiting() const { return combined_.size(); }

private:
  std::uint32_t root() const { return units_ - 1; }
  std::uint32_t leaves() const { return units_ == 1 ? 1 : units_ - 1; }
  std::uint32_t leaf_of(std::uint32_t vertex, std::uint32_t input) const;
  std::uint64_t contributors(const Packet& packet, std::uint32_t vertex, std::uint32_t& out) const;
  std::uint32_t expected(const Packet& packet, std::uint32_t vertex, std::uint32_t unit) const;

  const Channels& channels_;
  const GroupTables* groups_;
  std::uint32_t units_; ///< of a switch
  UnitSubsets subsets_;
  Ticks cycle_;
  std::uint32_t element_cycles_;
  std::uint32_t element_bytes_;
  std::unordered_map<std::uint64_t, std::uint32_t> combined_; ///< contributions by unit and message
};

} // namespace thalweg::simulate::packet
