// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What was chosen for kinds of calls, who chose it, and what is known of the other strategies.

#include "mpi/observe/profile.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace thalweg::mpi::observe {

/// What the tuning file says of calls of one kind.
struct TunedPick {
  std::string operation;
  std::int64_t bytes = 0; ///< of a unit
  int ranks = 0;
  std::string strategy;
  double seconds = 0;        ///< of a call, as it was tuned
  double native_seconds = 0; ///< the library's own
};

struct PickAlternative {
  std::string strategy;
  double seconds = 0;           ///< of a call; 0: nobody measured
  double predicted_seconds = 0; ///< 0: nobody predicted
};

struct PickProfile {
  std::string operation; ///< as selections name it
  std::int64_t bytes = 0;
  int ranks = 0;
  std::string strategy;
  std::string source; ///< "learned", "tuning file", "use", or "rule" for what nobody noted
  double seconds = 0;
  double predicted_seconds = 0;
  std::vector<PickAlternative> alternatives;
};

/// Who may have chosen.
struct PickSources {
  const std::string& learned; ///< JSON array of learn/learned_entry.hpp; empty for none
  const std::vector<TunedPick>& tuned;
  const std::string& use; ///< THALWEG_USE
};

/// What was learned, and of the other strategies that ran those that the tuning file or the user named.
std::vector<PickProfile> picks_of(const PickSources& sources, const Profile& profile);

/// The call site with the most time whose calls a pick is for; -1 where there is none.
int call_index(const PickProfile& pick, const Profile& profile);

} // namespace thalweg::mpi::observe
