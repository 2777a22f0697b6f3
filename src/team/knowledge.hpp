#pragma once

// What the ranks of a team have agreed to know of their machine.

#include "job/knowledge.hpp"
#include "job/linked/group.hpp"

namespace thalweg::teams {

struct Knowledge {
  /// What files know the team by: the whole that it was split from, as jobs are what is tuned and probed.
  machine::Fingerprint fingerprint;
  job::KnownMachine machine;
  std::vector<tune::Pick> picks; ///< for groups of all shapes
};

/// The first rank reads the tuning file (THALWEG_TUNING, else the default one) and the machine files beside
/// it, or the machine file that THALWEG_MACHINE names; all ranks get what it found (job/knowledge.hpp says
/// what fits). Files that do not read are passed over, except the one that was named: then all ranks throw
/// the same Error. Collective.
Knowledge agree_on_knowledge(const job::Group& group);

} // namespace thalweg::teams
