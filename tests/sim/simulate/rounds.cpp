// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/rounds.hpp"

#include "simulate/schedules.hpp"
#include "simulate/simulation.hpp"

#include <gtest/gtest.h>

namespace thalweg::simulate {
namespace {

constexpr LogGops round_costs{};

Program written_of(const std::string& selection, std::int32_t ranks, std::uint64_t folds_from) {
  const strategies::SampleSize size{.ranks = ranks, .ranks_per_node = 1, .unit_bytes = 4800};
  const auto sample = strategies::make_sample(selection, size);
  return program_of(sample, {.unit_bytes = 4800}, round_costs, folds_from).program;
}

Result played_on(const std::string& name, const Program& program) {
  RankNetwork between{.interconnect = topology::parse_interconnect(name, name == "star" ? program.size() : 0),
                      .nodes = {}};
  for (std::uint32_t node = 0; node < program.size(); ++node)
    between.nodes.push_back(node);
  return simulate(program, {.network = &between}).result;
}

// Where neighbors do not meet on links, each rank's time grows by the same with each round.
TEST(LikeRounds, StandForAll) {
  for (const std::string selection : {"allreduce=ring", "allgather=ring", "reduce_scatter=ring"})
    for (const std::string network : {"star", "torus:16x15", "tree:4^4"}) {
      const Program folded = written_of(selection, 240, 0);
      ASSERT_EQ(folded.folded, 240U);
      const std::uint32_t rounds = like_rounds(folded);
      ASSERT_GE(rounds, 236U) << selection;
      const Result all = played_on(network, written_of(selection, 240, ~std::uint64_t{0}));
      const Result more = played_on(network, with_fewer_rounds(folded, rounds - 24));
      const Result fewer = played_on(network, with_fewer_rounds(folded, rounds - 16));
      for (std::size_t rank = 0; rank < 240; ++rank) {
        const Ticks step = more.ends[rank] - fewer.ends[rank];
        EXPECT_EQ(all.ends[rank], more.ends[rank] + step * (rounds - 24) / 8) << selection << " " << network;
      }
    }
}

TEST(LikeRounds, AreOnlyThoseThatAreAlike) {
  EXPECT_EQ(like_rounds(written_of("allreduce=recursive_doubling", 256, 0)), 0U);
  EXPECT_EQ(like_rounds(written_of("alltoall=cyclic", 256, 0)), 0U); // other peers each time
  EXPECT_EQ(like_rounds(written_of("allreduce=ring", 50, 0)), 0U);   // too few to be worth it
}

} // namespace
} // namespace thalweg::simulate
