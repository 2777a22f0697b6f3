// SPDX-License-Identifier: BSD-3-Clause

// What holds for any traffic: packets and credits are kept, nothing stands still, results are the same bits.

#include "base/error.hpp"
#include "simulate/packet/messages.hpp"
#include "simulate/packet/permutations.hpp"
#include "simulate/packet/routes.hpp"
#include "simulate/packet/routing.hpp"
#include "simulate/packet/traffic.hpp"
#include "topology/grid.hpp"
#include "topology/interconnect.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace thalweg::simulate::packet {
namespace {

struct Case {
  const char* topology;
  const char* routing;
};

constexpr Case cases[] = {
    {"tree:4^3", "adaptive_up"},
    {"tree:4^3", "up_by_destination"},
    {"xgft:4x4:1x2", "adaptive_up"},
    {"mesh:4x4x2", "dimension_ordered"},
    {"torus:5x4", "dimension_ordered"},
    {"torus:5x4", "valiant"},
    {"torus:4x4*2", "ugal"},
    {"mesh:6x3", "valiant"},
    {"hypercube:5", "ugal"},
    {"dragonfly:2x4x2", "minimal"},
    {"dragonfly:2x4x2", "valiant"},
    {"dragonfly:2x4x2", "ugal"},
    {"ring:9", "dimension_ordered"},
};

/// Messages of all kinds at random.
class Mixed final : public Source {
public:
  Mixed(std::uint32_t nodes, std::uint32_t groups, std::uint64_t seed, std::uint32_t packets)
      : nodes_(nodes), groups_(groups), random_(seed), left_(nodes, packets) {}

  bool next(std::uint32_t node, Ticks now, Packet& packet, Ticks& ready) override {
    if (left_[node] == 0)
      return false;
    --left_[node];
    packet.born = ready = now;
    packet.bytes = 1 + random_.below(400);
    packet.from = node;
    if (groups_ > 0 && random_.below(3) == 0) {
      packet.kind = Kind::multicast;
      packet.group = random_.below(groups_); // of which everybody is a member
      expected += nodes_ - 1;
    } else {
      packet.to = (node + 1 + random_.below(nodes_ - 1)) % nodes_;
      ++expected;
    }
    return true;
  }
  void deliver(const Packet& packet, std::uint32_t node, Ticks /*now*/) override {
    ++delivered;
    EXPECT_NE(packet.from, node);
    if (packet.kind == Kind::unicast) {
      EXPECT_EQ(packet.to, node);
    }
  }

  std::uint64_t expected = 0;
  std::uint64_t delivered = 0;

private:
  std::uint32_t nodes_;
  std::uint32_t groups_;
  Random random_;
  std::vector<std::uint32_t> left_;
};

TEST(Packets, AllComeAndAllCreditsComeBack) {
  for (const Case& one : cases)
    for (std::uint32_t buffers = 1; buffers <= 3; ++buffers)
      for (const CreditRule rule : {CreditRule::crosspoint, CreditRule::link}) {
        const Fabric fabric(topology::parse_interconnect(one.topology));
        const auto routes = make_routing(one.routing, fabric);
        RouterOptions options;
        options.buffers = buffers;
        options.credits = rule;
        options.arbitration = buffers == 2 ? Arbitration::oldest : Arbitration::round_robin;
        const bool is_tree = one.topology[0] == 't' && one.topology[1] == 'r';
        std::unique_ptr<GroupTables> groups;
        if (is_tree) {
          groups = std::make_unique<GroupTables>(fabric);
          std::vector<std::uint32_t> all(fabric.nodes());
          std::iota(all.begin(), all.end(), 0U);
          for (int each = 0; each < 4; ++each)
            groups->add(all);
        }
        Mixed source(fabric.nodes(), is_tree ? 4 : 0, buffers, 60);
        Network network(fabric, *routes, options, groups.get(), source);
        for (std::uint32_t node = 0; node < fabric.nodes(); ++node)
          network.offer(node, 0);
        network.run();
        EXPECT_NO_THROW(network.require_empty()) << one.topology << ' ' << one.routing;
        EXPECT_EQ(source.delivered, source.expected) << one.topology << ' ' << one.routing;
        EXPECT_TRUE(network.credits_are_whole()) << one.topology << ' ' << one.routing;
      }
}

TEST(Packets, NothingStandsStillUnderFullLoad) {
  for (const Case& one : cases) {
    const Fabric fabric(topology::parse_interconnect(one.topology));
    const auto routes = make_routing(one.routing, fabric);
    const Traffic traffic{.pattern = "tornado", .packets = 4000};
    RouterOptions options;
    options.buffers = 1;
    EXPECT_GT(measure_load(fabric, *routes, options, traffic, 1).accepted.mean, 0.02) << one.topology;
  }
}

// Copies wait for each other's room with one place a crosspoint, and come: ways up and down make no circle.
TEST(Packets, MulticastsOnTreesStandStillUnderNoLoad) {
  for (const char* name : {"tree:4^3", "tree:8^2", "xgft:4x4:1x2"})
    for (const CreditRule rule : {CreditRule::crosspoint, CreditRule::link}) {
      const Fabric fabric(topology::parse_interconnect(name));
      const auto routes = make_routing("", fabric);
      RouterOptions options;
      options.buffers = 1;
      options.credits = rule;
      const Traffic traffic{.fanout = 6, .packets = 4000};
      EXPECT_GT(measure_load(fabric, *routes, options, traffic, 1).accepted.mean, 0.05) << name;
    }
}

/// Around a ring in one virtual channel, which blocks itself.
class OneChannelOnly final : public DimensionOrdered {
public:
  using DimensionOrdered::DimensionOrdered;

  std::uint32_t virtual_channels() const override { return 1; }
  Hop next(Packet& packet, std::uint32_t at, const Surroundings& surroundings) const override {
    return {DimensionOrdered::next(packet, at, surroundings).channel, 0};
  }
};

TEST(Packets, ThatStandStillAreAnErrorWithAList) {
  const auto shape = topology::parse_interconnect("ring:8");
  const Fabric fabric(shape);
  const OneChannelOnly routes(fabric, *shape->switch_grid());
  RouterOptions options;
  options.buffers = 1;
  options.credits = CreditRule::link;
  std::vector<Message> messages;
  for (std::uint32_t node = 0; node < 8; ++node)
    messages.push_back({.from = node, .to = (node + 3) % 8, .bytes = 256});
  try {
    run_messages(fabric, routes, options, {}, nullptr, messages);
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("stands still with 8 packets"), std::string::npos) << text;
    EXPECT_NE(text.find("switch 0, output 1 to switch 1: 1 packets wait for room"), std::string::npos)
        << text;
  }
}

TEST(Packets, UpByDestinationIsTheInterconnectsRoute) {
  const auto shape = topology::parse_interconnect("xgft:3x4x2:1x2x3");
  const Fabric fabric(shape);
  const auto routes = make_routing("up_by_destination", fabric);
  Random random(1);
  std::vector<topology::LinkShare> route;
  for (std::uint32_t from = 0; from < fabric.nodes(); ++from)
    for (std::uint32_t to = 0; to < fabric.nodes(); ++to) {
      route.clear();
      shape->append_route(from, to, route);
      Packet packet;
      packet.to = to;
      std::uint32_t channel = fabric.first_channel(from);
      for (const topology::LinkShare& share : route) {
        ASSERT_EQ(fabric.wires()[channel].link, share.link);
        if (!fabric.is_node(fabric.wires()[channel].to))
          channel = routes->next(packet, fabric.wires()[channel].to, {{}, {}, 0, random}).channel;
      }
    }
}

// The same number everywhere: on every machine, at every level of optimization, in every order of runs.
TEST(Packets, ResultsAreTheSameBits) {
  const Fabric fabric(topology::parse_interconnect("tree:4^3"));
  const auto routes = make_routing("", fabric);
  const Traffic traffic{.pattern = "uniform", .packets = 5000};
  const LoadPoint point = measure_load(fabric, *routes, {}, traffic, 0.7);
  EXPECT_EQ(point.fingerprint, 0xcbdb6ecc9ec9270fU);
  const Traffic multicast{.fanout = 4, .sets = 3, .packets = 5000};
  EXPECT_EQ(measure_load(fabric, *routes, {}, multicast, 0.2).fingerprint, 0x55347337ec43c007U);
}

TEST(Packets, RandomNumbersAreWhatTheyShouldBe) {
  Random random(7);
  double sum = 0;
  constexpr int draws = 200'000;
  for (int draw = 0; draw < draws; ++draw)
    sum += static_cast<double>(exponential(random)) / 4294967296.0;
  EXPECT_NEAR(sum / draws, 1, 0.01);
  EXPECT_EQ(minus_log2(std::uint64_t{1} << 63), std::uint64_t{1} << 32);
}

TEST(Packets, PatternsArePermutations) {
  for (const char* name : {"transpose", "bit_reversal", "bit_complement", "shuffle", "tornado", "permutation",
                           "shift:5", "exchange:7"}) {
    std::vector<std::uint32_t> found = parse_destinations(name, 64, 3);
    std::ranges::sort(found);
    for (std::uint32_t node = 0; node < 64; ++node)
      EXPECT_EQ(found[node], node) << name;
  }
  EXPECT_TRUE(parse_destinations("uniform", 64, 3).empty());
}

// Dally and Towles, table 3.2: in each dimension ceil(k/2) - 1 on, so that each message takes as many links
// there and all go the same way round. What a node may send is then 1 over that of a link's rate: 1/3 of it
// on 8 in a ring.
TEST(Packets, TornadoLoadsAWayRoundAlone) {
  for (const auto& [extents, bound] : std::initializer_list<std::pair<std::vector<std::int32_t>, double>>{
           {{8, 8}, 3}, {{5}, 2}, {{6, 4}, 2}, {{4, 4, 4}, 1}, {{9, 3}, 4}}) {
    const topology::Grid grid(extents, true);
    const auto nodes = static_cast<std::uint32_t>(grid.places());
    const std::vector<std::uint32_t> found = parse_destinations("tornado", nodes, 1, &grid);
    const auto torus = topology::parse_interconnect(grid.name());
    std::vector<double> loads(static_cast<std::size_t>(torus->links()));
    std::int64_t hops = 0;
    for (const std::int32_t extent : extents)
      hops += (extent + 1) / 2 - 1;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      EXPECT_EQ(torus->hops(node, found[node]), hops) << grid.name();
      std::vector<topology::LinkShare> route;
      torus->append_route(node, found[node], route);
      for (const auto& [link, share] : route)
        loads[static_cast<std::size_t>(link)] += share;
    }
    EXPECT_EQ(std::ranges::max(loads), bound) << grid.name();
    EXPECT_EQ(std::ranges::count(loads, 0.0), torus->links() / 2) << grid.name();
  }
}

TEST(Packets, DamagedPatternsAreReadOrRefused) {
  Random random(11);
  for (int round = 0; round < 3000; ++round) {
    constexpr std::array names{"shift:17", "exchange:30", "transpose", "permutation"};
    std::string text = names[random.below(names.size())];
    for (std::uint32_t changes = 1 + random.below(3); changes > 0; --changes)
      text[random.below(static_cast<std::uint32_t>(text.size()))] = "0123456789:-x e"[random.below(15)];
    try {
      for (const std::uint32_t to : parse_destinations(text, 36, 1))
        EXPECT_LT(to, 36U) << text;
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty()) << text;
    }
  }
}

} // namespace
} // namespace thalweg::simulate::packet
