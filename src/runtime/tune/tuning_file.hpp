// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The tuning file: which strategy was found best for which call, and the times that say so, by machine; and
// what programs have found best, from phase to phase, for what is no collective (evidence/phase_tuner.hpp).
// TOML that people can read and edit.

#include "machine/fingerprint.hpp"
#include "strategies/implementation.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::tune {

/// What was found best for streams of such items, where ranks send so much in a phase.
struct StreamPick {
  std::int64_t item_bytes = 0;  ///< of an item; 0: they differ
  std::int64_t phase_bytes = 0; ///< of a rank's items in a phase
  std::int32_t ranks = 0;
  std::string shape; ///< "direct", or the sides of a mesh: "4x8"
  std::int64_t buffer_bytes = 0;
  double seconds = 0; ///< of a phase

  bool is_same_case(const StreamPick& other) const {
    return item_bytes == other.item_bytes && ranks == other.ranks && phase_bytes == other.phase_bytes;
  }
};

/// What was found best for the brackets of objects, where ranks send so much in an iteration.
struct BracketPick {
  std::int32_t ranks = 0;
  std::int64_t messages = 0;      ///< of a rank: from so many on, and up to twice as many
  std::int64_t message_bytes = 0; ///< of a message, likewise
  bool is_multicast = false;      ///< most bytes are for several ranks each
  std::string use;                ///< the strategy: "mesh"
  double seconds = 0;             ///< of an iteration, with all that runs meanwhile

  bool is_same_case(const BracketPick& other) const {
    return ranks == other.ranks && messages == other.messages && message_bytes == other.message_bytes &&
           is_multicast == other.is_multicast;
  }
};

/// Sources of picks: `thalweg tune`, and programs that have learned while they ran; "online, unfinished"
/// where a program ended before its search did.
inline constexpr std::string_view tune_source = "tune";
inline constexpr std::string_view online_source = "online";

/// How a nonblocking call and a computation behind its start fit together; seconds.
struct Overlap {
  double exposed = 0;    ///< that the rank spends in the start, in tests and in the wait
  double lost = 0;       ///< by which its computation takes longer
  double completion = 0; ///< from the start until the end is known

  bool operator==(const Overlap&) const = default;
};

/// A nonblocking call's pick, and the library's own call beside it.
struct Overlaps {
  Overlap pick;
  Overlap native;

  bool operator==(const Overlaps&) const = default;
};

/// By which figure a pick was made: completion time, processor time of all ranks, or the exposed and lost
/// time of the rank that has the most of both. Older files do not say it.
inline constexpr std::array<std::string_view, 3> objectives{"time", "cpu", "overlap"};

/// How far a team's call synchronizes its ranks: before it, and after it (thalweg/team.h). In the order of
/// the two numbers there.
inline constexpr std::array<std::string_view, 9> modes{"none-none", "none-mine", "none-all",
                                                       "mine-none", "mine-mine", "mine-all",
                                                       "all-none",  "all-mine",  "all-all"};

/// What was found best for one case.
struct Pick {
  std::string call; ///< as in selections: "alltoall"
  std::int32_t ranks = 0;
  std::int32_t nodes = 1;
  std::int64_t bytes = 0; ///< of a unit
  strategies::Implementation use;
  double seconds = 0; ///< the pick's median, by its objective
  double native_seconds = 0;
  std::int32_t trials = 0; ///< batches that each of the two figures is the median of
  std::string source;      ///< who found it, see above
  /// What runs where the library was not told of its algorithm, or the offload is not at hand; none: native.
  std::optional<strategies::Implementation> fallback = {};
  /// Of calls whose blocks may be empty (strategies/degree.hpp): to how many others a rank had something; 0:
  /// to all. `bytes` are those of what it had then.
  std::int32_t degree = 0;
  std::string objective = {};            ///< one of the above; empty: of an older file
  std::optional<Overlaps> overlaps = {}; ///< of nonblocking calls, where they were measured
  std::string mode = {};                 ///< of a team's call: its synchronization, one of `modes`

  bool is_same_case(const Pick& other) const {
    return call == other.call && ranks == other.ranks && nodes == other.nodes && bytes == other.bytes &&
           degree == other.degree && mode == other.mode;
  }
};

/// What is known of one machine.
struct Tuning {
  machine::Fingerprint machine;
  std::vector<Pick> picks;
  std::vector<StreamPick> streams = {};
  /// Of nonblocking calls, with the time that they hold up a rank which computes meanwhile.
  std::vector<Pick> nonblocking = {};
  std::vector<BracketPick> brackets = {};
  /// Of teams' calls, each with its mode. Native is what a team runs without a pick.
  std::vector<Pick> of_teams = {};

  bool is_empty() const {
    return picks.empty() && streams.empty() && nonblocking.empty() && brackets.empty() && of_teams.empty();
  }
};

using TuningFile = std::vector<Tuning>;

/// Reads a tuning file's text; `name` is for errors. Throws Error for anything that is none of this version,
/// naming the place: a file is right as a whole or refused as a whole.
TuningFile parse_tuning(std::string_view text, const std::string& name);
std::string to_text(const TuningFile& file);

/// Reads a file; one that does not exist is empty.
TuningFile load_tuning(const std::string& path);

/// What the file knows of that machine, or null.
const Tuning* find_tuning(const TuningFile& file, const machine::Fingerprint& machine);

/// Adds picks; newer ones replace those of the same case.
void merge(TuningFile& file, const Tuning& found);

/// Merges into the file at that path under a lock, and replaces it atomically; folders are made. A file that
/// does not read is kept beside it as PATH.refused, or PATH.refused-2 where that is taken and so on, and the
/// name is returned; empty otherwise. Throws Error if nothing can be written there; the old file is whole
/// then.
std::string save_tuning(const std::string& path, const Tuning& found);

} // namespace thalweg::tune
