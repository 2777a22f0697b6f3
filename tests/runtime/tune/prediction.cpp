// SPDX-License-Identifier: BSD-3-Clause

// What exchanges gain follows the machine's figures, and how many others a rank has something for.

#include "tune/prediction.hpp"

#include "base/error.hpp"
#include "strategies/degree.hpp"
#include "tune/candidates.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <tuple>
#include <variant>

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

Case many_to_many_case(double degree, std::int64_t message_bytes, std::int32_t ranks = 16) {
  Case wanted;
  wanted.call = strategies::find_call("alltoallv");
  wanted.ranks = ranks;
  wanted.bytes = message_bytes;
  wanted.degree = degree;
  return wanted;
}

std::vector<Candidate> many_to_many(double degree, std::int64_t message_bytes, const Machine& machine) {
  return candidates(many_to_many_case(degree, message_bytes), machine, Breadth::defaults);
}

double predicted(std::span<const Candidate> all, std::string_view name) {
  const auto found = std::ranges::find(
      all, name, [](const Candidate& one) { return std::string_view(one.scheduled.strategy().name); });
  return found == all.end() ? 0 : found->prediction.seconds;
}

TEST(ManyToManyCandidates, AreOrderedByHowManyARankSendsTo) {
  const std::vector<Candidate> to_one = many_to_many(1, 15 * 64, slow_to_begin());
  const std::vector<Candidate> to_all = many_to_many(15, 64, slow_to_begin());
  EXPECT_LT(predicted(to_one, "direct"), predicted(to_one, "mesh2d"));
  EXPECT_GT(predicted(to_all, "direct"), predicted(to_all, "mesh2d"));
  EXPECT_NEAR(predicted(to_one, "mesh2d") / predicted(to_all, "mesh2d"), 1, 0.1) << "it passes all on";
}

TEST(ManyToManyCandidates, WithoutADegreeSendToAll) {
  const std::vector<Candidate> unknown = many_to_many(0, 64, slow_to_begin());
  EXPECT_DOUBLE_EQ(predicted(unknown, "direct"), predicted(many_to_many(15, 64, slow_to_begin()), "direct"));
}

TEST(ManyToManyCandidates, AsManyBytesInFewerMessagesAreOtherLoads) {
  const std::vector<Candidate> one = many_to_many(1, 3000, slow_to_begin());
  const std::vector<Candidate> three = many_to_many(3, 1000, slow_to_begin());
  EXPECT_GT(predicted(three, "direct"), 2.5 * predicted(one, "direct"));
  EXPECT_EQ(one.front().scheduled.strategy().unequal_blocks, true) << one.front().text;
}

// A processor that takes alpha for a message and beta for a byte, and nothing else. Direct sending takes what
// equation 3.20 says. On full meshes and cubes messages are those of equations 3.17 to 3.19, and with a block
// for each other rank bytes are so too. With fewer, each block travels in as many dimensions as it has to.
TEST(ManyToManyCandidates, TakeWhatTheEquationsSay) {
  constexpr double alpha = 1e-5;
  constexpr double beta = 1e-9;
  Machine machine;
  machine::MessageCost cost;
  cost.bytes_max = INT64_MAX;
  cost.send = Figure{alpha, alpha, alpha};
  cost.send_per_byte = Figure{beta, beta, beta};
  machine.step = Figure{};
  machine.cores = 64;
  machine.levels = {{Level::node, {cost}, 0}, {Level::network, {cost}, 0}};
  const strategies::Call& call = *strategies::find_call("alltoallv");
  for (const double degree : {1.0, 4.0, 16.0, 63.0})
    for (const std::int64_t bytes : {8, 476, 8192}) {
      const Case wanted = many_to_many_case(degree, bytes, 64);
      const double load = degree * static_cast<double>(bytes) * beta;
      const auto seconds = [&](std::string_view name) {
        const strategies::Scheduled scheduled =
            std::get<strategies::Scheduled>(strategies::parse_implementation(name, call));
        return predict(scheduled, wanted, machine).seconds;
      };
      EXPECT_NEAR(seconds("direct"), degree * alpha + load, 1e-12) << degree << ", " << bytes;
      for (const auto& [name, phases, messages] :
           {std::tuple("mesh2d", 2, 14), std::tuple("mesh3d", 3, 9), std::tuple("hypercube", 6, 6)}) {
        const double found = seconds(name);
        const double lengths = 2 * 64 * phases * beta;
        EXPECT_GT(found, messages * alpha) << name << ", " << degree << ", " << bytes;
        EXPECT_LT(found, messages * alpha + phases * load + lengths)
            << name << ", " << degree << ", " << bytes;
      }
      const auto form = closed_form(
          std::get<strategies::Scheduled>(strategies::parse_implementation("direct", call)), wanted, machine);
      ASSERT_TRUE(form);
      EXPECT_NEAR(form->seconds, degree * alpha + load, 1e-12);
    }
}

TEST(ManyToManyCandidates, CallsWithoutADegreeRefuseOne) {
  EXPECT_THROW(strategies::check_degree(*strategies::find_call("alltoall"), 3), Error);
  EXPECT_THROW(strategies::check_degree(*strategies::find_call("allgatherv"), 3), Error);
  EXPECT_THROW(strategies::check_degree(*strategies::find_call("alltoallv"), -1), Error);
  EXPECT_NO_THROW(strategies::check_degree(*strategies::find_call("alltoallw"), 2.5));
  EXPECT_NO_THROW(strategies::check_degree(*strategies::find_call("barrier"), 0));
}

Case neighbors_case(double degree, std::int64_t message_bytes) {
  Case wanted;
  wanted.call = strategies::find_call("neighbor_alltoallv");
  wanted.ranks = 16;
  wanted.bytes = message_bytes;
  wanted.degree = degree;
  for (Rank rank = 0; rank < wanted.ranks; ++rank)
    wanted.nodes.push_back(rank / 2);
  wanted.neighborhoods = strategies::neighborhoods_of(wanted.ranks, degree);
  return wanted;
}

double predicted_neighbors(std::string_view text, double degree, const Machine& machine) {
  const Case wanted = neighbors_case(degree, 100);
  const strategies::Implementation use = strategies::parse_implementation(text, *wanted.call);
  return predict(std::get<strategies::Scheduled>(use), wanted, machine).seconds;
}

TEST(NeighborCandidates, AreOrderedByTheMessagesOfNodes) {
  const Machine machine = slow_to_begin();
  EXPECT_LT(predicted_neighbors("node_aware:dimensions=3", 15, machine),
            predicted_neighbors("node_aware", 15, machine));
  EXPECT_LT(predicted_neighbors("node_aware", 15, machine), predicted_neighbors("direct", 15, machine));
  EXPECT_LT(predicted_neighbors("direct", 1, machine),
            predicted_neighbors("node_aware:dimensions=3", 1, machine));
}

TEST(NeighborCandidates, WhereBytesAreDearAreNotPassedOn) {
  EXPECT_LT(predicted_neighbors("direct", 15, slow_to_carry()),
            predicted_neighbors("node_aware:dimensions=3", 15, slow_to_carry()));
}

TEST(NeighborCandidates, AreAllThatKnowTheGraph) {
  std::set<std::string> names;
  for (const Candidate& one : candidates(neighbors_case(5, 100), slow_to_begin()))
    names.insert(std::string(one.scheduled.strategy().name));
  for (const strategies::Strategy& strategy : strategies::of(schedule::Operation::neighbor_alltoall))
    EXPECT_TRUE(names.contains(std::string(strategy.name)) || strategy.name == "combined") << strategy.name;
}

} // namespace
} // namespace thalweg::tune
