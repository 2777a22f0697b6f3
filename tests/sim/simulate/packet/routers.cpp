// SPDX-License-Identifier: BSD-3-Clause

// Exact figures: zero load, queues that theory knows, and the switch whose inputs have queues.

#include "base/error.hpp"
#include "simulate/packet/messages.hpp"
#include "simulate/packet/routing.hpp"
#include "simulate/packet/traffic.hpp"

#include <gtest/gtest.h>

namespace thalweg::simulate::packet {
namespace {

Fabric fabric_of(const char* name) {
  return Fabric(topology::parse_interconnect(name));
}

Ticks lone_packet(const char* name, std::uint32_t from, std::uint32_t to, const char* routing = "") {
  const Fabric fabric = fabric_of(name);
  const auto routes = make_routing(routing, fabric);
  const Message message{.from = from, .to = to, .bytes = 256};
  return run_messages(fabric, *routes, {}, {}, nullptr, {&message, 1}).finish;
}

// 20 (s + 1) + 90 s + 204.8 ns through s switches.
constexpr Ticks zero_load(std::uint64_t switches) {
  return 20'000 * (switches + 1) + 90'000 * switches + 204'800;
}

TEST(Routers, ALonePacketTakesWhatItsDelaysAre) {
  EXPECT_EQ(zero_load(1), 334'800U);
  EXPECT_EQ(zero_load(7), 994'800U);
  EXPECT_EQ(lone_packet("tree:4^4", 0, 1), zero_load(1));
  EXPECT_EQ(lone_packet("tree:4^4", 0, 4), zero_load(3));
  EXPECT_EQ(lone_packet("tree:4^4", 0, 16), zero_load(5));
  EXPECT_EQ(lone_packet("tree:4^4", 0, 255), zero_load(7));
  EXPECT_EQ(lone_packet("tree:16^2", 0, 255), zero_load(3));
  EXPECT_EQ(lone_packet("mesh:4x4", 0, 15), zero_load(7));
  EXPECT_EQ(lone_packet("torus:4x4*2", 0, 31), zero_load(3));
  EXPECT_EQ(lone_packet("hypercube:5", 0, 31), zero_load(6));
  EXPECT_EQ(lone_packet("dragonfly:2x4x2", 0, 71), zero_load(4));
}

TEST(Routers, InterfacesDelayOrAreOccupied) {
  const Fabric fabric = fabric_of("star:8");
  const auto routes = make_routing("", fabric);
  std::vector<Message> messages;
  for (std::uint32_t to = 1; to < 5; ++to)
    messages.push_back({.from = 0, .to = to, .bytes = 256});
  const Interface delays{1'300'000, 1'300'000, false};
  const Interface occupied{1'300'000, 1'300'000, true};
  const auto times = [&](const Interface& interface) {
    return run_messages(fabric, *routes, {}, interface, nullptr, messages).ends;
  };
  EXPECT_EQ(times(delays)[3], zero_load(1) + 3 * 204'800 + 2'600'000);
  EXPECT_EQ(times(occupied)[3], zero_load(1) + 3 * 1'300'000 + 2'600'000);
}

// A lone flow through a switch: its sender has a queue M/D/1, whose mean wait is rho s / (2 (1 - rho)).
TEST(Routers, ASendersQueueIsThatOfTheory) {
  const Fabric fabric = fabric_of("star:8");
  const auto routes = make_routing("", fabric);
  Traffic traffic{.pattern = "bit_complement"};
  traffic.packets = 400'000;
  for (const double load : {0.3, 0.6, 0.8}) {
    const LoadPoint point = measure_load(fabric, *routes, {}, traffic, load);
    const double expected = 334.8 + 204.8 * load / (2 * (1 - load));
    EXPECT_NEAR(point.latency.mean, expected, 0.03 * expected) << load;
    EXPECT_NEAR(point.accepted.mean, load, 0.01);
    EXPECT_FALSE(point.is_saturated);
  }
}

double throughput(const char* name, const RouterOptions& options) {
  const Fabric fabric = fabric_of(name);
  const auto routes = make_routing("", fabric);
  return measure_load(fabric, *routes, options, {}, 1).accepted.mean;
}

// Karol, Hluchyj, Morgan 1987: 0.618 on 8 ports, 0.586 on ever more. Nodes do not send to themselves, and
// nothing but the queues may hold a packet up.
TEST(Routers, QueuesAtInputsCarryWhatTheorySays) {
  RouterOptions options;
  options.discipline = Discipline::input_queued;
  options.credits = CreditRule::link;
  options.channel_delay = options.switch_delay = 0;
  EXPECT_NEAR(throughput("star:8", options), 0.618, 0.02);
  EXPECT_NEAR(throughput("star:64", options), 0.590, 0.01);
}

// From the slotted model of the two readings of the credit rule, whose loop is a little another.
TEST(Routers, TheCreditRuleDecidesWhatASwitchCarries) {
  RouterOptions options;
  EXPECT_NEAR(throughput("star:32", options), 0.94, 0.02);
  options.credits = CreditRule::link;
  EXPECT_NEAR(throughput("star:32", options), 0.82, 0.05);
  options.credits = CreditRule::crosspoint;
  options.buffers = 16;
  EXPECT_GT(throughput("star:32", options), 0.98);
}

// Copies to 8 of 256 nodes fill the switches for a long while before any sender has to wait.
TEST(Routers, ALoadIsSaturatedWhileTheNetworkFillsUp) {
  const Fabric fabric = fabric_of("tree:4^4");
  const auto routes = make_routing("", fabric);
  const Traffic traffic{.fanout = 8, .packets = 20'000};
  EXPECT_FALSE(measure_load(fabric, *routes, {}, traffic, 0.09).is_saturated);
  EXPECT_TRUE(measure_load(fabric, *routes, {}, traffic, 0.124).is_saturated);
}

TEST(Routers, ComplementOnATreeHasNoContention) {
  const Fabric fabric = fabric_of("tree:16^2");
  const auto routes = make_routing("", fabric);
  Traffic traffic{.pattern = "bit_complement"};
  const LoadPoint point = measure_load(fabric, *routes, {}, traffic, 1);
  EXPECT_GT(point.accepted.mean, 0.97);
}

// One buffer and a loop of 334.8 ns for a packet of 204.8 ns.
TEST(Routers, TooFewBuffersHoldALoneFlowUp) {
  const Fabric fabric = fabric_of("tree:4^2");
  const auto routes = make_routing("", fabric);
  RouterOptions options;
  options.buffers = 1;
  const Message message{.from = 0, .to = 15, .bytes = 256 * 100};
  const Ticks finish = run_messages(fabric, *routes, options, {}, nullptr, {&message, 1}).finish;
  EXPECT_EQ(finish, zero_load(3) + 99 * 334'800);
}

TEST(Routers, WrongOptionsAreErrors) {
  const Fabric fabric = fabric_of("star:8");
  const auto routes = make_routing("", fabric);
  EXPECT_THROW(measure_load(fabric, *routes, {}, {}, 1.1), Error);
  EXPECT_THROW(measure_load(fabric, *routes, {}, {}, 0), Error);
  EXPECT_THROW(measure_load(fabric, *routes, {.buffers = 0}, {}, 0.5), Error);
  EXPECT_THROW(measure_load(fabric, *routes, {.discipline = Discipline::input_queued}, {}, 0.5), Error);
  EXPECT_THROW(measure_load(fabric, *routes, {}, {.fanout = 8}, 0.5), Error);
  EXPECT_THROW(make_routing("dimension_ordered", fabric), Error);
  EXPECT_THROW(fabric_of("xgft:4x4:2x2"), Error);
  const Fabric grid = fabric_of("torus:4x4");
  EXPECT_THROW(measure_load(grid, *make_routing("", grid), {}, {.fanout = 2}, 0.5), Error);
}

// A load alone has more events than one may wait for, and a message's packets too.
TEST(Routers, ProgressEndsWhatRuns) {
  struct Interrupted {};
  const auto interrupted = [] { throw Interrupted(); };
  const Fabric fabric = fabric_of("tree:4^2");
  const auto routes = make_routing("", fabric);
  const Message message{.from = 0, .to = 15, .bytes = 256 * 1'000'000};
  EXPECT_THROW(run_messages(fabric, *routes, {}, {}, nullptr, {&message, 1}, interrupted), Interrupted);
  const MolecularDynamics work{.senders = 16, .fanout = 8, .rounds = 4'000};
  EXPECT_THROW(run_molecular_dynamics(fabric, *routes, {}, {}, work, interrupted), Interrupted);

  int done = -1;
  const auto after_the_first = [&](int batches_done) {
    EXPECT_LE(done, batches_done);
    done = batches_done;
    interrupted();
  };
  const Traffic endless{.packets = 1'000'000'000};
  EXPECT_THROW(measure_load(fabric, *routes, {}, endless, 0.5, after_the_first), Interrupted);
  EXPECT_EQ(done, 0);
}

} // namespace
} // namespace thalweg::simulate::packet
