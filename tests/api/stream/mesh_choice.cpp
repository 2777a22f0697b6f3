// SPDX-License-Identifier: BSD-3-Clause

// What is chosen where the machine is as the model says, and where it is not.

#include "stream/mesh_choice.hpp"

#include "machine/machine.hpp"
#include "nodes_of.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace thalweg::streams {
namespace {

using Pick = MeshChoice::Pick;

/// Sixteen ranks on eight nodes, and a machine on which phases take what `seconds` says.
class Choosing16 {
public:
  explicit Choosing16(std::function<double(const Pick&, double bytes)> seconds,
                      std::vector<FoundMesh> found = {})
      : nodes_(nodes_of(16, 2)), plan_(plan_stream({.item_bytes = 8}, nodes_)),
        cost_(machine::default_machine(), nodes_, 1), seconds_(std::move(seconds)),
        choice_(plan_, cost_, 8, std::move(found)) {}

  /// Gives the pick of the phase behind it.
  Pick phase(double bytes) {
    const Pick used = choice_.pick();
    if (choice_.is_due()) {
      const double sent = bytes * cost_.copies(plan_.meshes[used.mesh].shape, 8);
      choice_.decide({.nanoseconds = static_cast<std::uint64_t>(seconds_(used, bytes) * 1e9),
                      .sent_bytes = static_cast<std::uint64_t>(sent)});
    }
    choice_.phase_ended();
    return choice_.pick();
  }
  Pick after(int phases, double bytes) {
    for (int phase_number = 0; phase_number < phases; ++phase_number)
      phase(bytes);
    return choice_.pick();
  }
  double model(const Pick& pick, double bytes) const {
    return cost_.seconds(plan_.meshes[pick.mesh].shape, pick.fill_bytes, {.bytes = bytes, .item_bytes = 8});
  }
  const StreamPlan& plan() const { return plan_; }
  MeshChoice& choice() { return choice_; }

private:
  std::vector<std::int32_t> nodes_;
  StreamPlan plan_;
  MeshCost cost_;
  std::function<double(const Pick&, double)> seconds_;
  MeshChoice choice_;
};

TEST(MeshChoice, FindsTheFastestOfThoseThatTheModelExpectsSomethingOf) {
  // Whatever the factors are by which the model is wrong, no tried mesh is more than a little faster than the
  // pick.
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> wrong;
    for (int mesh = 0; mesh < 4; ++mesh)
      wrong.push_back(std::exp(std::normal_distribution<double>(0, 0.5)(random)));
    const double bytes = std::exp(std::uniform_real_distribution<double>(5, 18)(random));
    Choosing16* self = nullptr;
    Choosing16 job([&](const Pick& pick, double of) { return wrong[pick.mesh] * self->model(pick, of); });
    self = &job;
    job.after(60, bytes);
    const auto rows = job.choice().rows();
    double least = 1e9;
    double picked = 0;
    for (const MeshChoice::Row& row : rows) {
      least = std::min(least, row.seen_seconds.value_or(1e9));
      if (row.note == "picked")
        picked = row.seen_seconds.value();
    }
    EXPECT_LE(picked, 1.04 * least) << "round " << round;
  }
}

TEST(MeshChoice, FollowsALoadThatChangesThoughItHadSettled) {
  Choosing16* self = nullptr;
  Choosing16 job([&](const Pick& pick, double bytes) { return self->model(pick, bytes); });
  self = &job;
  EXPECT_NE(job.plan().meshes[job.after(60, 16 * 8).mesh].shape, Shape{16}) << "an item for each";
  for (const double bytes : {1e3, 1e5, 1e7}) {
    const Pick pick = job.after(10'000, bytes);
    double least = 1e9;
    for (std::size_t mesh = 0; mesh < 4; ++mesh)
      least = std::min(least, job.model({mesh, job.plan().meshes[mesh].fill_bytes}, bytes));
    EXPECT_LE(job.model(pick, bytes), least / 0.85) << bytes << " B";
  }
}

TEST(MeshChoice, TriesAtMostThreeShapes) {
  Choosing16* self = nullptr;
  std::vector<bool> seen(4, false);
  Choosing16 job([&](const Pick& pick, double bytes) {
    seen[pick.mesh] = true;
    return self->model(pick, bytes);
  });
  self = &job;
  job.after(60, 2000);
  EXPECT_LE(std::ranges::count(seen, true), 3);
}

TEST(MeshChoice, ATrialThatIsFarTooSlowEndsAtOnce) {
  Choosing16* self = nullptr;
  int slow_phases = 0;
  Choosing16 job([&](const Pick& pick, double bytes) {
    slow_phases += pick.mesh != 0 ? 1 : 0;
    return self->model(pick, bytes) * (pick.mesh == 0 ? 1 : 100);
  });
  self = &job;
  EXPECT_EQ(job.after(500, 128).mesh, 0U);
  EXPECT_LE(slow_phases, 2);
}

TEST(MeshChoice, APhaseThatSomethingElseDisturbsChangesNothing) {
  Choosing16* self = nullptr;
  std::mt19937 random(2);
  Choosing16 job([&](const Pick& pick, double bytes) {
    return self->model(pick, bytes) * (random() % 3 == 0 ? 50 : 1);
  });
  self = &job;
  const Pick settled = job.after(60, 2000);
  int changes = 0;
  for (int phase = 0; phase < 1000; ++phase)
    changes += job.phase(2000) != settled ? 1 : 0;
  EXPECT_LE(changes, 100) << "of 1000 phases";
}

TEST(MeshChoice, WhatAnEarlierJobHasFoundIsUsedFromTheSecondPhaseOn) {
  int phases = 0;
  Choosing16 job(
      [&](const Pick&, double) {
        ++phases;
        return 1e-3;
      },
      {{.shape = "4x4", .fill_bytes = 8192, .phase_bytes = 3000, .seconds = 1e-3}});
  const Pick second = job.phase(4000);
  EXPECT_EQ(job.plan().meshes[second.mesh].shape, (Shape{4, 4}));
  EXPECT_EQ(second.fill_bytes, 8192U);
  job.after(10, 4000);
  EXPECT_EQ(phases, 1) << "nothing is looked at while it is settled";
  EXPECT_FALSE(job.choice().result()) << "nothing new was found";
}

TEST(MeshChoice, OtherLoadsThanAnEarlierJobsAreTried) {
  Choosing16* self = nullptr;
  Choosing16 job([&](const Pick& pick, double bytes) { return self->model(pick, bytes); },
                 {{.shape = "4x4", .fill_bytes = 8192, .phase_bytes = 128, .seconds = 1e-3}});
  self = &job;
  EXPECT_EQ(job.plan().meshes[job.after(60, 1e7).mesh].shape, Shape{16});
}

TEST(MeshChoice, TellsWhatItFoundOnceSomethingWasCompared) {
  Choosing16* self = nullptr;
  Choosing16 job([&](const Pick& pick, double bytes) { return 2 * self->model(pick, bytes); });
  self = &job;
  job.phase(128);
  EXPECT_FALSE(job.choice().result());
  job.after(60, 128);
  const auto found = job.choice().result();
  ASSERT_TRUE(found);
  EXPECT_EQ(parse_shape(found->shape, 16), job.plan().meshes[job.choice().pick().mesh].shape);
  EXPECT_NEAR(found->phase_bytes, 128, 2);
  EXPECT_NEAR(found->seconds, 2 * job.model(job.choice().pick(), 128), 1e-6);
}

TEST(MeshChoice, RowsSayWhyAMeshWasNotTried) {
  Choosing16* self = nullptr;
  Choosing16 job([&](const Pick& pick, double bytes) { return self->model(pick, bytes); });
  self = &job;
  for (const MeshChoice::Row& row : job.choice().rows())
    EXPECT_TRUE(row.note == "picked" || row.note == "no phase has been seen") << row.note;
  job.after(60, 1e7);
  int picked = 0;
  for (const MeshChoice::Row& row : job.choice().rows()) {
    picked += row.note == "picked" ? 1 : 0;
    EXPECT_TRUE(row.seen_seconds || !row.note.empty());
    EXPECT_GT(row.predicted_seconds, 0);
  }
  EXPECT_EQ(picked, 1);
}

TEST(MeshChoice, AShapeThatWasAskedForStays) {
  const auto nodes = nodes_of(16, 2);
  const StreamPlan plan = plan_stream({.item_bytes = 8, .buffer_bytes = 4096, .shape = "4x4"}, nodes);
  MeshChoice choice(plan, MeshCost(machine::default_machine(), nodes, 1), 8);
  for (int phase = 0; phase < 100; ++phase) {
    EXPECT_FALSE(choice.is_due());
    choice.phase_ended();
  }
}

} // namespace
} // namespace thalweg::streams
