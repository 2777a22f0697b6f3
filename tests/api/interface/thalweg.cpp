// SPDX-License-Identifier: BSD-3-Clause
#include "thalweg/thalweg.h"

#include <gtest/gtest.h>
#include <string>

namespace {

struct Shown {
  thalweg_status status;
  std::string text;
};

Shown show(const char* selection, int rank, thalweg_schedule_format format) {
  char* text = nullptr;
  const thalweg_status status = thalweg_schedule(selection, 4, 0, rank, format, &text);
  Shown shown{status, text == nullptr ? "" : text};
  thalweg_free(text);
  return shown;
}

TEST(Interface, VisitsEveryStrategyUntilToldToStop) {
  int seen = 0;
  const auto count = [](const char*, const char*, const char*, void* context) {
    return ++*static_cast<int*>(context), 0;
  };
  EXPECT_EQ(thalweg_strategies(count, &seen), thalweg_success);
  EXPECT_GT(seen, 1);
  const auto stop = [](const char*, const char*, const char*, void* context) {
    return ++*static_cast<int*>(context);
  };
  int visits = 0;
  EXPECT_EQ(thalweg_strategies(stop, &visits), thalweg_success);
  EXPECT_EQ(visits, 1);
  EXPECT_EQ(thalweg_strategies(nullptr, nullptr), thalweg_error_invalid_argument);
}

TEST(Interface, ShowsAndProvesWhatASelectionMeans) {
  EXPECT_NE(show("alltoall=direct", 1, thalweg_schedule_format_text).text.find("rank 1"), std::string::npos);
  EXPECT_TRUE(show("alltoall=direct", 0, thalweg_schedule_format_dot).text.starts_with("digraph"));
  EXPECT_TRUE(show("alltoall=direct", 0, thalweg_schedule_format_goal).text.starts_with("num_ranks 4"));
  EXPECT_EQ(thalweg_prove("alltoall=direct", 9, 0), thalweg_success);
}

TEST(Interface, SaysWhatItRefuses) {
  const auto refused = [](const char* selection, int rank, thalweg_schedule_format format) {
    const Shown shown = show(selection, rank, format);
    EXPECT_EQ(shown.status, thalweg_error_invalid_argument);
    EXPECT_EQ(shown.text, "");
    return std::string(thalweg_error_message());
  };
  EXPECT_NE(
      refused("alltoall=dirct", 1, thalweg_schedule_format_text).find("no strategy 'dirct' for alltoall"),
      std::string::npos);
  EXPECT_EQ(refused("alltoall=direct", 4, thalweg_schedule_format_text),
            "schedule: rank 4 of 4 ranks; choose 0 to 3");
  EXPECT_EQ(refused("alltoall=direct", -1, thalweg_schedule_format_text),
            "schedule: rank -1 of 4 ranks; choose 0 to 3");
  EXPECT_EQ(refused("alltoall=direct", 0, static_cast<thalweg_schedule_format>(3)),
            "schedule: format 3; choose a thalweg_schedule_format_...");
  EXPECT_EQ(thalweg_schedule("alltoall=direct", 4, 0, 0, thalweg_schedule_format_text, nullptr),
            thalweg_error_invalid_argument);
  EXPECT_EQ(thalweg_prove("alltoall", 4, 0), thalweg_error_invalid_argument);
  EXPECT_NE(std::string(thalweg_error_message()).find("'alltoall'"), std::string::npos);
  EXPECT_EQ(thalweg_prove(nullptr, 4, 0), thalweg_error_invalid_argument);
  EXPECT_EQ(thalweg_prove("alltoall=direct", 0, 0), thalweg_error_invalid_argument);
  EXPECT_STREQ(thalweg_error_message(), "prove: 0 ranks; choose at least 1");
}

} // namespace
