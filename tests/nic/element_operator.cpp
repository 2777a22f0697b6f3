// SPDX-License-Identifier: BSD-3-Clause

// Operators of users in a process: whole elements, in order, and those of a file that agents load too.

#include "host_processes.hpp"
#include "nic/doubles/host_card.hpp"
#include "nic/member.hpp"
#include "nic/tree_result.hpp"
#include "operators/matrix_product.c"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace thalweg::nic {
namespace {

// It does not commute, and differs by the word's place in its element.
void append(const thalweg_nic_word* from, thalweg_nic_word* into) {
  for (int word = 0; word < 3; ++word)
    into[word] = from[word] * 10 + into[word] + static_cast<thalweg_nic_word>(word);
}

std::vector<thalweg_nic_content> random_cells(std::mt19937_64& random, std::size_t cells,
                                              std::uint16_t count) {
  std::vector<thalweg_nic_content> made(cells);
  for (thalweg_nic_content& cell : made) {
    cell.count = count;
    for (std::uint16_t word = 0; word < count; ++word)
      cell.words[word] = random() % 1000;
  }
  return made;
}

TEST(NicElementOperator, ElementsAreCombinedInTheOrderOfContributors) {
  std::mt19937_64 random(7);
  for (const std::uint16_t count : {std::uint16_t{8}, std::uint16_t{32}})
    for (std::size_t contributors = 1; contributors < 9; ++contributors) {
      const std::vector<thalweg_nic_content> cells = random_cells(random, contributors, count);
      thalweg_nic_content result = cells.back();
      combine_cells(result, cells, {append, 3});
      for (std::uint32_t word = 0; word < count / 3U * 3U; ++word) {
        thalweg_nic_word expected = cells.front().words[word];
        for (std::size_t cell = 1; cell < contributors; ++cell)
          expected = expected * 10 + cells[cell].words[word] + word % 3;
        ASSERT_EQ(result.words[word], expected) << word << " of " << contributors;
      }
      // What is left behind whole elements is nobody's.
      EXPECT_EQ(result.count, count);
    }
}

// Gives 0 where all products are what one process makes of all matrices.
int run(std::unique_ptr<HostCard> card, std::uint32_t process, const Places& places) {
  card->join(group_of(process, places), {matrix_product, 4});
  Member member(std::move(card));
  wait::Policy policy;
  policy.polls = 1;
  for (std::uint32_t number = 1; number <= 100; ++number) {
    std::array<thalweg_nic_word, 4> expected{1, 0, 0, 1};
    MemberOperation operation{.epoch = number};
    operation.content.operation = THALWEG_NIC_ELEMENT * 8;
    operation.content.count = THALWEG_NIC_FEW;
    for (std::uint32_t other = 0; other < processes; ++other) {
      const thalweg_nic_word a = number * 1000003U + other;
      const thalweg_nic_word b = number * 7919U + other * other;
      const std::array<thalweg_nic_word, 4> matrix{a, b, 2147483647U - b, a};
      std::array<thalweg_nic_word, 4> product = matrix;
      matrix_product(expected.data(), product.data());
      expected = product;
      if (other == process)
        std::ranges::copy(matrix, operation.content.words);
    }
    member.run(operation, policy);
    if (!std::ranges::equal(expected, std::span(operation.content.words).first(4)))
      return 1;
  }
  return 0;
}

TEST(NicElementOperator, HostCardsRunTheFunctionOfAFileForAgents) {
  run_processes<HostCard>([](std::unique_ptr<HostCard> card, std::uint32_t process, const Places& places) {
    return run(std::move(card), process, places);
  });
}

} // namespace
} // namespace thalweg::nic
