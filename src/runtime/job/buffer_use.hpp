// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace thalweg::job {

/// What becomes of a call whose input and output are the same memory.
struct BufferUse {
  bool in_place = false;     ///< the schedule works in that memory
  bool copies_input = false; ///< the input is copied first, as the strategy does not support that
};

constexpr BufferUse buffer_use(bool same_memory, bool strategy_works_in_place) {
  return {same_memory && strategy_works_in_place, same_memory && !strategy_works_in_place};
}

} // namespace thalweg::job
