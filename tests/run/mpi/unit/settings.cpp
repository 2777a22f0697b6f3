// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/state/settings.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string_view>

namespace thalweg::mpi {
namespace {

TEST(Settings, AreDefaultsWithoutVariables) {
  const Settings settings = parse_settings("");
  EXPECT_FALSE(settings.disabled);
  EXPECT_TRUE(settings.use.empty());
  EXPECT_EQ(settings.wait_mode, WaitMode::automatic);
  EXPECT_FALSE(wants_report(settings));
  EXPECT_TRUE(settings.warnings.empty());
}

TEST(Settings, ReadEveryVariable) {
  const Settings settings = parse_settings("THALWEG_DISABLE=1\n"
                                           "THALWEG_USE=alltoall=mesh2d;allreduce=ring:segment=64KiB\n"
                                           "THALWEG_WAIT=yield\n"
                                           "THALWEG_POLL_US=5\nTHALWEG_YIELD_US=70\nTHALWEG_SLEEP_US=900\n"
                                           "THALWEG_REPORT=out.json\nTHALWEG_SUMMARY=1\n"
                                           "THALWEG_PROGRESS_THREAD=1\nTHALWEG_VERBOSE=1\n");
  EXPECT_TRUE(settings.disabled);
  EXPECT_EQ(settings.use, "alltoall=mesh2d;allreduce=ring:segment=64KiB");
  EXPECT_EQ(settings.wait_mode, WaitMode::yield);
  EXPECT_EQ(settings.waiting.poll_us, 5U);
  EXPECT_EQ(settings.waiting.yield_us, 70U);
  EXPECT_EQ(settings.waiting.sleep_us_max, 900U);
  EXPECT_EQ(settings.report, "out.json");
  EXPECT_TRUE(settings.summary);
  EXPECT_TRUE(settings.progress_thread);
  EXPECT_TRUE(settings.verbose);
  EXPECT_TRUE(wants_report(settings));
}

TEST(Settings, WarnWithARemedyAndKeepTheDefault) {
  const Settings settings =
      parse_settings("THALWEG_WAIT=sometimes\nTHALWEG_POLL_US=-3\nTHALWEG_SUMMARY=yes\n");
  ASSERT_EQ(settings.warnings.size(), 3U);
  EXPECT_EQ(settings.warnings[0],
            "THALWEG_WAIT='sometimes' is not understood and ignored; use auto, yield or spin");
  EXPECT_EQ(settings.warnings[1],
            "THALWEG_POLL_US='-3' is not understood and ignored; use whole microseconds up to 60000000");
  EXPECT_EQ(settings.warnings[2], "THALWEG_SUMMARY='yes' is not understood and ignored; use 0 or 1");
  EXPECT_EQ(settings.wait_mode, WaitMode::automatic);
  EXPECT_EQ(settings.waiting.poll_us, wait::Settings{}.poll_us);
}

TEST(Settings, TakeNumbersUpToTheCommandsLimits) {
  for (const char* name : {"THALWEG_POLL_US", "THALWEG_YIELD_US", "THALWEG_SLEEP_US"}) {
    EXPECT_TRUE(parse_settings(fmt::format("{}=60000000", name)).warnings.empty()) << name;
    EXPECT_EQ(parse_settings(fmt::format("{}=60000001", name)).warnings.size(), 1U) << name;
  }
  EXPECT_EQ(parse_settings("THALWEG_LEARN_BUDGET=100").learn_budget_percent, 100U);
  EXPECT_EQ(parse_settings("THALWEG_LEARN_BUDGET=101").warnings.size(), 1U);
}

TEST(Settings, SleepIsNeverShorterAtMostThanAtLeast) {
  const Settings settings = parse_settings("THALWEG_SLEEP_US=5\n");
  EXPECT_EQ(settings.waiting.sleep_us_max, 5U);
  EXPECT_LE(settings.waiting.sleep_us_min, settings.waiting.sleep_us_max);
}

TEST(Settings, ReadTheFormerNameOfTheWaitMode) {
  EXPECT_EQ(parse_settings("THALWEG_POLITE=always\n").wait_mode, WaitMode::yield);
  EXPECT_EQ(parse_settings("THALWEG_POLITE=never\n").wait_mode, WaitMode::spin);
  EXPECT_EQ(parse_settings("THALWEG_WAIT=never\n").warnings.size(), 1U);
  const auto environment = [](const char* name) -> const char* {
    const std::string_view asked = name;
    return asked == "THALWEG_POLITE" ? "always" : asked == "THALWEG_WAIT" ? "spin" : nullptr;
  };
  EXPECT_EQ(parse_settings(settings_text(environment)).wait_mode, WaitMode::spin) << "the new name wins";
}

TEST(Settings, IgnoreUnknownVariables) {
  EXPECT_TRUE(parse_settings("THALWEG_FUTURE=1\n").warnings.empty());
}

TEST(Settings, TravelAsText) {
  const auto environment = [](const char* name) -> const char* {
    const std::string_view asked = name;
    return asked == "THALWEG_USE"       ? "bcast=chain\nTHALWEG_DISABLE=1"
           : asked == "THALWEG_POLL_US" ? "7"
                                        : nullptr;
  };
  const Settings settings = parse_settings(settings_text(environment));
  EXPECT_EQ(settings.use, "bcast=chain THALWEG_DISABLE=1") << "a value must not become a line of its own";
  EXPECT_EQ(settings.waiting.poll_us, 7U);
  EXPECT_FALSE(settings.disabled);
}

TEST(UserSettings, AreNeitherThalwegsNorTheLaunchers) {
  const std::vector<std::pair<const char*, const char*>> variables{
      {"MPIR_CVAR_CH3_INTERFACE_HOSTNAME", "n1"},
      {"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
      {"OMPI_MCA_mpi_yield_when_idle", "1"},
      {"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial"}};
  for (const auto& [name, value] : variables)
    ::setenv(name, value, 1);
  ::setenv("THALWEG_OWN_SETTINGS", "OMPI_MCA_coll_tuned_use_dynamic_rules,OMPI_MCA_mpi_yield_when_idle", 1);
  EXPECT_EQ(user_settings(), std::vector<std::string>{"MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial"});
  EXPECT_TRUE(library_has_rules());
  ::setenv("THALWEG_OWN_SETTINGS", "OMPI_MCA_mpi_yield_when_idle", 1);
  EXPECT_EQ(user_algorithms().size(), 2U);
  EXPECT_FALSE(library_has_rules());
  ::unsetenv("THALWEG_OWN_SETTINGS");
  for (const auto& [name, value] : variables)
    ::unsetenv(name);
}

} // namespace
} // namespace thalweg::mpi
