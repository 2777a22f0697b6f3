// SPDX-License-Identifier: BSD-3-Clause
#include "tune/outcome.hpp"

namespace thalweg::tune {

std::string_view text_of(Outcome outcome) {
  switch (outcome) {
  case Outcome::not_tried:
    return "not tried";
  case Outcome::tried_before_change:
    return "tried before the calls changed";
  case Outcome::began_with:
    return "what it began with";
  case Outcome::being_tried:
    return "being tried";
  case Outcome::in_use:
    return "in use";
  case Outcome::outdone:
    return "slower than what came later";
  case Outcome::not_faster:
    return "not surely faster";
  case Outcome::much_slower:
    return "much slower";
  case Outcome::cannot_do_it:
    return "cannot do these calls";
  }
  return "";
}

} // namespace thalweg::tune
