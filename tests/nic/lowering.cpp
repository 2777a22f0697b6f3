// SPDX-License-Identifier: BSD-3-Clause
#include "nic/lowering.hpp"

#include "base/error.hpp"
#include "nic/aggregated_tree.hpp"
#include "strategies/index.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

namespace thalweg::nic {
namespace {

using strategies::find;

struct Job {
  const strategies::Strategy& strategy;
  schedule::Problem problem;
  std::vector<std::int32_t> nodes;

  Job(std::string_view name, std::vector<std::int32_t> hosts, const schedule::Parameters& given = {},
      schedule::Operation operation = schedule::Operation::barrier)
      : strategy(find(operation, name)), nodes(std::move(hosts)) {
    problem.operation = operation;
    problem.ranks = static_cast<std::int32_t>(nodes.size());
    problem.parameters = strategies::resolve(strategy, given);
    problem.nodes = std::make_shared<const std::vector<std::int32_t>>(nodes);
  }
  schedule::Schedule schedule(Rank rank) const { return strategies::build(strategy, problem, rank); }
  HostView view(Rank rank) const {
    return lower([this](Rank other) { return schedule(other); }, nodes, rank);
  }
};

std::vector<std::int32_t> one_each(std::int32_t ranks) {
  std::vector<std::int32_t> nodes(static_cast<std::size_t>(ranks));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

// Every rank is a contributor of its own host alone, every host but one of the host above it, by the number
// that it has there, and all hang together.
void expect_a_tree_of_hosts(const Job& job) {
  std::set<std::int32_t> roots;
  std::size_t below = 0;
  for (Rank rank = 0; rank < job.problem.ranks; ++rank) {
    const HostView view = job.view(rank);
    const std::int32_t node = job.nodes[static_cast<std::size_t>(rank)];
    ASSERT_EQ(view.rank_of(view.own_number), rank);
    ASSERT_EQ(static_cast<std::ptrdiff_t>(view.locals.size()), std::ranges::count(job.nodes, node));
    if (view.own_number == 0)
      below += view.below.size();
    if (view.parent < 0) {
      roots.insert(node);
      continue;
    }
    const HostView above = job.view(view.parent);
    ASSERT_EQ(above.rank_of(view.number_above), view.locals.front());
    ASSERT_NE(job.nodes[static_cast<std::size_t>(view.parent)], node);
  }
  const std::set<std::int32_t> hosts(job.nodes.begin(), job.nodes.end());
  EXPECT_EQ(roots.size(), 1U);
  EXPECT_EQ(below, hosts.size() - 1);
}

TEST(Lowering, MakesATreeOfHostsOfTheStrategyForCards) {
  for (const std::int64_t radix : {2, 3, 8})
    for (const std::int32_t ranks : {1, 2, 3, 8, 17})
      for (const std::int32_t hosts : {1, 2, 3, 8}) {
        std::vector<std::int32_t> nodes;
        for (std::int32_t rank = 0; rank < ranks; ++rank)
          nodes.push_back(rank * 7 % hosts);
        for (const auto operation :
             {schedule::Operation::barrier, schedule::Operation::allreduce, schedule::Operation::allgather})
          expect_a_tree_of_hosts({"nic", nodes, {{"radix", radix}}, operation});
        for (const auto operation : {schedule::Operation::reduce, schedule::Operation::gather,
                                     schedule::Operation::broadcast, schedule::Operation::scatter}) {
          Job rooted("nic", nodes, {{"radix", radix}}, operation);
          for (rooted.problem.root = 0; rooted.problem.root < ranks; rooted.problem.root += 5) {
            expect_a_tree_of_hosts(rooted);
            EXPECT_LT(rooted.view(rooted.problem.root).parent, 0);
            EXPECT_EQ(rooted.view(rooted.problem.root).own_number, 0);
          }
        }
      }
}

// With cards that have no ranks: each card is known above by its number, and all hang together below one.
void expect_a_tree_with_aggregators(const Job& job, const std::vector<std::int32_t>& leaves, bool has_spine) {
  const bool goes_down = job.problem.operation == schedule::Operation::broadcast;
  const ScheduleOf schedule_of = [&](Rank rank) { return job.schedule(rank); };
  const AggregatedTree tree(schedule_of, job.nodes, leaves, goes_down, has_spine);
  std::map<Rank, HostView> cards; // by name
  for (Rank rank = 0; rank < job.problem.ranks; ++rank) {
    const HostView view = tree.host(rank);
    ASSERT_EQ(view.locals, job.view(rank).locals);
    ASSERT_EQ(view.rank_of(view.own_number), rank);
    if (view.own_number == 0)
      cards[rank] = view;
    const Rank aggregator = aggregator_of(leaves[static_cast<std::size_t>(rank)]);
    cards[aggregator] = tree.leaf(aggregator);
  }
  if (has_spine)
    cards[spine] = tree.top();
  std::size_t roots = 0;
  std::size_t below = 0;
  for (const auto& [name, view] : cards) {
    roots += view.is_root() ? 1 : 0;
    below += view.below.size();
    if (!view.is_root()) {
      ASSERT_EQ(cards.at(view.parent).rank_of(view.number_above), name);
    }
  }
  EXPECT_EQ(roots, 1U);
  EXPECT_EQ(below, cards.size() - 1);
  EXPECT_EQ(cards.contains(job.problem.root) && cards.at(job.problem.root).is_root(), goes_down);
  if (goes_down) {
    EXPECT_EQ(cards.at(job.problem.root).contributors(),
              static_cast<std::int32_t>(cards.at(job.problem.root).locals.size()) + 1);
  }
}

std::vector<std::int32_t> leaves_of(const std::vector<std::int32_t>& nodes, std::int32_t count) {
  std::vector<std::int32_t> leaves;
  for (const std::int32_t node : nodes)
    leaves.push_back(node % count);
  return leaves;
}

TEST(Lowering, PutsACardWithoutRanksOnEachLeafAndAboveThem) {
  for (const std::int64_t radix : {2, 8})
    for (const std::int32_t hosts : {2, 3, 9})
      for (const std::int32_t switches : {1, 2, 5})
        for (const auto operation :
             {schedule::Operation::barrier, schedule::Operation::reduce, schedule::Operation::broadcast}) {
          std::vector<std::int32_t> nodes;
          for (std::int32_t rank = 0; rank < 17; ++rank)
            nodes.push_back(rank * 7 % hosts);
          const std::vector<std::int32_t> leaves = leaves_of(nodes, std::min(switches, hosts));
          Job job("nic", nodes, {{"radix", radix}}, operation);
          job.problem.leaves = std::make_shared<const std::vector<std::int32_t>>(leaves);
          for (job.problem.root = 0; job.problem.root < (operation == schedule::Operation::barrier ? 1 : 17);
               job.problem.root += 5)
            for (const bool has_spine : {false, true})
              if (!has_spine || switches > 1)
                expect_a_tree_with_aggregators(job, leaves, has_spine);
        }
}

// What a card's contributors come to, in its order.
std::string sum_of(const AggregatedTree& tree, const HostView& view) {
  std::string sum;
  for (std::int32_t contributor = 0; contributor < view.contributors(); ++contributor) {
    const Rank rank = view.rank_of(contributor);
    const bool is_local = contributor < static_cast<std::int32_t>(view.locals.size());
    const std::string one = is_local        ? std::to_string(rank)
                            : rank >= 0     ? sum_of(tree, tree.host(rank))
                            : rank == spine ? sum_of(tree, tree.top())
                                            : sum_of(tree, tree.leaf(rank));
    sum = sum.empty() ? one : "(" + sum + "+" + one + ")";
  }
  return sum;
}

std::string sum_of_hosts(const Job& job, Rank rank) {
  const HostView view = job.view(rank);
  std::string sum;
  for (std::int32_t contributor = 0; contributor < view.contributors(); ++contributor) {
    const Rank other = view.rank_of(contributor);
    const bool is_local = contributor < static_cast<std::int32_t>(view.locals.size());
    const std::string one = is_local ? std::to_string(other) : sum_of_hosts(job, other);
    sum = sum.empty() ? one : "(" + sum + "+" + one + ")";
  }
  return sum;
}

TEST(Lowering, CardsWithoutRanksCombineAsTheHostsDidThatTheyStandFor) {
  for (const std::int64_t radix : {2, 3, 8})
    for (const std::int32_t switches : {1, 2, 4})
      for (const Rank root : {0, 5, 10}) {
        std::vector<std::int32_t> nodes;
        for (std::int32_t rank = 0; rank < 15; ++rank)
          nodes.push_back(rank * 7 % 12);
        const std::vector<std::int32_t> leaves = leaves_of(nodes, switches);
        Job job("nic", nodes, {{"radix", radix}}, schedule::Operation::reduce);
        job.problem.leaves = std::make_shared<const std::vector<std::int32_t>>(leaves);
        job.problem.root = root;
        const ScheduleOf schedule_of = [&](Rank rank) { return job.schedule(rank); };
        const std::string expected = sum_of_hosts(job, root);
        const AggregatedTree without(schedule_of, nodes, leaves, false, false);
        const Rank top = aggregator_of(leaves[static_cast<std::size_t>(root)]);
        EXPECT_EQ(sum_of(without, without.leaf(top)), expected);
        if (switches > 1) {
          const AggregatedTree with(schedule_of, nodes, leaves, false, true);
          EXPECT_EQ(sum_of(with, with.top()), expected);
        }
      }
}

TEST(Lowering, RefusesTreesThatLeaveALeafFromTheMiddle) {
  const Job job("kary", one_each(7), {{"degree", 2}});
  const ScheduleOf schedule_of = [&](Rank rank) { return job.schedule(rank); };
  const std::vector<std::int32_t> leaves{0, 0, 0, 1, 1, 1, 1};
  const AggregatedTree tree(schedule_of, job.nodes, leaves, false, false);
  EXPECT_THROW(tree.host(1), Error);
}

std::string refusal_of(const Job& job, Rank rank) {
  try {
    job.view(rank);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// Cards combine as the schedule does: the leader's own, then what it hears, in that order.
TEST(Lowering, KeepsTheOrderInWhichAScheduleCombines) {
  const Job job("nic", {0, 1, 2, 0, 2, 0, 1, 3, 3}, {{"radix", 2}}, schedule::Operation::allreduce);
  for (const Rank leader : {0, 1, 2, 7}) {
    const HostView view = job.view(leader);
    std::vector<Rank> order(view.locals.begin() + 1, view.locals.end());
    order.insert(order.end(), view.below.begin(), view.below.end());
    EXPECT_EQ(view.locals.front(), leader);
    EXPECT_EQ(tree_place(job.schedule(leader)).children, order);
  }
  Job deeper("nic", one_each(7), {{"radix", 2}}, schedule::Operation::allreduce);
  deeper.nodes = {0, 0, 1, 0, 0, 1, 1}; // rank 1 combines what 3 and 4 have before 0 does
  EXPECT_NE(refusal_of(deeper, 0).find("does not combine what its host has"), std::string::npos);
}

// What comes is the right operand of a card: beside NaNs and zeros of two signs, bits tell.
TEST(Lowering, RefusesWhatCombinesOnTheOtherSide) {
  for (const auto operation : {schedule::Operation::allreduce, schedule::Operation::reduce}) {
    const Job job("nic", one_each(5), {{"radix", 2}}, operation);
    schedule::Schedule turned = job.schedule(0);
    EXPECT_NO_THROW(tree_place(turned));
    for (schedule::Step& step : turned.steps)
      step.side = schedule::Side::left;
    EXPECT_THROW(tree_place(turned), Error);
  }
}

TEST(Lowering, KnowsNoStrategyByName) {

  for (const char* const name : {"kary", "knomial", "flat"})
    expect_a_tree_of_hosts({name, one_each(13)});
  expect_a_tree_of_hosts({"flat", one_each(13), {}, schedule::Operation::broadcast});
  expect_a_tree_of_hosts({"two_level", {0, 0, 1, 1, 1, 2, 3, 3}, {{"between", 2}}});
  for (const auto operation : {schedule::Operation::gather, schedule::Operation::scatter})
    expect_a_tree_of_hosts({"two_level", {0, 0, 1, 1, 1, 2, 3, 3}, {{"between", 2}}, operation});
}

TEST(Lowering, RefusesWhatIsNoTree) {
  for (const char* const name : {"dissemination", "recursive_doubling", "ring"})
    EXPECT_NE(refusal_of({name, one_each(8)}, 0).find("no tree that a card can run"), std::string::npos)
        << name;
  for (const char* const name : {"recursive_doubling", "ring", "rabenseifner", "direct"})
    EXPECT_NE(refusal_of({name, one_each(8), {}, schedule::Operation::allreduce}, 0)
                  .find("no tree that a card can run"),
              std::string::npos)
        << name;
  for (const char* const name : {"ring", "bruck", "direct"})
    EXPECT_NE(refusal_of({name, one_each(8), {}, schedule::Operation::allgather}, 0)
                  .find("no tree that a card can run"),
              std::string::npos)
        << name;
  for (const char* const name : {"scatter_allgather", "double_tree"})
    EXPECT_NE(refusal_of({name, one_each(8), {}, schedule::Operation::broadcast}, 3)
                  .find("no tree that a card can run"),
              std::string::npos)
        << name;
}

TEST(Lowering, RefusesHostsWhoseRanksDoNotHangTogether) {
  EXPECT_NE(refusal_of({"kary", {0, 1, 1, 0, 0, 0, 0}}, 1).find("hang together"), std::string::npos);
}

TEST(Lowering, RefusesOtherOperations) {
  const strategies::Strategy& strategy = find(schedule::Operation::alltoall, "direct");
  schedule::Problem problem;
  problem.operation = schedule::Operation::alltoall;
  problem.ranks = 4;
  problem.parameters = strategies::resolve(strategy, {});
  EXPECT_THROW(tree_place(strategies::build(strategy, problem, 0)), Error);
}

TEST(Lowering, RefusesMutantsOfTrees) {
  const Job job("kary", one_each(7));
  for (Rank rank = 0; rank < 3; ++rank) {
    const schedule::Schedule whole = job.schedule(rank);
    for (std::size_t step = 0; step < whole.steps.size(); ++step) {
      schedule::Schedule other = whole;
      other.steps[step].peer = (other.steps[step].peer + 1) % 7;
      TreePlace place;
      try {
        place = tree_place(other);
      } catch (const Error&) {
        continue;
      }
      EXPECT_NE(place, tree_place(whole)) << "rank " << rank << ", step " << step;
    }
    schedule::Schedule at_once = whole;
    at_once.stages = {0};
    EXPECT_THROW(tree_place(at_once), Error);
  }
}

} // namespace
} // namespace thalweg::nic
