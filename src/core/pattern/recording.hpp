// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a run of a program sent, as it was recorded, and the file that it is kept in.
//
//     thalweg-pattern 1
//     ranks 64
//     seconds 12.5                                   that the run took
//     command ./app -n 100
//     site 0 call MPI_Isend halo.c:42 (exchange)     a call site: number, what it counts, function, place
//     site 1 like:knomial MPI_Bcast solve.c:7 (step)
//     phase 100 2                                    began 100 times; its name, of MPI_Pcontrol's level
//     0 1 819200 100 0                               from, to, bytes, messages, site; of all times together
//
// Words are separated by blanks; what follows the last of a line's words is a text with its blanks. Lines
// that begin with # are notes.

#include "pattern/matrix.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::pattern {

/// A place in the program that sends.
struct Site {
  /// How its messages are known: "call" (a message of the program's own), "schedule" (a collective by the
  /// schedule that ran it), "direct" (a collective of the library, as if ranks sent each other what it is
  /// for) or "like:<strategy>" (a collective of the library, by the messages of a strategy of ours).
  std::string by;
  std::string function; ///< "MPI_Isend"
  std::string source;   ///< "halo.c:42 (exchange)"

  auto operator<=>(const Site&) const = default;
};

/// All that a site sent from one rank to another in a phase.
struct Sent {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
  std::uint32_t site = 0; ///< index in Recording::sites

  bool operator==(const Sent&) const = default;
};

struct RecordedPhase {
  std::string name;
  std::uint64_t repeats = 1; ///< how often it began
  std::vector<Sent> sent;    ///< of all times together

  bool operator==(const RecordedPhase&) const = default;
};

struct Recording {
  std::int32_t ranks = 0;
  double seconds = 0;  ///< that the run took; 0: not known
  std::string command; ///< program and arguments, for people
  std::vector<Site> sites;
  std::vector<RecordedPhase> phases;

  bool operator==(const Recording&) const = default;
};

/// The file's text.
std::string to_text(const Recording& recording);

/// Reads it; `name` is for errors. Throws Error naming the line for what is no such text, and for ranks and
/// sites that there are none of.
Recording parse_recording(std::string_view text, const std::string& name);

/// As parse_recording(), of a file. Throws Error where it cannot be read.
Recording load_recording(const std::string& file);

/// Who sends how much to whom, sites added up; each phase's matrix is of one time.
Pattern pattern_of(const Recording& recording);

} // namespace thalweg::pattern
