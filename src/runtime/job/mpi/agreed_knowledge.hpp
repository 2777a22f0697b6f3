// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the first rank's files know, on all ranks: the picks of the tuning file, and the network between a
// job's nodes, its shape and who is where.

#include "job/mpi/agreement.hpp"
#include "job/placement.hpp"
#include "machine/machine.hpp"
#include "topology/network.hpp"
#include "tune/tuning_file.hpp"

#include <string>
#include <unordered_map>

namespace thalweg::job {

/// The same on all ranks that agreed on it.
struct KnownNetwork {
  std::string shape; ///< topology/network.hpp; empty: not known
  std::int32_t hosts = 0;
  std::unordered_map<std::uint64_t, std::int32_t> places; ///< by Placement::node_ids
  std::string remark; ///< for people: what is known, or why what was given cannot be used; may be empty

  /// Of a group of ranks, all of them among those that agreed.
  topology::NodePlaces of(const Placement& placement) const;
};

/// From the list of hosts at `node_list` (machine/node_list.hpp; empty: the machine file's own) and the
/// shape that the machine file names, all of them the first member's. Without a list node i is at place i, if
/// the shape has as many. What cannot be read or does not fit is a remark, and the network is not known then.
/// Collective over the ranks of `placement`.
KnownNetwork agree_on_network(const Agreement& everybody, const Placement& placement,
                              const std::string& node_list, const machine::Machine& machine);

/// What the first member knows, on all members.
tune::Tuning agree_on_tuning(const Agreement& everybody, tune::Tuning known);

} // namespace thalweg::job
