// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What was learned of one kind of call, as the report shows it and ranks send it to each other.

#include "tune/learner.hpp"
#include "tune/tuning_file.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::mpi {

struct LearnedEntry {
  /// As in MPI's names. No call's own begins or ends so.
  static constexpr std::string_view nonblocking_mark = "i";
  static constexpr std::string_view persistent_mark = "_init";
  std::string call; ///< as in selections, behind the one mark or in front of the other
  std::int32_t ranks = 0;
  std::int32_t nodes = 0;
  std::int64_t bytes = 0;
  std::int32_t degree = 0;         ///< to how many others a rank had something; 0: to all
  std::uint64_t communicators = 1; ///< that made such calls
  std::uint64_t calls = 0;
  tune::Learner::State state = tune::Learner::State::counting;
  bool searched = false;
  std::uint32_t searches = 0;
  std::string use;
  double seconds = 0;
  double spent_seconds = 0;
  std::uint64_t measured_calls = 0;
  double arrival_skew_seconds = 0;
  double transfer_seconds = 0;
  std::vector<tune::Trial> trials;

  static std::string name_of(std::string_view operation, bool blocks, bool is_persistent);
  bool is_nonblocking() const { return call.starts_with(nonblocking_mark); }
  bool is_persistent() const { return call.ends_with(persistent_mark); }
  bool blocks() const { return !is_nonblocking() && !is_persistent(); }
  /// As in selections.
  std::string_view operation() const;
  /// Of the same calls, on another communicator?
  bool is_same_case(const LearnedEntry& other) const;
};

/// A JSON array, for the report.
std::string document_of(std::span<const LearnedEntry> entries);

/// The same in few bytes, for other ranks.
std::vector<std::uint8_t> pack(std::span<const LearnedEntry> entries);
std::vector<LearnedEntry> unpack(std::span<const std::uint8_t> packed);

/// What it says to the next run, if anything: a whole search does, and so does a strategy that has beaten
/// native.
std::optional<tune::Pick> pick_of(const LearnedEntry& entry);

} // namespace thalweg::mpi
