#pragma once

// Choosing strategies by name: the one grammar of command line, environment, configuration and tuning files.
//
//   selections = selection { ";" selection }
//   selection  = operation "=" strategy [ ":" parameter "=" value { "," parameter "=" value } ]
//
// An operation is one of MPI's, in lower case and without its prefix ("alltoall", "alltoallv",
// "reduce_scatter_block"); "broadcast" and "bcast" are the same. The strategy "native" is the MPI library's
// own. Sizes may carry KiB, MiB, GiB; choices are written by their names. Blanks around words mean nothing.

#include "strategies/index.hpp"

#include <string>

namespace thalweg::strategies {

/// A collective as programs call it, and the operation whose schedules do its work.
struct Call {
  std::string_view name;
  Operation operation;
  /// A variant of the operation's own call: selections for that call hold for this one too.
  bool is_variant = false;
  /// Blocks may differ in size, so strategies must support that.
  bool unequal_blocks = false;
};

/// Every call that can be selected for.
std::span<const Call> calls();
/// The call of that name, or null.
const Call* find_call(std::string_view name);

/// Can the strategy serve the call's blocks? Where only senders and receivers know sizes (gatherv, scatterv,
/// alltoallv) any can, as sizes are found by running the schedule on them first; else it must support unequal
/// blocks.
bool supports(const Strategy& strategy, const Call& call);

struct Selection {
  const Call* call = nullptr;
  const Strategy* strategy = nullptr; ///< null: native
  schedule::Parameters parameters;    ///< resolved: every parameter of the strategy has its value

  bool is_native() const { return strategy == nullptr; }
};

/// Reads one selection. Throws Error for anything that is none, saying what to write instead.
Selection parse_selection(std::string_view text);
/// Reads several; blank text is none. Throws Error also where a call is selected for twice.
std::vector<Selection> parse_selections(std::string_view text);

/// The text that reads back as the same selection, without parameters that have their default value.
std::string to_text(const Selection& selection);
std::string to_text(std::span<const Selection> selections);
/// A parameter's value as it is written in a selection: "64KiB", "7", "folding".
std::string value_text(const Parameter& parameter, std::int64_t value);

/// The selection that holds for a call: its own, else the one for the operation's own call, else null. One
/// that was made for the operation's own call may not support a variant's unequal blocks (Call,
/// Strategy::unequal_blocks): the caller then runs native and says so.
const Selection* selected(std::span<const Selection> selections, const Call& call);

} // namespace thalweg::strategies
