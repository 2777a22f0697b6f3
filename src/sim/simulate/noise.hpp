// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Noise: the operating system takes a processor away now and then, for a moment (a detour; Hoefler,
// Schneider, Lumsdaine 2010, "Characterizing the influence of system noise on large-scale applications by
// simulation", SC'10). Detours come in regular periods, once in each period at a random moment, or as they
// were measured (`thalweg machine probe --noise`).

#include "simulate/message_costs.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::simulate {

/// Detours of processors as they were measured, played again and again from a random moment on, as LogGOPSim
/// does with its traces of noise (Hoefler, Schneider, Lumsdaine 2010, section III).
///
/// A file begins with the line "thalweg-noise". For each processor that was measured there is a line
/// "processor LENGTH", the nanoseconds that it was looked at. A line "BEGIN DURATION" follows for each of its
/// detours, in nanoseconds, in their order. What follows a # is a comment.
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

/// Each processor is away for `duration` in every `period`. Which moments are its own follows from the seed.
struct Noise {
  Ticks period = 0; ///< 0: there is none, or it was measured
  Ticks duration = 0;
  std::uint64_t seed = 1;
  bool is_random = false; ///< in each period at another moment
  std::shared_ptr<const MeasuredNoise> measured = nullptr;

  bool has_any() const { return period > 0 || measured != nullptr; }

  /// How much longer `work` that begins at `begin` takes a processor, which is named by its number. Work that
  /// ends when a detour begins does not meet it.
  Ticks detours(std::uint64_t processor, Ticks begin, Ticks work) const {
    return has_any() && work > 0 ? away(processor, begin, work) : 0;
  }

private:
  Ticks away(std::uint64_t processor, Ticks begin, Ticks work) const;
  Ticks away_regularly(std::uint64_t processor, Ticks begin, Ticks work) const;
  Ticks away_at_random(std::uint64_t processor, Ticks begin, Ticks work) const;
};

/// Reads "1000000,25000" or "1000000,25000,7": period and duration in nanoseconds, and a seed. With "random:"
/// before it, detours come at random moments. Or it is the text of a file of measured noise, with the seed 1.
/// Throws Error for anything else, and for detours that leave no time between them.
Noise parse_noise(std::string_view text);

} // namespace thalweg::simulate
