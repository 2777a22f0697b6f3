// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What can run a call: a strategy's schedule, or the MPI library. Whoever chooses, records or runs says which
// by this one type.
//
//   implementation = "native"          the library, as it decides itself
//                  | "library:" word   the library, by an algorithm of its own
//                  | strategy [ ":" parameter "=" value { "," parameter "=" value } ] [ "+thread" ]
//
// Sizes may carry KiB, MiB, GiB; choices are written by their names. Blanks around words mean nothing. With
// "+thread" each rank's progress thread advances calls that do not block while the program computes; blocking
// ones wait themselves.

#include "strategies/calls.hpp"
#include "strategies/index.hpp"

#include <variant>

namespace thalweg::strategies {

/// The MPI library's own.
struct Library {
  /// One of its algorithms, in the words of the library's table (thalweg/rules). It takes effect only where
  /// the library was told of it when the job started. Empty: as the library decides itself.
  std::string algorithm = {};

  bool operator==(const Library&) const = default;
};

/// Who advances a call that does not block while the program computes: nobody, so that it goes on in the
/// program's MPI calls, or the rank's progress thread.
enum class Advancing { in_calls, by_thread };

/// A strategy's schedule, run by our engine, or by network devices where the strategy is for these.
class Scheduled {
public:
  /// Parameters that are not given have their default value. Throws Error for an unknown parameter or a
  /// value outside its range, and for a thread beside a strategy that network devices run.
  explicit Scheduled(const Strategy& strategy, const schedule::Parameters& given = {},
                     Advancing advancing = Advancing::in_calls);

  const Strategy& strategy() const { return *strategy_; }
  const schedule::Parameters& parameters() const { return parameters_; }
  Advancing advancing() const { return advancing_; }
  /// The same, advanced so.
  Scheduled advanced(Advancing advancing) const { return Scheduled(*strategy_, parameters_, advancing); }

  bool operator==(const Scheduled&) const = default;

private:
  const Strategy* strategy_; ///< in the index, which lives as long as the process
  schedule::Parameters parameters_;
  Advancing advancing_;
};

/// The library as it decides itself, where nobody has chosen.
using Implementation = std::variant<Library, Scheduled>;

/// The library, as it decides itself?
bool is_native(const Implementation& implementation);

/// Reads an implementation of that call. Throws Error for anything that is none, saying what to write
/// instead.
Implementation parse_implementation(std::string_view text, const Call& call);
/// The text that reads back as the same, without parameters that have their default value.
std::string to_text(const Implementation& implementation);
std::string to_text(const Scheduled& scheduled);
/// A parameter's value as it is written there: "64KiB", "7", "folding".
std::string value_text(const Parameter& parameter, std::int64_t value);

} // namespace thalweg::strategies
