// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which of a program's associations tries strategies. A step's time says nothing of one association while
// another one changes too. So one at a time has its turn: it tries its strategies until it has found its
// best, with all others left as they are, and then it is the next one's turn. What is measured in other
// periods counts for nobody.

#include "objects/bracket_choice.hpp"

#include <cstddef>
#include <span>

namespace thalweg::objects {

class BracketTurns {
public:
  /// Of an association that fences choose for.
  struct Member {
    std::size_t number = 0; ///< of the association: in the order of their making
    BracketChoice* choice = nullptr;
    Period period; ///< the one that ends here
  };

  /// A fence: each decides. All ranks are given the same. `have_moved`: elements, at the fence before.
  void decide(std::span<const Member> members, bool have_moved);

private:
  std::size_t turn_ = 0; ///< the number of the association that has it
};

} // namespace thalweg::objects
