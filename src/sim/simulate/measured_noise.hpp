// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Detours of processors as they were measured, played again and again from a random moment on, as LogGOPSim
// does with its traces of noise (Hoefler, Schneider, Lumsdaine 2010, section III).
//
// A file begins with the line "thalweg-noise". For each processor that was measured there is a line
// "processor LENGTH", the nanoseconds that it was looked at. A line "BEGIN DURATION" follows for each of its
// detours, in nanoseconds, in their order. What follows a # is a comment.

#include "simulate/message_costs.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace thalweg::simulate {

class MeasuredNoise {
public:
  static constexpr std::string_view first_word = "thalweg-noise";

  /// Reads a file's text. Throws Error with the file's name and the line that is wrong.
  explicit MeasuredNoise(std::string_view text, std::string name = "measured noise");

  /// How much longer `work` that begins at `begin` takes the processor that drew this number.
  Ticks detours(std::uint64_t drawn, Ticks begin, Ticks work) const;

private:
  struct Detour {
    Ticks begin;
    Ticks duration;
    Ticks away_before;                                    ///< in all detours before this one
    Ticks at_work() const { return begin - away_before; } ///< before this one
    Ticks end() const { return begin + duration; }
  };
  struct Processor {
    Ticks length = 0;
    Ticks away = 0; ///< in all
    std::vector<Detour> detours;
  };

  [[noreturn]] void refuse(std::size_t number, std::string_view what) const;
  void append(std::string_view line, std::size_t number);

  std::string name_; ///< for errors
  std::vector<Processor> processors_;
};

} // namespace thalweg::simulate
