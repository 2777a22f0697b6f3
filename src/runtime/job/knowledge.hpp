// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a job knows of its machine: the figures of its probe, and the picks of the tuning file. One rank
// reads, all get the same; and the same rules say what fits for programs' own collectives and for teams.

#include "job/placement.hpp"
#include "machine/fingerprint.hpp"
#include "machine/machine.hpp"
#include "tune/tuning_file.hpp"

#include <string>
#include <vector>

namespace thalweg::job {

/// What tuning and machine files know a group of ranks by. `library` is machine::library_name()'s.
machine::Fingerprint fingerprint(const Placement& placement, const std::string& library,
                                 machine::Environment environment);

/// What was found for the group, and in words for people what became of the file.
struct FoundPicks {
  std::vector<tune::Pick> picks;
  std::string reason;
  std::vector<tune::StreamPick> streams = {};
  std::vector<tune::Pick> nonblocking = {};
  std::vector<tune::BracketPick> brackets = {};
  std::vector<tune::Pick> of_teams = {};
};

/// The picks that the tuning file at `path` has under just this fingerprint. Throws Error where it does not
/// read.
FoundPicks find_picks(const std::string& path, const machine::Fingerprint& group);

struct KnownMachine {
  machine::Machine machine;
  bool is_probed = false; ///< else a default machine, with the group's cores
};

/// The machine file that `named` names, if it is not null; throws Error where that does not read. Else the
/// one probed under this fingerprint; else the newest of the same processor, library and transport, with a
/// network if and only if the group has several nodes; else a default machine.
KnownMachine find_machine(const machine::Fingerprint& group, const std::string& tuning_path,
                          const char* named);

/// Adds the network that the batch system has described (THALWEG_BATCH_NETWORK; null: none), which is the
/// last source: a machine file's comes before, and a list of hosts is of that one or names its own.
void add_described_network(machine::Machine& machine, const std::string& node_list, const char* described);

} // namespace thalweg::job
