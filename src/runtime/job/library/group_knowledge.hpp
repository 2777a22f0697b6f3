// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the ranks of a team or of a stream have agreed to know of their machine.

#include "job/knowledge.hpp"
#include "job/library/group.hpp"
#include "job/mpi/agreed_knowledge.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace thalweg::job {

struct Knowledge {
  /// What files know the group by. Of teams, the whole that one was split from: jobs are what is tuned.
  machine::Fingerprint fingerprint;
  KnownMachine machine;
  std::vector<tune::Pick> picks; ///< for groups of all shapes
  std::vector<tune::StreamPick> streams;
  std::vector<tune::BracketPick> brackets;
  std::vector<tune::Pick> of_teams; ///< for their calls, likewise
  KnownNetwork network;             ///< between the nodes of the whole
};

/// The first rank reads the tuning file (THALWEG_TUNING, else the default one) and the machine files beside
/// it, or the machine file that THALWEG_MACHINE names; all ranks get what it found (job/knowledge.hpp says
/// what fits). So it is with the list of hosts that THALWEG_NODE_LIST names. Files that do not read are
/// passed over, except the one that was named: then all ranks throw the same Error. Collective.
Knowledge agree_on_knowledge(const Group& group);

/// What a program says itself of the network between its nodes.
struct NamedNetwork {
  std::string shape;     ///< topology/network.hpp; empty: the machine file's
  std::string node_list; ///< a file; empty: THALWEG_NODE_LIST's, or the machine file's
};

/// The network between the group's nodes alone, found as above. Throws the same Error on all ranks for a
/// machine file that was named and does not read, and for what `named` says, if that cannot be used.
/// Collective.
KnownNetwork agree_on_network(const Group& group, const NamedNetwork& named);

/// May ranks try out what may be faster (THALWEG_LEARN)?
bool may_learn();

/// Keeps what the group has found in the tuning file, for later jobs: the first rank writes, if ranks may
/// learn and THALWEG_TUNING names a file, as under `thalweg run`. A program's end must not fail for a file
/// that cannot be written, so that costs a line on the standard error, which says who has found something.
void keep_found(const Group& group, std::string_view who, const tune::Tuning& found);

} // namespace thalweg::job
