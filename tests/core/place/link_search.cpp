// SPDX-License-Identifier: BSD-3-Clause
#include "place/link_search.hpp"

#include "place/objectives.hpp"
#include "problems.hpp"

#include <gtest/gtest.h>

namespace thalweg::place {
namespace {

Peak peak_of(const pattern::Matrix& matrix, const machine::Allocation& allocation, const Numbers& slot_of) {
  const std::vector<double> loads = link_loads(matrix, allocation, slot_of);
  const double load = loads.empty() ? 0 : *std::ranges::max_element(loads);
  return load > 0 ? Peak{load, static_cast<std::int32_t>(std::ranges::count(loads, load))} : Peak{};
}

TEST(Explain, MessagesOverALinkAreItsLoad) {
  std::mt19937 random(15);
  for (int round = 0; round < 50; ++round) {
    const machine::Allocation allocation = random_allocation(random);
    const auto slots = static_cast<std::int32_t>(allocation.slots.size());
    const pattern::Matrix matrix = pattern::sum(random_pattern(random, slots));
    const Numbers slot_of = shuffled(random, slots);
    const std::vector<double> loads = link_loads(matrix, allocation, slot_of);
    for (std::size_t link = 0; link < loads.size(); ++link) {
      double sum = 0;
      for (const pattern::Edge& edge :
           messages_over(static_cast<topology::Link>(link), matrix, allocation, slot_of))
        sum += edge.bytes;
      EXPECT_DOUBLE_EQ(sum, loads[link]);
    }
  }
}

/// Of all swaps with any slot, also an empty one, none is better; and it does what it says.
TEST(Explain, TheBestReliefIsTheBestOfAllSwaps) {
  std::mt19937 random(16);
  for (int round = 0; round < 50; ++round) {
    const machine::Allocation allocation = random_allocation(random);
    const auto slots = static_cast<std::int32_t>(allocation.slots.size());
    const auto tasks = static_cast<std::int32_t>(random() % allocation.slots.size() + 1);
    const pattern::Matrix matrix = pattern::sum(random_pattern(random, tasks));
    Numbers slot_of = shuffled(random, slots);
    slot_of.resize(static_cast<std::size_t>(tasks));
    const Peak before = peak_of(matrix, allocation, slot_of);
    Peak best = before;
    const auto swapped = [&](std::size_t task, std::int32_t slot) {
      Numbers after = slot_of;
      if (const auto other = std::ranges::find(after, slot); other != after.end())
        *other = slot_of[task];
      after[task] = slot;
      return peak_of(matrix, allocation, after);
    };
    for (std::size_t task = 0; task < slot_of.size(); ++task)
      for (std::int32_t slot = 0; slot < slots; ++slot)
        if (const Peak peak = swapped(task, slot); peak.is_below(best))
          best = peak;
    const auto found = best_relief(matrix, allocation, slot_of, slot_of.size());
    EXPECT_EQ(found.has_value(), best.is_below(before));
    if (found) {
      EXPECT_EQ(found->peak, best);
      EXPECT_EQ(swapped(static_cast<std::size_t>(found->task), found->slot), best);
    }
  }
}

} // namespace
} // namespace thalweg::place
