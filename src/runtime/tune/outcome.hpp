// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What becomes of the candidates that a learner has.

#include <array>
#include <cstdint>
#include <string_view>

namespace thalweg::tune {

/// What became of a candidate.
enum class Outcome : std::uint8_t {
  not_tried,
  tried_before_change, // of the calls, which began the search anew
  began_with,          // by the tuning file, and not yet compared
  being_tried,
  in_use,
  outdone,      // was in use until something faster came
  not_faster,   // than what was in use then, surely
  much_slower,  // at a first look already
  cannot_do_it, // is refused on some rank
};

inline constexpr std::array outcomes{Outcome::not_tried,   Outcome::tried_before_change,
                                     Outcome::began_with,  Outcome::being_tried,
                                     Outcome::in_use,      Outcome::outdone,
                                     Outcome::not_faster,  Outcome::much_slower,
                                     Outcome::cannot_do_it};

/// An outcome in the words of reports.
std::string_view text_of(Outcome outcome);

} // namespace thalweg::tune
