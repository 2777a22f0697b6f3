// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages that are all known before: steps of exchanges, reductions, many multicasts at once. Each is cut
// into packets, and goes through the network interfaces of its nodes.

#include "simulate/packet/network.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::simulate::packet {

/// What a network interface does for each message that it sends and each that it receives.
struct Interface {
  Ticks send = 0;
  Ticks receive = 0;
  /// It does one thing at a time; else it only delays.
  bool is_occupied = false;
};

struct Message {
  std::uint32_t from = 0;
  std::uint32_t to = 0;       ///< of a multicast nothing
  std::uint32_t group = none; ///< of a multicast or reduction
  Kind kind = Kind::unicast;
  std::uint64_t bytes = 0;
  Ticks ready = 0; ///< when its node wants to send it; a node sends in the order in which they are given
};

struct MessageTimes {
  Ticks finish = 0;        ///< when the last one is there
  std::vector<Ticks> ends; ///< of each: at its (last) node; of a reduction, the same for all that contribute
  std::uint64_t packets = 0; ///< that came; copies count
  std::uint64_t hops = 0;
  std::uint64_t events = 0;
  std::uint64_t fingerprint = 0;
};

/// Simulates them to the end. Reductions of one group to one node with as many bytes are combined together;
/// one of each is what a node may contribute. Throws Error for messages that make no sense, and where the
/// network stands still. `progress` is called now and then, and may end it by an exception.
MessageTimes run_messages(const Fabric& fabric, const Routing& routing, const RouterOptions& options,
                          const Interface& interface, const GroupTables* groups,
                          std::span<const Message> messages, const std::function<void()>& progress = {});

/// Every member but `root` contributes so many bytes, which it combines with its own. Of several reductions
/// at once, each has a tree and a root of its own: from `root` on every so many members. Ends are of
/// contributions, one reduction after the other, with both interfaces' overheads.
MessageTimes run_reduction(const Fabric& fabric, const Routing& routing, const RouterOptions& options,
                           const Interface& interface, std::span<const std::uint32_t> members,
                           std::uint32_t root, std::uint64_t bytes, std::uint32_t reductions = 1,
                           const std::function<void()>& progress = {});

/// The synthetic molecular dynamics of S. Kumar 2005, 8.4: every sender has something for so many random
/// nodes, in the switches or to each by itself. Nodes and their destinations are drawn by the seed.
struct MolecularDynamics {
  std::uint32_t senders = 16;
  std::uint32_t fanout = 16;
  std::uint64_t bytes = 256;
  std::uint32_t rounds = 1; ///< that each sender begins without a pause
  bool is_in_switches = true;
};

MessageTimes run_molecular_dynamics(const Fabric& fabric, const Routing& routing,
                                    const RouterOptions& options, const Interface& interface,
                                    const MolecularDynamics& work,
                                    const std::function<void()>& progress = {});

} // namespace thalweg::simulate::packet
