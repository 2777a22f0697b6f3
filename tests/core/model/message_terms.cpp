// SPDX-License-Identifier: BSD-3-Clause

// Many-to-many exchanges by degree: the source's all-to-all is their largest degree, and the strategies'
// order over degree and size is the one that the source reports (Kumar 2005, section 3.3.1).

#include "model/message_terms.hpp"

#include "base/arithmetic.hpp"
#include "model/closed_forms.hpp"

#include <gtest/gtest.h>

namespace thalweg::model {
namespace {

using machine::Figure;
using machine::Machine;

// A message costs as much as 3,700 bytes: what the source's figures 3.16 and 3.17 ask for.
Machine a_machine() {
  Machine machine;
  machine.cores = 1;
  machine::MessageCost cost;
  cost.bytes_max = INT64_MAX;
  cost.latency = Figure{3e-6, 3e-6, 3e-6};
  cost.send = cost.receive = Figure{7.5e-6, 7.5e-6, 7.5e-6};
  cost.gap_per_byte = Figure{2e-9, 2e-9, 2e-9};
  machine.levels = {{machine::Level::network, {cost}, 0}};
  machine.copy = {{INT64_MAX, Figure{2e-9, 2e-9, 2e-9}}};
  machine.combine = machine.copy;
  return machine;
}

ManyToMany uniform(double degree, double bytes) {
  const Volume each{degree, degree * bytes};
  return {.mean = each, .busiest_sender = each, .busiest_receiver = each};
}

std::vector<std::int32_t> sides_of(std::int64_t ranks, int dimensions) {
  std::vector<std::int32_t> sides;
  for (; dimensions > 0 && ranks > 1; --dimensions) {
    sides.push_back(static_cast<std::int32_t>(ceil_root(ranks, dimensions)));
    ranks = ceil_divide(ranks, sides.back());
  }
  return sides;
}

TEST(ManyToMany, ToAllItTakesWhatAnAllToAllDoes) {
  const Machine machine = a_machine();
  const MessageTerms terms(machine, machine::Level::network);
  constexpr std::int64_t bytes = 400;
  for (const std::int32_t ranks : {16, 64, 729}) {
    schedule::Problem problem{
        .operation = schedule::Operation::alltoall, .ranks = ranks, .unit_bytes = bytes};
    const ManyToMany pattern = uniform(ranks, bytes); // a rank's own part travels like others' in meshes
    for (const auto& [name, dimensions] : {std::pair("mesh2d", 2), std::pair("mesh3d", 3)}) {
      if (power(ceil_root(ranks, dimensions), dimensions) != ranks)
        continue;
      const double found = many_to_many_seconds(terms, sides_of(ranks, dimensions), pattern);
      EXPECT_NEAR(found / closed_form(name, problem, machine)->seconds, 1, 0.02) << name << ", " << ranks;
    }
    const double direct = many_to_many_seconds(terms, sides_of(ranks, 1), uniform(ranks - 1, bytes));
    EXPECT_NEAR(direct / closed_form("direct", problem, machine)->seconds, 1, 0.2) << ranks; // it packs
  }
}

TEST(ManyToMany, StrategiesHaveTheSourcesOrderOverDegreeAndSize) {
  const Machine machine = a_machine();
  const MessageTerms terms(machine, machine::Level::network);
  constexpr std::int32_t ranks = 2048;
  const auto seconds = [&](int dimensions, double degree, double bytes) {
    return many_to_many_seconds(terms, sides_of(ranks, dimensions), uniform(degree, bytes));
  };
  for (double degree = 64; degree <= ranks; degree *= 2) // short messages: what counts is how many there are
    EXPECT_LT(seconds(3, degree, 76), seconds(2, degree, 76)) << degree;
  EXPECT_LT(seconds(3, 256, 476), seconds(2, 256, 476)); // longer ones are sent less often in two dimensions
  EXPECT_GT(seconds(3, ranks - 1, 476), seconds(2, ranks - 1, 476));
  EXPECT_LT(seconds(1, 16, 476), seconds(3, 16, 476)); // few partners
  EXPECT_GT(seconds(1, ranks - 1, 476), seconds(2, ranks - 1, 476));
}

TEST(ManyToMany, MulticastsTravelOnceWhateverTheDimensions) {
  const Machine machine = a_machine();
  const MessageTerms terms(machine, machine::Level::network);
  ManyToMany pattern = uniform(511, 1e6); // messages themselves count for nothing
  const auto seconds = [&](int dimensions) {
    return many_to_many_seconds(terms, sides_of(512, dimensions), pattern);
  };
  const double direct = seconds(1);
  EXPECT_GT(seconds(3), 2.5 * direct);
  pattern.multicast = 1;
  for (const int dimensions : {2, 3})
    EXPECT_NEAR(seconds(dimensions) / direct, 1, 0.02) << dimensions;
}

// A processor that takes alpha for a message and beta for a byte, and nothing else.
Machine machine_of(double alpha, double beta) {
  machine::MessageCost cost;
  cost.bytes_max = INT64_MAX;
  cost.send = Figure{alpha, alpha, alpha};
  cost.send_per_byte = Figure{beta, beta, beta};
  Machine machine;
  machine.step = Figure{};
  machine.levels = {{machine::Level::network, {cost}, 0}};
  return machine;
}

// The equations take a side for its ranks, and its messages are one fewer. All else is the same.
TEST(ManyToMany, EquationsHaveTheirNumbers) {
  constexpr double alpha = 1e-5;
  constexpr double beta = 1e-9;
  const Machine machine = machine_of(alpha, beta);
  const MessageTerms terms(machine, machine::Level::network);
  for (const auto& [dimensions, side] : {std::pair(2, 64), std::pair(3, 16), std::pair(12, 2)})
    for (const double degree : {64, 512, 4095})
      for (const double bytes : {76, 476, 8192}) {
        const std::int32_t ranks = 4096;
        ManyToMany pattern = uniform(degree, bytes);
        const std::vector<std::int32_t> sides = sides_of(ranks, dimensions);
        ASSERT_EQ(sides, std::vector<std::int32_t>(static_cast<std::size_t>(dimensions), side));
        const double starts = dimensions * (side - 1) * alpha;
        const double once = degree * bytes * beta;
        const double part = 1 - 1.0 / side; // of what a rank holds, what leaves it in a phase
        EXPECT_NEAR(many_to_many_seconds(terms, sides, pattern), starts + dimensions * part * once,
                    1e-2 * (starts + once)); // 3.17, 3.18, 3.19
        pattern.multicast = 1;
        EXPECT_NEAR(many_to_many_seconds(terms, sides, pattern), starts + once,
                    1e-2 * (starts + once)); // 3.21, 3.22, 3.23
        EXPECT_NEAR(many_to_many_seconds(terms, sides_of(ranks, 1), pattern), degree * alpha + once,
                    1e-9 * degree * alpha); // 3.24
        pattern.multicast = 0;
        EXPECT_NEAR(many_to_many_seconds(terms, sides_of(ranks, 1), pattern), degree * alpha + once,
                    1e-9 * degree * alpha); // 3.20
      }
}

TEST(ManyToMany, OneBusyReceiverIsServedThroughAMesh) {
  const Machine machine = a_machine();
  const MessageTerms terms(machine, machine::Level::network);
  ManyToMany pattern = uniform(4, 100);
  const auto gain = [&] {
    return many_to_many_seconds(terms, sides_of(256, 1), pattern) /
           many_to_many_seconds(terms, sides_of(256, 2), pattern);
  };
  EXPECT_LT(gain(), 1);
  pattern.busiest_receiver = {255, 25500};
  EXPECT_GT(gain(), 1);
}

TEST(ManyToMany, NothingTakesNoTimeOnlyWhereNothingIsSentDirectly) {
  const Machine machine = a_machine();
  const MessageTerms terms(machine, machine::Level::network);
  EXPECT_EQ(many_to_many_seconds(terms, sides_of(9, 1), {}), 0);
  EXPECT_GT(many_to_many_seconds(terms, sides_of(9, 2), {}), 0); // empty messages
}

} // namespace
} // namespace thalweg::model
