// SPDX-License-Identifier: BSD-3-Clause

// What exchanges gain follows the machine's figures, and how many others a rank has something for.

#include "tune/prediction.hpp"

#include "tune/candidates.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace thalweg::tune {
namespace {

using machine::Figure;
using machine::Level;
using machine::Machine;

Machine machine_with(double message_seconds, double byte_seconds) {
  Machine machine;
  machine.cores = 1;
  machine::MessageCost cost;
  cost.bytes_max = INT64_MAX;
  cost.latency = Figure{1e-6, 1e-6, 1e-6};
  cost.send = cost.receive = Figure{message_seconds, message_seconds, message_seconds};
  cost.gap_per_byte = Figure{byte_seconds, byte_seconds, byte_seconds};
  machine.levels = {{Level::node, {cost}, 0}, {Level::network, {cost}, 0}};
  machine.copy = {{INT64_MAX, Figure{byte_seconds, byte_seconds, byte_seconds}}};
  machine.combine = machine.copy;
  return machine;
}

/// Messages are dear, and bytes cheap.
Machine slow_to_begin() {
  return machine_with(20e-6, 1e-10);
}

/// The other way round.
Machine slow_to_carry() {
  return machine_with(1e-8, 1e-7);
}

TEST(ExchangeShares, AMeshGainsWhereMessagesAreDearAlone) {
  const Exchange all_to_all{.ranks = 16, .degree = 15, .block_bytes = 100};
  EXPECT_LT(exchange_shares(slow_to_begin(), Level::network, all_to_all).mesh2d, 0.6);
  EXPECT_GT(exchange_shares(slow_to_carry(), Level::network, all_to_all).mesh2d, 1);
}

TEST(ExchangeShares, EmptyMessagesAreAsDearAsMessages) {
  const Exchange few{.ranks = 16, .degree = 2, .block_bytes = 100};
  EXPECT_LT(exchange_shares(slow_to_begin(), Level::network, few).sparse, 0.2);
  EXPECT_GT(exchange_shares(slow_to_carry(), Level::network, few).sparse, 0.8);
  const Exchange all{.ranks = 16, .degree = 15, .block_bytes = 100};
  EXPECT_DOUBLE_EQ(exchange_shares(slow_to_begin(), Level::network, all).sparse, 1);
}

TEST(ExchangeShares, AreNoneWithoutPartners) {
  const ExchangeShares alone = exchange_shares(slow_to_begin(), Level::node, {.ranks = 1});
  EXPECT_DOUBLE_EQ(alone.mesh2d, 1);
  EXPECT_DOUBLE_EQ(alone.sparse, 1);
}

/// Among 16 ranks that send as many bytes in all.
std::vector<Candidate> many_to_many(double degree, const Machine& machine) {
  Case wanted;
  wanted.call = strategies::find_call("alltoallv");
  wanted.ranks = 16;
  wanted.bytes = 64;
  wanted.degree = degree;
  return candidates(wanted, machine, Breadth::defaults);
}

double predicted(std::span<const Candidate> all, std::string_view name) {
  const auto found = std::ranges::find(
      all, name, [](const Candidate& one) { return std::string_view(one.scheduled.strategy().name); });
  return found == all.end() ? 0 : found->prediction.seconds;
}

TEST(ManyToManyCandidates, AreOrderedByHowManyARankSendsTo) {
  const std::vector<Candidate> to_one = many_to_many(1, slow_to_begin());
  const std::vector<Candidate> to_all = many_to_many(15, slow_to_begin());
  EXPECT_LT(predicted(to_one, "direct"), predicted(to_one, "mesh2d"));
  EXPECT_GT(predicted(to_all, "direct"), predicted(to_all, "mesh2d"));
  EXPECT_DOUBLE_EQ(predicted(to_one, "mesh2d"), predicted(to_all, "mesh2d")) << "it passes all on";
}

TEST(ManyToManyCandidates, WithoutADegreeSendToAll) {
  const std::vector<Candidate> unknown = many_to_many(0, slow_to_begin());
  EXPECT_DOUBLE_EQ(predicted(unknown, "direct"), predicted(many_to_many(15, slow_to_begin()), "direct"));
}

} // namespace
} // namespace thalweg::tune
