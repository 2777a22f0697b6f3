// SPDX-License-Identifier: BSD-3-Clause

// Index arithmetic of the exchanges, exhaustively for 1 to 64 ranks.

#include "topology/exchanges.hpp"

#include "base/arithmetic.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace thalweg::topology {

namespace {

constexpr std::int32_t max_ranks = 64;

std::set<std::int32_t> as_set(const std::vector<Runs>& runs) {
  const auto numbers = expanded(runs);
  std::set<std::int32_t> result(numbers.begin(), numbers.end());
  EXPECT_EQ(result.size(), numbers.size()) << "a number stands twice";
  return result;
}

TEST(Runs, OfSetsExpandToTheSetsAgain) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::int32_t> numbers;
    for (std::int32_t n = 0; n < 40; ++n)
      if (random() % (1 + static_cast<unsigned>(round) % 4) == 0)
        numbers.push_back(n);
    EXPECT_EQ(expanded(compressed(numbers)), numbers);
  }
  const std::vector<std::int32_t> pairs{0, 1, 8, 9, 16, 17};
  EXPECT_EQ(compressed(pairs), (std::vector<Runs>{{0, 2, 3, 8}}));
}

TEST(Places, HoldNeighborsAndEveryRankOnce) {
  for (std::int32_t ranks = 1; ranks <= max_ranks; ++ranks)
    for (std::int32_t count = 1; count <= ranks; ++count) {
      const Places places(ranks, count);
      EXPECT_EQ(places.begin(0), 0);
      EXPECT_EQ(places.end(count - 1), ranks);
      for (std::int32_t place = 0; place < count; ++place) {
        EXPECT_EQ(places.end(place) - places.begin(place), places.size() + (place < places.larger() ? 1 : 0));
        for (Rank rank = places.begin(place); rank < places.end(place); ++rank)
          EXPECT_EQ(places.place_of(rank), place);
      }
    }
}

TEST(Places, OfAnIntervalOrAResidueAreItsRanks) {
  for (std::int32_t ranks = 1; ranks <= max_ranks; ++ranks)
    for (std::int32_t count = 1; count <= ranks; ++count) {
      const Places places(ranks, count);
      EXPECT_EQ(as_set({ranks_of(places, {count / 3, count})}).size(),
                static_cast<std::size_t>(ranks - places.begin(count / 3)));
      for (std::int32_t modulus = 1; modulus <= count; modulus *= 2)
        for (std::int32_t residue = 0; residue < modulus; ++residue) {
          std::set<std::int32_t> expected;
          for (Rank rank = 0; rank < ranks; ++rank)
            if (places.place_of(rank) % modulus == residue)
              expected.insert(rank);
          EXPECT_EQ(as_set(ranks_of_residue(places, residue, modulus)), expected)
              << ranks << ' ' << count << ' ' << modulus;
        }
    }
}

TEST(RecursiveExchange, GroupsAreMutualAndDifferInOneDigit) {
  for (std::int32_t ranks = 1; ranks <= max_ranks; ++ranks)
    for (std::int32_t radix = 2; radix <= 9; ++radix) {
      const std::int32_t places = exchange_places(ranks, radix);
      EXPECT_LE(places, ranks);
      EXPECT_GT(std::int64_t{places} * radix, ranks);
      for (std::int32_t weight = 1; weight < places; weight *= radix)
        for (std::int32_t place = 0; place < places; ++place) {
          const auto group = exchange_group(place, radix, weight);
          EXPECT_EQ(group[static_cast<std::size_t>(place / weight % radix)], place);
          EXPECT_EQ(static_cast<std::int32_t>(group.size()), radix);
          for (const std::int32_t other : group)
            EXPECT_EQ(exchange_group(other, radix, weight), group);
        }
    }
}

TEST(Halving, CutsWhatAGroupHasAmongItsMembers) {
  for (const std::int32_t radix : {2, 3, 4, 8})
    for (int digits = 0; power(radix, digits) <= max_ranks; ++digits) {
      const auto count = static_cast<std::int32_t>(power(radix, digits));
      std::set<std::int32_t> final_pieces;
      for (std::int32_t place = 0; place < count; ++place) {
        EXPECT_EQ(reversed_interval(place, radix, digits, 0), (Interval{0, count}));
        EXPECT_EQ(leading_interval(place, radix, digits, digits), (Interval{place, place + 1}));
        final_pieces.insert(reversed_interval(place, radix, digits, digits).begin);
        for (int done = 0; done < digits; ++done) {
          const auto near = exchange_group(place, radix, static_cast<std::int32_t>(power(radix, done)));
          const auto far =
              exchange_group(place, radix, static_cast<std::int32_t>(power(radix, digits - 1 - done)));
          std::int32_t near_end = reversed_interval(place, radix, digits, done).begin;
          std::int32_t far_end = leading_interval(place, radix, digits, done).begin;
          for (std::size_t i = 0; i < near.size(); ++i) {
            EXPECT_EQ(reversed_interval(near[i], radix, digits, done + 1).begin, near_end);
            EXPECT_EQ(leading_interval(far[i], radix, digits, done + 1).begin, far_end);
            near_end = reversed_interval(near[i], radix, digits, done + 1).end;
            far_end = leading_interval(far[i], radix, digits, done + 1).end;
          }
          EXPECT_EQ(near_end, reversed_interval(place, radix, digits, done).end);
          EXPECT_EQ(far_end, leading_interval(place, radix, digits, done).end);
        }
        if (radix == 2) {
          EXPECT_EQ(reversed_place(reversed_interval(place, 2, digits, digits).begin, digits), place);
        }
      }
      EXPECT_EQ(static_cast<std::int32_t>(final_pieces.size()), count);
    }
}

TEST(Halving, BinaryBlocksShrinkAndHoldAllRanks) {
  for (std::int32_t ranks = 1; ranks <= max_ranks; ++ranks) {
    Rank next = 0;
    int digits = 31;
    for (const BinaryBlock& block : binary_blocks(ranks)) {
      EXPECT_EQ(block.begin, next);
      EXPECT_LT(block.digits, digits);
      next += block.size();
      digits = block.digits;
    }
    EXPECT_EQ(next, ranks);
  }
}

TEST(Swing, PartnersAreMutual) {
  for (const SwingOrder order : {SwingOrder::short_first, SwingOrder::long_first})
    for (std::int32_t ranks = 2; ranks <= max_ranks; ranks += 2)
      for (int step = 0; step < swing_steps(ranks); ++step)
        for (Rank rank = 0; rank < ranks; ++rank) {
          const Rank partner = swing_partner(rank, step, ranks, order);
          EXPECT_NE(partner, rank);
          EXPECT_EQ(swing_partner(partner, step, ranks, order), rank);
        }
}

/// What a rank is responsible for, straight from the definition: itself after the last step, and before a
/// step what it and its partner have after it.
std::set<std::int32_t> responsibility(Rank rank, int done, std::int32_t ranks, SwingOrder order) {
  if (done == swing_steps(ranks))
    return {rank};
  auto own = responsibility(rank, done + 1, ranks, order);
  own.merge(responsibility(swing_partner(rank, done, ranks, order), done + 1, ranks, order));
  return own;
}

TEST(Swing, BlocksAndNumbersFollowThePathsForPowersOfTwo) {
  for (const SwingOrder order : {SwingOrder::short_first, SwingOrder::long_first})
    for (std::int32_t ranks = 1; ranks <= max_ranks; ranks *= 2)
      for (Rank rank = 0; rank < ranks; ++rank)
        for (int done = 0; done <= swing_steps(ranks); ++done) {
          const auto expected = responsibility(rank, done, ranks, order);
          EXPECT_EQ(as_set(swing_blocks(rank, done, ranks, order)), expected)
              << ranks << ' ' << rank << ' ' << done;
          if (order == SwingOrder::long_first)
            continue;
          const int open = swing_steps(ranks) - done;
          std::set<std::int32_t> numbers;
          for (const Rank other : expected) {
            EXPECT_EQ(swing_number(other, ranks) >> open, swing_number(rank, ranks) >> open);
            numbers.insert(swing_number(other, ranks));
          }
          EXPECT_EQ(numbers.size(), expected.size());
        }
}

TEST(Swing, DeparturesBringEveryContributionHomeOnce) {
  for (const SwingOrder order : {SwingOrder::short_first, SwingOrder::long_first})
    for (std::int32_t ranks = 2; ranks <= 2 * max_ranks; ranks += 2) {
      const auto departures = swing_departures(ranks, order);
      for (const Rank owner : {0, ranks - 1}) {
        const auto departure = [&](Rank rank) {
          return departures[static_cast<std::size_t>(
              modulo(owner % 2 == 0 ? rank - owner : owner - rank, ranks))];
        };
        std::vector<std::int32_t> held(static_cast<std::size_t>(ranks), 1);
        for (int step = 0; step < swing_steps(ranks); ++step)
          for (Rank rank = 0; rank < ranks; ++rank)
            if (departure(rank) == step) {
              const Rank partner = swing_partner(rank, step, ranks, order);
              EXPECT_NE(departure(partner), step);
              held[static_cast<std::size_t>(partner)] +=
                  std::exchange(held[static_cast<std::size_t>(rank)], 0);
            }
        EXPECT_EQ(held[static_cast<std::size_t>(owner)], ranks) << ranks << " ranks";
      }
    }
}

TEST(Dissemination, EveryRankHearsOfEveryOther) {
  for (std::int32_t size = 1; size <= 64; ++size)
    for (const std::int32_t radix : {2, 3, 4, 8, 64}) {
      // By symmetry it is enough to follow rank 0: what it knows is told by how far behind the others are.
      std::set<std::int32_t> known{0};
      for (int round = 0; round < dissemination_rounds(size, radix); ++round) {
        const std::set<std::int32_t> before = known;
        for (const std::int32_t offset : dissemination_offsets(size, radix, round))
          for (const std::int32_t behind : before)
            known.insert((behind + offset) % size);
      }
      EXPECT_EQ(known.size(), static_cast<std::size_t>(size)) << "radix " << radix;
    }
}

TEST(Dissemination, TellsEachRankAtMostOnceARound) {
  EXPECT_EQ(dissemination_rounds(9, 3), 2);
  EXPECT_EQ(dissemination_offsets(9, 3, 0), (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(dissemination_offsets(9, 3, 1), (std::vector<std::int32_t>{3, 6}));
  EXPECT_EQ(dissemination_offsets(6, 4, 1), (std::vector<std::int32_t>{4}));
  EXPECT_TRUE(dissemination_offsets(1, 2, 0).empty());
}

} // namespace

} // namespace thalweg::topology
