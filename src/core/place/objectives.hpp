// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a mapping costs, recomputed from nothing: what searches are held against, and what people are shown.
// And what it is to be good at.

#include "machine/allocation.hpp"
#include "pattern/matrix.hpp"
#include "place/mapping.hpp"

#include <string>
#include <string_view>

namespace thalweg::place {

/// What the predicted time depends on.
struct LinkCosts {
  double bytes_per_second = 1e10; ///< of a link of capacity 1
  double hop_seconds = 1e-7;
  double message_seconds = 1e-6; ///< a processor's time for one end of a message
};

struct Metrics {
  double hop_bytes = 0; ///< the sum over messages of their bytes times hops
  double hops_per_byte = 0;
  /// Bytes on the most loaded link, over its capacity, as if all phases were at once. Other jobs' base load
  /// counts.
  double link_max = 0;
  /// The same of the links that are no node's own. Where each task has a node, a node's own link carries its
  /// task's bytes under any mapping, but what is between switches depends on it.
  double between_max = 0;
  /// The norm of these links' loads with exponent 8, which tells apart mappings with the same hottest link.
  double between_norm = 0;
  /// The same within each phase, times its repeats, summed over phases: these do not meet each other.
  double phase_link_max = 0;
  /// Each phase's most loaded link and longest route, and the messages of its busiest task.
  double seconds = 0;

  bool operator==(const Metrics&) const = default;
};

/// `slot_of` has a slot for each of the pattern's tasks. `base_load` has the bytes that other jobs send over
/// each link in the time of one pass through the pattern; empty: none. O(messages * hops + phases * links).
Metrics metrics(const pattern::Pattern& pattern, const machine::Allocation& allocation, const Slots& slot_of,
                const std::vector<double>& base_load = {}, const LinkCosts& costs = {});

/// Is it a link between a node and the switch that it is on? Not on meshes and tori of nodes.
bool is_nodes_own(const topology::Interconnect& machine, topology::Link link);

/// Bytes over each link over its capacity, of a matrix. The interconnect's links() entries.
std::vector<double> link_loads(const pattern::Matrix& matrix, const machine::Allocation& allocation,
                               const Slots& slot_of);

/// Weights of the objectives, each as a part of what identity has.
struct Goal {
  double hop_bytes = 1;
  double link = 0;       ///< the most loaded link, as if all phases were at once
  double contention = 0; ///< the most loaded link of each phase, summed
  double time = 0;       ///< predicted

  bool operator==(const Goal&) const = default;
  /// Do loads of links count?
  bool needs_links() const { return link > 0 || contention > 0 || time > 0; }
};

/// Reads "hop-bytes", "link", "contention" or "time", or a mixture such as "hop-bytes:1,contention:2". Throws
/// Error for anything else.
Goal parse_goal(std::string_view text);
std::string name(const Goal& goal);

/// The mean of the objectives by weight, each divided by identity's: below 1 is better than identity.
double value(const Goal& goal, const Metrics& metrics, const Metrics& identity);

/// Is a mapping better than another? By value(); where that is the same but for rounding, and links count, by
/// the hottest link between switches, then by the next ones, and then by hop-bytes.
bool is_better(const Goal& goal, const Metrics& one, const Metrics& other, const Metrics& identity);

} // namespace thalweg::place
