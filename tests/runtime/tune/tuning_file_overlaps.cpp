// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "tune/tuning_file.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>

namespace thalweg::tune {
namespace {

machine::Fingerprint machine_named(const std::string& name) {
  return {name, 2, "none", "6.1", "Open MPI v4.1.4", "default", 1, "2"};
}

Pick pick_of(const std::string& call, std::int64_t bytes, const std::string& use) {
  return {call, 2,    1,  bytes, strategies::parse_implementation(use, *strategies::find_call(call)),
          1e-6, 2e-6, 21, "tune"};
}

TEST(TuningFileOverlaps, NonblockingCallsHavePicksOfTheirOwn) {
  TuningFile file;
  const Pick blocking = pick_of("allreduce", 8, "ring");
  merge(file, {machine_named("one"), {blocking}, {}, {pick_of("allreduce", 8, "swing")}});
  merge(file, {machine_named("one"), {}, {}, {pick_of("allreduce", 8, "nic"), pick_of("bcast", 8, "nic")}});
  const Tuning read = parse_tuning(to_text(file), "again").front();
  ASSERT_EQ(read.picks.size(), 1U);
  EXPECT_EQ(read.picks.front().use, blocking.use);
  ASSERT_EQ(read.nonblocking.size(), 2U);
  EXPECT_EQ(strategies::to_text(read.nonblocking[0].use), "nic");
  EXPECT_EQ(read.nonblocking[1].call, "broadcast");
  EXPECT_EQ(to_text({read}), to_text(file));
}

TEST(TuningFileOverlaps, NonblockingCallsHaveTheFiguresThatTheyWereChosenBy) {
  TuningFile file;
  Pick pick = pick_of("alltoall", 64, "bruck");
  pick.objective = "overlap";
  pick.overlaps = {{1e-6, 2e-6, 3e-6}, {4e-6, 5e-6, 6e-6}};
  merge(file, {machine_named("one"), {}, {}, {pick, pick_of("alltoall", 8, "bruck")}});
  const std::string text = to_text(file);
  const TuningFile again = parse_tuning(text, "again");
  EXPECT_EQ(to_text(again), text);
  ASSERT_EQ(again.front().nonblocking.size(), 2U);
  const Pick& old = again.front().nonblocking[0];
  const Pick& measured = again.front().nonblocking[1];
  ASSERT_TRUE(measured.overlaps);
  EXPECT_DOUBLE_EQ(measured.overlaps->pick.exposed, 1e-6);
  EXPECT_DOUBLE_EQ(measured.overlaps->pick.completion, 3e-6);
  EXPECT_DOUBLE_EQ(measured.overlaps->native.lost, 5e-6);
  EXPECT_EQ(measured.objective, "overlap");
  EXPECT_FALSE(old.overlaps) << "of older files they are not known";
  EXPECT_EQ(old.objective, "");
  for (const auto& [whole, damaged] :
       {std::pair("objective = 'overlap'", "objective = 'watts'"), std::pair("native_lost = \"5 us\"", ""),
        std::pair("completion = \"3 us\"", "completion = \"3 pounds\"")}) {
    std::string wrong = text;
    const std::size_t place = wrong.find(whole);
    ASSERT_NE(place, std::string::npos) << whole << text;
    wrong.replace(place, std::string_view(whole).size(), damaged);
    EXPECT_THROW(parse_tuning(wrong, "wrong"), Error) << damaged;
  }
}

} // namespace
} // namespace thalweg::tune
