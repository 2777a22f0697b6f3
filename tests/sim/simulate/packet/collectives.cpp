// SPDX-License-Identifier: BSD-3-Clause

// Multicasts and reductions in the switches, their trees, and permutations without contention.

#include "base/error.hpp"
#include "simulate/packet/messages.hpp"
#include "simulate/packet/permutations.hpp"
#include "simulate/packet/routing.hpp"
#include "simulate/packet/traffic.hpp"

#include <bit>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>

namespace thalweg::simulate::packet {
namespace {

std::vector<std::uint32_t> some_of(std::uint32_t nodes, std::uint32_t count, Random& random) {
  std::vector<std::uint32_t> order(nodes);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t place = 0; place < count; ++place)
    std::swap(order[place], order[place + random.below(nodes - place)]);
  order.resize(count);
  return order;
}

// A group's bits are one tree: as many channels as switches and members, but one; both ends have their bits.
TEST(Groups, AreTrees) {
  Random random(3);
  for (const char* name : {"tree:4^3", "tree:8^2", "star:16", "xgft:4x4x4:1x2x3"}) {
    const Fabric fabric(topology::parse_interconnect(name));
    GroupTables groups(fabric);
    for (int each = 0; each < 50; ++each) {
      const auto members = some_of(fabric.nodes(), 2 + random.below(fabric.nodes() - 2), random);
      const std::uint32_t group = groups.add(members);
      std::uint32_t ends = 0;
      std::uint32_t switches = 0;
      std::uint32_t leaves = 0;
      for (std::uint32_t vertex = fabric.nodes(); vertex < fabric.vertices(); ++vertex) {
        const std::uint64_t ports = groups.ports(vertex, group);
        switches += ports != 0 ? 1 : 0;
        for (std::uint64_t rest = ports; rest != 0; rest &= rest - 1) {
          const Wire& wire =
              fabric
                  .wires()[fabric.first_channel(vertex) + static_cast<std::uint32_t>(std::countr_zero(rest))];
          if (fabric.is_node(wire.to)) {
            ++leaves;
            EXPECT_NE(std::ranges::find(members, wire.to), members.end());
            continue;
          }
          ++ends;
          EXPECT_NE(groups.ports(wire.to, group) >> wire.input & 1, 0U) << name;
        }
      }
      EXPECT_EQ(leaves, members.size());
      EXPECT_EQ(ends, 2 * (switches - 1)) << name;
    }
  }
}

TEST(Groups, AreSpreadOverTheTop) {
  const Fabric fabric(topology::parse_interconnect("tree:4^2"));
  GroupTables groups(fabric);
  const std::vector<std::uint32_t> members{0, 5, 10, 15};
  for (int each = 0; each < 8; ++each)
    groups.add(members);
  for (std::uint32_t top = fabric.nodes() + 4; top < fabric.vertices(); ++top)
    EXPECT_EQ(groups.load(top), 2U);
}

TEST(Multicasts, ReachEveryMemberFromAny) {
  const Fabric fabric(topology::parse_interconnect("tree:4^3"));
  const auto routes = make_routing("", fabric);
  Random random(5);
  for (int each = 0; each < 30; ++each) {
    GroupTables groups(fabric);
    const auto members = some_of(fabric.nodes(), 2 + random.below(60), random);
    const std::uint32_t group = groups.add(members);
    std::vector<Message> messages;
    for (const std::uint32_t member : members)
      messages.push_back({.from = member, .group = group, .kind = Kind::multicast, .bytes = 600});
    RouterOptions options;
    options.buffers = 1 + random.below(3);
    options.credits = random.below(2) == 0 ? CreditRule::link : CreditRule::crosspoint;
    const MessageTimes times = run_messages(fabric, *routes, options, {}, &groups, messages);
    EXPECT_EQ(times.packets, 3 * members.size() * (members.size() - 1));
  }
}

// A copy leaves by each port at once: the last member hears no later than the first of as many hops.
TEST(Multicasts, CrossASwitchOnce) {
  const Fabric fabric(topology::parse_interconnect("tree:4^2"));
  const auto routes = make_routing("", fabric);
  GroupTables groups(fabric);
  std::vector<std::uint32_t> all(16);
  std::iota(all.begin(), all.end(), 0U);
  const Message message{.from = 0, .group = groups.add(all), .kind = Kind::multicast, .bytes = 256};
  EXPECT_EQ(run_messages(fabric, *routes, {}, {}, &groups, {&message, 1}).finish, 554'800U);
}

MessageTimes reduction(const char* name, std::uint32_t units, std::uint64_t bytes,
                       UnitSubsets subsets = UnitSubsets::fixed) {
  const Fabric fabric(topology::parse_interconnect(name));
  const auto routes = make_routing("", fabric);
  std::vector<std::uint32_t> all(fabric.nodes());
  std::iota(all.begin(), all.end(), 0U);
  RouterOptions options;
  options.combine_units = units;
  options.unit_subsets = subsets;
  return run_reduction(fabric, *routes, options, {}, all, 0, bytes);
}

// 7 contributions of 8 bytes to one unit of a star: 20 to the switch, 90 and 6.4 until whole, 2 cycles for
// each, 90 back to an output, 20 and 6.4 to the root.
TEST(Reductions, TakeWhatTheirPartsTake) {
  EXPECT_EQ(reduction("star:8", 1, 8).finish,
            20'000U + 90'000 + 6'400 + 7 * 2 * 4'000 + 90'000 + 20'000 + 6'400);
}

TEST(Reductions, GiveOnePacketForEachThatIsCombined) {
  for (const char* name : {"star:8", "tree:4^3", "tree:8^2"})
    for (const std::uint32_t units : {1U, 2U, 3U, 5U})
      for (const std::uint64_t bytes : {0U, 8U, 256U, 5000U})
        for (const UnitSubsets subsets : {UnitSubsets::fixed, UnitSubsets::round_robin}) {
          const MessageTimes times = reduction(name, units, bytes, subsets);
          EXPECT_EQ(times.packets, std::max<std::uint64_t>(1, (bytes + 255) / 256)) << name << units << bytes;
        }
}

TEST(Reductions, MoreUnitsHelpManyPorts) {
  const Ticks one = reduction("tree:16^2", 1, 256).finish;
  const Ticks five = reduction("tree:16^2", 5, 256).finish;
  const Ticks spread = reduction("tree:16^2", 5, 256, UnitSubsets::round_robin).finish;
  EXPECT_LT(five, one);
  EXPECT_LT(spread, five);
  EXPECT_LT(reduction("tree:16^2", 1, 8).finish, reduction("tree:4^4", 1, 8).finish);
  EXPECT_GT(one, reduction("tree:4^4", 1, 256).finish);
}

TEST(Reductions, ThatLackAMemberAreErrors) {
  const Fabric fabric(topology::parse_interconnect("star:4"));
  const auto routes = make_routing("", fabric);
  GroupTables groups(fabric);
  const std::vector<std::uint32_t> members{0, 1, 2};
  const Message only{.from = 1, .to = 0, .group = groups.add(members), .kind = Kind::reduction, .bytes = 8};
  RouterOptions options;
  options.combine_units = 1;
  try {
    run_messages(fabric, *routes, options, {}, &groups, {&only, 1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("1 reductions wait for contributions"), std::string::npos);
  }
}

TEST(Reductions, NeedUnitsAndMembers) {
  EXPECT_THROW(reduction("tree:4^2", 0, 8), Error);
  EXPECT_THROW(reduction("mesh:4x4", 1, 8), Error);
}

TEST(MolecularDynamics, IsFasterInTheSwitches) {
  const Fabric fabric(topology::parse_interconnect("tree:4^3"));
  const auto routes = make_routing("", fabric);
  const Interface interface { 1'300'000, 1'300'000, true };
  MolecularDynamics work{.senders = 4, .fanout = 16};
  const Ticks in_switches = run_molecular_dynamics(fabric, *routes, {}, interface, work).finish;
  work.is_in_switches = false;
  EXPECT_LT(in_switches, run_molecular_dynamics(fabric, *routes, {}, interface, work).finish);
}

bool is_free(const Fabric& fabric, const std::string& pattern) {
  return find_contention(fabric, parse_destinations(pattern, fabric.nodes(), 1)).is_free_any_way;
}

// S. Kumar 2005, 4.1, lemmas 1 and 4 to 6, on 4-ary trees: shifts by 1 and by a 4^j (a from 1 to 3),
// exchanges.
TEST(Permutations, AreFreeWhereTheLemmasSaySo) {
  for (const char* name : {"tree:4^2", "tree:4^3", "tree:4^4"}) {
    const Fabric fabric(topology::parse_interconnect(name));
    for (std::uint32_t step = 1; step < fabric.nodes(); ++step) {
      EXPECT_TRUE(is_free(fabric, fmt::format("exchange:{}", step))) << name << step;
      const int digit = (std::bit_width(step) - 1) / 2 * 2;
      const bool is_of_lemma = step % (std::uint32_t{1} << digit) == 0;
      // Shifting back is shifting, too.
      const std::uint32_t back = fabric.nodes() - step;
      const bool back_is = back % (std::uint32_t{1} << (std::bit_width(back) - 1) / 2 * 2) == 0;
      EXPECT_EQ(is_free(fabric, fmt::format("shift:{}", step)), is_of_lemma || back_is)
          << name << ' ' << step;
    }
    EXPECT_TRUE(is_free(fabric, "bit_complement"));
    EXPECT_FALSE(is_free(fabric, "transpose"));
  }
}

// Routes by destination have no contention in any shift (Zahavi 2010).
TEST(Permutations, ShiftsAreFreeByDestination) {
  const Fabric fabric(topology::parse_interconnect("tree:4^3"));
  for (std::uint32_t step = 1; step < 64; ++step)
    EXPECT_EQ(
        find_contention(fabric, parse_destinations(fmt::format("shift:{}", step), 64, 1)).by_destination, 1U);
}

// What is free any way takes no longer than one message, whatever the switches choose.
TEST(Permutations, ThatAreFreeTakeNoLonger) {
  const Fabric fabric(topology::parse_interconnect("tree:4^3"));
  const auto routes = make_routing("adaptive_up", fabric);
  for (std::uint32_t step = 1; step < 64; ++step)
    for (const char* kind : {"shift", "exchange"}) {
      const auto to = parse_destinations(fmt::format("{}:{}", kind, step), 64, 1);
      if (!find_contention(fabric, to).is_free_any_way)
        continue;
      std::vector<Message> messages;
      for (std::uint32_t node = 0; node < 64; ++node)
        messages.push_back({.from = node, .to = to[node], .bytes = 256});
      EXPECT_LE(run_messages(fabric, *routes, {}, {}, nullptr, messages).finish, 774'800U) << kind << step;
    }
}

TEST(Permutations, AreChecked) {
  const Fabric fabric(topology::parse_interconnect("tree:4^2"));
  EXPECT_THROW(find_contention(fabric, std::vector<std::uint32_t>(16, 3)), Error);
  EXPECT_THROW(
      find_contention(Fabric(topology::parse_interconnect("mesh:4x4")), parse_destinations("shift:1", 16, 1)),
      Error);
}

} // namespace
} // namespace thalweg::simulate::packet
