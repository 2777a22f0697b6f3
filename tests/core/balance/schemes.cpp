// SPDX-License-Identifier: BSD-3-Clause
#include "balance/alias_method.hpp"
#include "base/error.hpp"
#include "cases.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace thalweg::balancing {
namespace {

/// The schemes that bring all ranks to their targets, but for the published form, which has targets of its
/// own.
constexpr std::array complete{Scheme::sweep, Scheme::alias, Scheme::nested_sweep, Scheme::nested_alias,
                              Scheme::alias_queued};

Tasks sum(const std::vector<Tasks>& numbers) {
  return std::reduce(numbers.begin(), numbers.end(), Tasks{0});
}

/// What bounds any flow from below: ranks and tasks that are off the targets.
struct Bounds {
  std::int64_t surpluses = 0;
  std::int64_t deficits = 0;
  Tasks tasks = 0;
  Tasks deficit_max = 0;

  explicit Bounds(const Problem& problem) {
    const std::vector<Tasks> wanted = targets(problem.loads, problem.order, problem.spread, problem.speeds);
    for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
      const Tasks excess = problem.loads[rank] - wanted[rank];
      surpluses += excess > 0;
      deficits += excess < 0;
      tasks += std::max<Tasks>(excess, 0);
      deficit_max = std::max(deficit_max, -excess);
    }
  }
  std::int64_t messages_min() const { return std::max(surpluses, deficits); }
};

/// Holds for every flow: nothing is lost, empty, sent to oneself or sent twice, and all can leave at once.
void expect_sound(const Problem& problem, const Flow& flow) {
  const std::vector<Tasks> after = applied(problem.loads, flow);
  EXPECT_EQ(sum(after), sum(problem.loads));
  std::vector<Tasks> left = problem.loads;
  std::set<std::pair<Rank, Rank>> pairs;
  for (const Transfer& transfer : flow) {
    EXPECT_GT(transfer.tasks, 0);
    EXPECT_NE(transfer.from, transfer.to);
    EXPECT_TRUE(pairs.emplace(transfer.from, transfer.to).second);
    left[static_cast<std::size_t>(transfer.from)] -= transfer.tasks;
  }
  EXPECT_GE(std::ranges::min(left), 0);
}

template <typename Check>
void for_random_problems(int count, Check&& check) {
  for (int seed = 0; seed < cases(count); ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    const Problem problem = random_problem(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(problem));
    check(problem);
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(Schemes, KeepTable51sBounds) {
  for_random_problems(2000, [](const Problem& problem) {
    const Bounds optimum(problem);
    const std::vector<Tasks> wanted = targets(problem.loads, problem.order, problem.spread);
    const std::int64_t unbalanced = optimum.surpluses + optimum.deficits;
    for (const Scheme scheme : complete) {
      SCOPED_TRACE(name(scheme));
      const Flow flow = flow_of(scheme, problem);
      const Metrics found = metrics(problem.ranks(), flow);
      expect_sound(problem, flow);
      EXPECT_EQ(applied(problem.loads, flow), wanted);
      EXPECT_LE(found.messages, std::max<std::int64_t>(unbalanced - 1, 0));
      EXPECT_LE(found.tasks_received_max, optimum.deficit_max);
      if (scheme == Scheme::sweep || scheme == Scheme::nested_sweep) {
        EXPECT_EQ(found.tasks, optimum.tasks);
      } else {
        EXPECT_LE(found.receives_max, 1);
      }
      if (optimum.messages_min() > 0) {
        EXPECT_LE(found.messages, 2 * optimum.messages_min() - 1);
      }
    }
  });
}

TEST(Schemes, ThePublishedFormKeepsItsLooserBounds) {
  for_random_problems(2000, [](const Problem& problem) {
    const Flow flow = flow_of(Scheme::alias_printed, problem);
    const Metrics found = metrics(problem.ranks(), flow);
    expect_sound(problem, flow);
    const Tasks share = (sum(problem.loads) + problem.ranks() - 1) / problem.ranks();
    const std::vector<Tasks> after = applied(problem.loads, flow);
    EXPECT_LE(std::ranges::max(after), share);
    EXPECT_GE(std::ranges::min(after), std::max<Tasks>(share - 2, 0));
    EXPECT_LE(found.receives_max, 1);
    EXPECT_LE(found.tasks_received_max, std::max<Tasks>(share - std::ranges::min(problem.loads), 0) + 1);
    EXPECT_LE(found.messages, std::max(problem.ranks() - 1, 0));
  });
}

TEST(Schemes, StoppingAtTheTargetNeverTakesMoreMessagesWhereTheTasksAreAMultipleOfTheRanks) {
  for_random_problems(2000, [](Problem problem) {
    problem.loads[0] += problem.ranks() - sum(problem.loads) % problem.ranks();
    const Metrics printed = metrics(problem.ranks(), flow_of(Scheme::alias_printed, problem));
    const Metrics queued = metrics(problem.ranks(), flow_of(Scheme::alias_queued, problem));
    EXPECT_LE(queued.messages, printed.messages);
    EXPECT_LE(queued.receives_max, printed.receives_max);
  });
}

TEST(Schemes, ThePublishedFormLetsARankGiveOnceMoreThatHasReachedItsTarget) {
  const Problem problem = checked({{2, 4, 2, 4}, {}});
  EXPECT_EQ(flow_of(Scheme::alias_printed, problem), (Flow{{1, 0, 1}, {1, 2, 1}, {3, 1, 1}}));
  EXPECT_EQ(flow_of(Scheme::alias_queued, problem), (Flow{{1, 0, 1}, {3, 2, 1}}));
}

TEST(Schemes, DiffusionOnlyAsksNeighborsAndComesToRest) {
  for_random_problems(300, [](Problem problem) {
    std::map<Rank, std::size_t> positions;
    for (const Rank rank : problem.order)
      positions.emplace(rank, positions.size());
    const std::vector<Tasks> wanted = targets(problem.loads, problem.order, problem.spread);
    for (int step = 0; step < 20000; ++step) {
      const Flow flow = flow_of(Scheme::diffusion, problem);
      expect_sound(problem, flow);
      for (const Transfer& transfer : flow) {
        const auto apart = static_cast<std::int64_t>(positions[transfer.from] - positions[transfer.to]);
        EXPECT_EQ(std::abs(apart), 1);
      }
      if (flow.empty() || testing::Test::HasFailure())
        break;
      problem.loads = applied(problem.loads, flow);
    }
    EXPECT_TRUE(flow_of(Scheme::diffusion, problem).empty());
  });
}

TEST(Schemes, SpeedsDecideWhoHasHowMuch) {
  for_random_problems(1000, [](Problem problem) {
    std::mt19937 random(static_cast<std::uint32_t>(problem.loads.size()));
    for (const Tasks load : problem.loads)
      problem.speeds.push_back(1 + (load + static_cast<Tasks>(random() % 7)) % 9);
    const double total = static_cast<double>(sum(problem.loads));
    const double speed_total = static_cast<double>(sum(problem.speeds));
    for (const SchemeEntry& entry : schemes()) {
      if (!is_able(entry.scheme, problem))
        continue;
      SCOPED_TRACE(entry.name);
      const Flow flow = flow_of(entry.scheme, problem);
      expect_sound(problem, flow);
      if (entry.scheme == Scheme::none || entry.scheme == Scheme::diffusion)
        continue; // they do not come to the targets at once
      const std::vector<Tasks> after = applied(problem.loads, flow);
      for (std::size_t rank = 0; rank < after.size(); ++rank)
        EXPECT_NEAR(static_cast<double>(after[rank]),
                    total * static_cast<double>(problem.speeds[rank]) / speed_total, 1.0 + total * 1e-12);
    }
    EXPECT_TRUE(is_able(Scheme::sweep, problem));
  });
}

// 2n ranks: n - 1 have n - 1 tasks, then come 2, 2n - 2, and n - 1 times n + 1.
Problem tight_for_messages(Tasks n) {
  Problem problem;
  problem.loads.assign(static_cast<std::size_t>(n - 1), n - 1);
  problem.loads.push_back(2);
  problem.loads.push_back(2 * n - 2);
  problem.loads.insert(problem.loads.end(), static_cast<std::size_t>(n - 1), n + 1);
  return checked(problem);
}

TEST(Schemes, TheFirstTightExampleCostsThePublishedFormWhatItsProofSays) {
  for (const Tasks n : {4, 5, 20, 50}) {
    const Metrics found =
        metrics(static_cast<std::int32_t>(2 * n), flow_of(Scheme::alias_printed, tight_for_messages(n)));
    EXPECT_EQ(found.messages, 2 * n - 1);
    EXPECT_EQ(found.tasks, 3 * n - 5 + (n - 3) * (n - 2) / 2);
    EXPECT_EQ(found.sends_max, n - 1);
    EXPECT_EQ(found.receives_max, 1);
  }
}

TEST(Schemes, TheSecondTightExampleMakesOneRankSendAlmostAll) {
  for (const Tasks ranks : {2, 3, 20, 100}) {
    Problem problem;
    problem.loads.assign(static_cast<std::size_t>(ranks), ranks + 1);
    problem.loads[0] = 1;
    problem = checked(problem);
    EXPECT_EQ(metrics(problem.ranks(), flow_of(Scheme::alias_printed, problem)).tasks_sent_max, ranks - 1);
    EXPECT_EQ(metrics(problem.ranks(), flow_of(Scheme::sweep, problem)).tasks_sent_max, 1);
  }
}

TEST(Schemes, SweepsAlongARowOfNodesTakeTheFewestHops) {
  for_random_problems(1000, [](const Problem& problem) {
    if (sum(problem.loads) > tasks_max / 32)
      return; // no number holds what that many tasks have for hops
    const std::vector<Tasks> wanted = targets(problem.loads, problem.order, problem.spread);
    std::vector<std::int64_t> positions(problem.order.size());
    Tasks drift = 0;
    Tasks fewest = 0; // each link has to carry what lies before it in excess
    for (std::size_t position = 0; position < positions.size(); ++position) {
      const auto rank = static_cast<std::size_t>(problem.order[position]);
      positions[rank] = static_cast<std::int64_t>(position);
      drift += problem.loads[rank] - wanted[rank];
      fewest += std::abs(drift);
    }
    const auto hops = [&](Rank a, Rank b) {
      return std::abs(positions[static_cast<std::size_t>(a)] - positions[static_cast<std::size_t>(b)]);
    };
    for (const Scheme scheme : {Scheme::sweep, Scheme::nested_sweep})
      EXPECT_EQ(hop_tasks(flow_of(scheme, problem), hops), fewest) << name(scheme);
    for (const Scheme scheme : {Scheme::alias, Scheme::nested_alias, Scheme::alias_queued})
      EXPECT_GE(hop_tasks(flow_of(scheme, problem), hops), fewest) << name(scheme);
  });
}

// The header's picture: A 0, p 1, B 2, q 3, r 4, C 5.
TEST(Schemes, NestedServesLikeBrackets) {
  const Problem problem = checked({{7, 4, 6, 4, 3, 6}, {}});
  EXPECT_EQ(flow_of(Scheme::nested_sweep, problem), (Flow{{0, 1, 1}, {2, 3, 1}, {0, 4, 1}, {5, 4, 1}}));
  EXPECT_EQ(flow_of(Scheme::nested_alias, problem), (Flow{{0, 1, 1}, {2, 3, 1}, {0, 4, 2}, {5, 0, 1}}));
}

TEST(Schemes, NothingToDoIsNothingDone) {
  for (const std::vector<Tasks>& loads :
       {std::vector<Tasks>{0}, {7}, {0, 0}, {5, 5, 5}, {tasks_max}, {1, 0, 0}}) {
    const Problem problem = checked({loads, {}});
    for (const SchemeEntry& entry : schemes())
      EXPECT_TRUE(flow_of(entry.scheme, problem).empty()) << entry.name << ' ' << describe(problem);
  }
}

TEST(Schemes, TwoRanksMeetInTheMiddle) {
  const Problem problem = checked({{9, 2}, {}});
  for (const Scheme scheme : complete)
    EXPECT_EQ(flow_of(scheme, problem), (Flow{{0, 1, 3}})) << name(scheme);
}

TEST(Schemes, NamesAreReadBack) {
  for (const SchemeEntry& entry : schemes())
    EXPECT_EQ(parse_scheme(name(entry.scheme)), entry.scheme);
  for (const Spread spread : {Spread::even, Spread::capped})
    EXPECT_EQ(parse_spread(name(spread)), spread);
  EXPECT_THROW(parse_scheme("alais"), Error);
  EXPECT_THROW(parse_spread(""), Error);
}

TEST(Schemes, ProblemsThatAreNoneAreRefused) {
  EXPECT_THROW(checked({}), Error);
  EXPECT_THROW(checked({{1, -1}, {}}), Error);
  EXPECT_THROW(checked({{tasks_max, 1}, {}}), Error);
  EXPECT_THROW(checked({{1, 2}, {0}}), Error);
  EXPECT_THROW(checked({{1, 2}, {0, 0}}), Error);
  EXPECT_THROW(checked({{1, 2}, {0, 2}}), Error);
  EXPECT_THROW(checked({{1, 2}, {}, {1}}), Error);
  EXPECT_THROW(checked({{1, 2}, {}, {0, 0}}), Error);
  EXPECT_THROW(checked({{1, 2}, {}, {1, -2}}), Error);
  EXPECT_THROW(checked({{1, 2}, {}, {1, 2}, Spread::capped}), Error);
}

} // namespace
} // namespace thalweg::balancing
