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
#include "simulate/packet/groups.hpp"
#include "simulate/packet/queues.hpp"

#include <unordered_map>

namespace thalweg::simulate::packet {

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
  std::uint32_t units_; // of a switch
  UnitSubsets subsets_;
  Ticks cycle_;
  std::uint32_t element_cycles_;
  std::uint32_t element_bytes_;
  std::unordered_map<std::uint64_t, std::uint32_t> combined_; // contributions by unit and message
};

} // namespace thalweg::simulate::packet
