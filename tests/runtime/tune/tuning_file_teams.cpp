// SPDX-License-Identifier: BSD-3-Clause

// Picks of teams' calls in the tuning file: each mode has its own.

#include "base/error.hpp"
#include "tune/tuning_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace thalweg::tune {
namespace {

Pick pick_of(const std::string& use, std::string_view mode) {
  Pick pick{"allreduce",
            4,
            2,
            64,
            strategies::parse_implementation(use, *strategies::find_call("allreduce")),
            1e-6,
            2e-6,
            21,
            "tune"};
  pick.mode = mode;
  return pick;
}

machine::Fingerprint machine_named(const std::string& name) {
  return {name, 2, "none", "6.1", "Open MPI v4.1.4", "default", 1, "2"};
}

TEST(TuningFileOfTeams, EachModeHasAPickOfItsOwn) {
  Tuning tuning{machine_named("here"), {pick_of("ring", "")}};
  for (const std::string_view mode : modes)
    tuning.of_teams.push_back(pick_of(mode.starts_with("all") ? "ring" : "recursive_doubling", mode));
  TuningFile file;
  merge(file, tuning);
  const TuningFile read = parse_tuning(to_text(file), "file");
  ASSERT_EQ(read.size(), 1U);
  ASSERT_EQ(read.front().of_teams.size(), modes.size());
  EXPECT_EQ(read.front().picks.size(), 1U);
  EXPECT_TRUE(read.front().picks.front().mode.empty());
  for (const Pick& pick : read.front().of_teams)
    EXPECT_EQ(strategies::to_text(pick.use), pick.mode.starts_with("all") ? "ring" : "recursive_doubling");
  EXPECT_EQ(to_text(read), to_text(file));
}

TEST(TuningFileOfTeams, NewerPicksReplaceThoseOfTheirModeAlone) {
  TuningFile file;
  merge(file, {.machine = machine_named("here"),
               .picks = {},
               .of_teams = {pick_of("ring", "mine-mine"), pick_of("ring", "all-all")}});
  merge(file, {.machine = machine_named("here"), .picks = {}, .of_teams = {pick_of("native", "all-all")}});
  const std::vector<Pick>& found = file.front().of_teams;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(strategies::to_text(found[0].use), "native");
  EXPECT_EQ(found[0].mode, "all-all");
  EXPECT_EQ(strategies::to_text(found[1].use), "ring");
}

TEST(TuningFileOfTeams, RefusesModesThatAreNone) {
  const std::string text =
      to_text({{.machine = machine_named("here"), .picks = {}, .of_teams = {pick_of("ring", "mine-mine")}}});
  const auto with = [&](const std::string& mode) {
    std::string changed = text;
    const std::size_t begin = changed.find("mode = ");
    return changed.replace(begin, changed.find('\n', begin) - begin, mode);
  };
  EXPECT_NO_THROW(parse_tuning(with("mode = \"all-none\""), "file"));
  for (const char* const wrong : {"", "mode = \"\"", "mode = \"strict\"", "mode = 3"})
    EXPECT_THROW(parse_tuning(with(wrong), "file"), Error) << wrong;
  std::string of_mpi = text;
  of_mpi.replace(of_mpi.find("team_allreduce"), 14, "allreduce");
  EXPECT_THROW(parse_tuning(of_mpi, "file"), Error) << "a mode of MPI's call";
}

} // namespace
} // namespace thalweg::tune
