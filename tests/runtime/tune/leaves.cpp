// SPDX-License-Identifier: BSD-3-Clause

// The schedules of network devices follow the switches that hosts are on: what is predicted is what runs.

#include "base/error.hpp"
#include "model/predict.hpp"
#include "strategies/sample.hpp"
#include "strategies/selection.hpp"
#include "topology/network.hpp"
#include "tune/candidates.hpp"
#include "tune/prediction.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace thalweg::tune {
namespace {

struct Job {
  topology::NodePlaces node_places;
  Case wanted;
};

// Nodes of fat trees, drawn and numbered at random; up to three ranks on each.
Job random_job(const strategies::Call& call, std::mt19937& random) {
  const std::int32_t hosts = 2 + static_cast<std::int32_t>(random() % 3);
  const std::int32_t switches = 2 + static_cast<std::int32_t>(random() % 3);
  Job job{{.network = fmt::format("fat-tree:{}x2", hosts), .hosts = hosts * switches}, {&call, 64}};
  std::vector<std::int32_t> places(static_cast<std::size_t>(hosts * switches));
  std::iota(places.begin(), places.end(), 0);
  std::ranges::shuffle(places, random);
  places.resize(2 + random() % (places.size() - 1));
  job.node_places.places = places;
  for (std::int32_t node = 0; node < std::ssize(places); ++node)
    job.wanted.nodes.insert(job.wanted.nodes.end(), 1 + random() % 3, node);
  job.wanted.ranks = static_cast<std::int32_t>(job.wanted.nodes.size());
  job.wanted.node_places = job.node_places;
  job.wanted.leaves = topology::leaves_of(job.node_places, job.wanted.nodes);
  return job;
}

strategies::Sample shown(const std::string& selection, const Job& job) {
  return strategies::make_sample(selection, {.ranks = job.wanted.ranks,
                                             .unit_bytes = job.wanted.bytes,
                                             .node_places = job.node_places,
                                             .nodes = job.wanted.nodes});
}

TEST(Leaves, AreInTheProblemOfEachCase) {
  std::mt19937 random(44);
  for (int round = 0; round < 200; ++round) {
    const Job job = random_job(*strategies::find_call("barrier"), random);
    const strategies::Problem problem = problem_of(job.wanted, {{"radix", 2}});
    EXPECT_EQ(problem.leaves ? *problem.leaves : std::vector<std::int32_t>{}, job.wanted.leaves);
  }
}

TEST(Leaves, MakeThePredictedScheduleTheShownOne) {
  const machine::Machine machine = machine::default_machine();
  std::mt19937 random(45);
  int differ = 0;
  for (const char* name : {"barrier", "bcast", "reduce", "allreduce", "allgather", "gather", "scatter"})
    for (int round = 0; round < 20; ++round) {
      const strategies::Call& call = *strategies::find_call(name);
      const Job job = random_job(call, random);
      const std::string selection = fmt::format("{}=nic:radix={}", name, 2 + random() % 3);
      const strategies::Scheduled scheduled = strategies::schedule_of(strategies::parse_selection(selection));
      const auto schedules_of = [&](const Case& wanted) {
        return sample(scheduled.strategy(), problem_of(wanted, scheduled.parameters()), wanted).schedules;
      };
      const std::vector<schedule::Schedule> all = strategies::build_all(shown(selection, job));
      EXPECT_EQ(hash(schedules_of(job.wanted)), hash(all)) << selection;
      EXPECT_EQ(
          predict(scheduled, job.wanted, machine).seconds,
          model::predict(all, job.wanted.bytes,
                         {.machine = machine, .nodes = job.wanted.nodes, .node_places = job.node_places})
              .seconds)
          << selection;
      Case flat = job.wanted;
      flat.leaves.clear();
      if (hash(schedules_of(flat)) != hash(all)) {
        ++differ;
        EXPECT_FALSE(job.wanted.leaves.empty());
      }
    }
  EXPECT_GT(differ, 30);
}

// As where no agent names a switch, though the network's shape is known: then a job's tree is one of hosts.
TEST(Leaves, OfAJobComeBeforeThoseOfTheNetworksShape) {
  const topology::NodePlaces fat_tree{.network = "fat-tree:2x2", .places = {0, 2, 1, 3}};
  const auto describe = [&](std::optional<std::vector<std::int32_t>> leaves) {
    const strategies::Sample made = strategies::make_sample(
        "barrier=nic", {.ranks = 4, .node_places = fat_tree, .leaves = std::move(leaves)});
    return made.problem.leaves ? *made.problem.leaves : std::vector<std::int32_t>{};
  };
  EXPECT_EQ(describe({}), (std::vector<std::int32_t>{0, 1, 0, 1}));
  EXPECT_EQ(describe(std::vector<std::int32_t>{}), std::vector<std::int32_t>{});
  EXPECT_EQ(describe(std::vector<std::int32_t>{0, 0, 1, 1}), (std::vector<std::int32_t>{0, 0, 1, 1}));
  EXPECT_THROW(describe(std::vector<std::int32_t>{0, 1}), Error);
}

// Two hops within a leaf, four between leaves: a tree that follows the leaves crosses the spine once each
// way.
TEST(Leaves, MakeAPredictionDifferAsTheScheduleDoes) {
  machine::Machine machine = machine::default_machine();
  Case wanted{strategies::find_call("barrier"), 0, 8, {0, 1, 2, 3, 4, 5, 6, 7}};
  wanted.node_places = {.network = "fat-tree:4x1", .places = {0, 4, 1, 5, 2, 6, 3, 7}};
  const strategies::Scheduled scheduled =
      strategies::schedule_of(strategies::parse_selection("barrier=nic:radix=2"));
  const double flat = predict(scheduled, wanted, machine).seconds;
  wanted.leaves = topology::leaves_of(wanted.node_places, wanted.nodes);
  EXPECT_NE(predict(scheduled, wanted, machine).seconds, flat);
}

} // namespace
} // namespace thalweg::tune
