// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_turn.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace thalweg::mpi {
namespace {

// What a rank does with its call. All ranks have to do the same with calls of the same number.
enum class Runner { engine, cards };

struct Rank {
  std::unique_ptr<NicTurn> turn;
  std::uint32_t begun = 0;
  bool waits = false; // its call has begun, and it is not known who runs it
  bool has_promised = false;
  bool is_settled = false;
  std::vector<Runner> runners{};

  void begin() {
    ++begun;
    turn->begin_call();
    run();
  }
  void run() {
    waits = !is_settled && !turn->goes_alone();
    if (!waits)
      runners.push_back(is_settled && turn->has_come() ? Runner::cards : Runner::engine);
  }
};

// Ranks call at any pace; each promises once, and is heard later than others. Blocking calls may leave others
// behind by any number, as broadcasts do.
TEST(NicTurn, AllRanksGoOverWithTheSameCall) {
  std::mt19937 random(1); // NOLINT(cert-msc51-cpp): the same programs each time
  for (int program = 0; program < 500; ++program) {
    const bool is_awaited = program % 4 == 0;
    std::vector<Rank> ranks(1 + random() % 6);
    for (Rank& rank : ranks)
      rank.turn = std::make_unique<NicTurn>(is_awaited);
    std::vector<std::uint32_t> heard;
    const std::uint32_t last = 20 + random() % 300;
    const auto pick = [&]() -> Rank& { return ranks[random() % ranks.size()]; };
    while (std::ranges::any_of(ranks, [&](const Rank& rank) { return rank.runners.size() < last; })) {
      if (Rank& rank = pick(); !rank.waits && rank.runners.size() < last)
        rank.begin();
      if (Rank& rank = pick(); random() % 20 == 0 && !rank.has_promised) {
        rank.has_promised = true;
        heard.push_back(is_awaited ? 0 : rank.turn->promise());
      }
      if (Rank& rank = pick(); heard.size() == ranks.size() && random() % 20 == 0 && !rank.is_settled) {
        if (!is_awaited)
          rank.turn->change_behind(std::ranges::max(heard));
        rank.is_settled = true;
        if (rank.waits)
          rank.run();
      }
    }
    for (const Rank& rank : ranks)
      EXPECT_EQ(rank.runners, ranks.front().runners) << program;
    if (is_awaited) {
      EXPECT_EQ(ranks.front().runners.front(), Runner::cards);
    }
  }
}

TEST(NicTurn, AsksForTheGroupOnce) {
  NicTurn turn(false);
  std::uint32_t asked = 0;
  for (std::uint32_t call = 1; call <= 3 * NicTurn::calls_before_group; ++call)
    if (turn.begin_call()) {
      ++asked;
      EXPECT_EQ(call, NicTurn::calls_before_group);
    }
  EXPECT_EQ(asked, 1U);
}

} // namespace
} // namespace thalweg::mpi
