// SPDX-License-Identifier: BSD-3-Clause
#include "objects/bracket_turns.hpp"

#include <algorithm>

namespace thalweg::objects {

void BracketTurns::decide(std::span<const Member> members, bool have_moved) {
  const auto trying = std::ranges::find(members, turn_, &Member::number);
  if (have_moved && trying != members.end())
    trying->choice->begin_anew(); // what was measured is another distribution's
  bool others_change = false;
  for (const Member& one : members) {
    const Combining before = one.choice->current();
    one.choice->decide(one.period, one.number == turn_);
    others_change |= one.number != turn_ && one.choice->current() != before;
  }
  if (others_change && trying != members.end())
    trying->choice->begin_anew();
  if (trying != members.end() && trying->choice->wants_turn())
    return;
  // The next one behind it that wants a turn, and else the first.
  const auto wants = [](const Member& one) { return one.choice->wants_turn(); };
  auto next =
      std::ranges::find_if(members, [&](const Member& one) { return one.number > turn_ && wants(one); });
  if (next == members.end())
    next = std::ranges::find_if(members, wants);
  if (next != members.end())
    turn_ = next->number;
}

} // namespace thalweg::objects
