#pragma once

// Selections: what a user asks for in words, `allreduce=recursive_doubling:segment=64KiB`. The one grammar of flags,
// environment variables and files:
//
//   selections = selection { ";" selection }
//   selection  = operation "=" strategy [ ":" parameter "=" value { "," parameter "=" value } ]
//
// A value is a number, a size such as 64KiB, or the name of a choice.

#include "strategies/index.hpp"

namespace thalweg::strategies {

/// The name that stands for the MPI library's own implementation.
inline constexpr std::string_view native = "native";

struct Selection {
  Operation operation = Operation::barrier;
  /// Null: native.
  const Strategy* strategy = nullptr;
  /// Every parameter of the strategy, those not given at their standard.
  schedule::Parameters parameters = {};
};

/// Reads what stands behind "operation=". Throws Error naming what is known for an unknown operation, strategy or
/// parameter, and the range for a value outside it.
Selection parse_selection(std::string_view operation, std::string_view strategy);

/// Reads selections joined by semicolons; empty ones are skipped. Throws Error as above, and for an operation that is
/// selected twice.
std::vector<Selection> parse_selections(std::string_view text);

} // namespace thalweg::strategies
