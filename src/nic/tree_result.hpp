// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a group's cards make of an epoch, made in one process of all that ranks have brought to it.

#include "base/assertion.hpp"
#include "nic/combining.h"
#include "nic/lowering.hpp"
#include "thalweg/nic_operator.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace thalweg::nic {

/// An operator of users (thalweg/nic_operator.h) as a function of this process: into = from (+) into.
struct ElementOperator {
  std::function<void(const thalweg_nic_word* from, thalweg_nic_word* into)> combine{}; ///< empty: none
  std::uint32_t words = 1;                                                             ///< of an element
};

/// What all contributors have brought, by an operator of users, as the kernel's programs do it.
inline void combine_cells(thalweg_nic_content& content, std::span<const thalweg_nic_content> cells,
                          const ElementOperator& by) {
  THALWEG_ASSERT(normal, !cells.empty() && by.words > 0);
  thalweg_nic_word from[THALWEG_NIC_WORDS] = {};
  thalweg_nic_word into[THALWEG_NIC_WORDS] = {};
  const auto words = std::min<std::uint32_t>(content.count, THALWEG_NIC_WORDS);
  for (const thalweg_nic_content& cell : cells) {
    std::copy_n(cell.words, words, into);
    for (std::uint32_t at = 0; &cell != &cells.front() && at + by.words <= THALWEG_NIC_WORDS && at < words;
         at += by.words)
      by.combine(from + at, into + at);
    std::copy_n(into, words, from);
  }
  std::copy_n(from, words, content.words);
}

/// What all contributors have brought, put together into `content`, which has what thalweg_nic_arrive says of
/// it.
inline void combine_cells(thalweg_nic_content& content, std::span<const thalweg_nic_content> cells) {
  if (thalweg_nic_has_long_rows(&content) != 0) {
    thalweg_nic_clear(&content);
    for (const thalweg_nic_content& cell : cells)
      thalweg_nic_join(&content, &cell);
    return;
  }
  content = cells.front();
  for (const thalweg_nic_content& cell : cells.subspan(1))
    thalweg_nic_combine(&content, &cell);
}

/// The bits are those of the cards, as each host's ranks and the hosts below are combined in the same order.
/// `brought`: by rank. `by`: the group's operator of users, if it has one.
thalweg_nic_content tree_result(const ScheduleOf& schedule_of, const std::vector<std::int32_t>& nodes,
                                std::span<const thalweg_nic_content> brought, const ElementOperator& by);

} // namespace thalweg::nic
