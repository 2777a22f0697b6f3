// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Choosing implementations by name: the one grammar of command line, environment, configuration and tuning
// files.
//
//   selections = selection { ";" selection }
//   selection  = operation "=" implementation
//
// An operation is one of MPI's, in lower case and without its prefix ("alltoall", "alltoallv",
// "reduce_scatter_block"); "broadcast" and "bcast" are the same. Blanks around words mean nothing.

#include "strategies/implementation.hpp"

#include <string>
#include <vector>

namespace thalweg::strategies {

struct Selection {
  const Call* call; ///< one of calls()
  Implementation implementation;

  bool operator==(const Selection&) const = default;
};

/// Reads one selection. Throws Error for anything that is none, saying what to write instead.
Selection parse_selection(std::string_view text);
/// Reads several, joined by semicolons, or by commas behind such without parameters; blank text is none.
/// Throws Error also where a call is selected for twice.
std::vector<Selection> parse_selections(std::string_view text);

/// The schedule that was selected. Throws Error where it is the library or an offload, which have none.
const Scheduled& schedule_of(const Selection& selection);

/// The text that reads back as the same selection, without parameters that have their default value.
std::string to_text(const Selection& selection);
std::string to_text(std::span<const Selection> selections);

/// The selection that holds for a call: its own, else the one for the operation's own call, else null. One
/// that was made for the operation's own call may not support a variant's unequal blocks (Call,
/// Strategy::unequal_blocks): the caller then runs native and says so.
const Selection* selected(std::span<const Selection> selections, const Call& call);

} // namespace thalweg::strategies
