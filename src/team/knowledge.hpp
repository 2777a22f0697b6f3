#pragma once

// What a team knows of the machine: the figures of its probe, and the strategies that were found best on it.

#include "machine/machine.hpp"
#include "team/group.hpp"
#include "tune/tuning_file.hpp"

#include <string>
#include <vector>

namespace thalweg::teams {

struct Knowledge {
  machine::Machine machine;
  bool is_probed = false; ///< no standard machine
  /// For communicators with as many ranks on as many nodes as the team.
  std::vector<tune::Pick> picks;
};

/// The first rank reads the tuning file (THALWEG_TUNING, else the standard one) and the machine files beside
/// it, or the machine file that THALWEG_MACHINE names; all ranks get what it found. Without any of them, a
/// standard machine. Files that do not read are passed over, except the one that was named: then all ranks
/// throw the same Error. Collective.
Knowledge agree_on_knowledge(const Group& group);

} // namespace thalweg::teams
