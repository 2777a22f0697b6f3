#include "thalweg/thalweg.h"

#include <gtest/gtest.h>
#include <string>

namespace {

struct Text {
  explicit Text(char* text) : value(text == nullptr ? "" : text) { thalweg_free(text); }
  std::string value;
};

TEST(Interface, VisitsEveryStrategyUntilToldToStop) {
  int seen = 0;
  const auto count = [](const char*, const char*, const char*, void* context) {
    return ++*static_cast<int*>(context), 0;
  };
  EXPECT_EQ(thalweg_strategies(count, &seen), 0);
  EXPECT_GT(seen, 1);
  const auto stop = [](const char*, const char*, const char*, void*) { return 7; };
  EXPECT_EQ(thalweg_strategies(stop, nullptr), 7);
}

TEST(Interface, ShowsAndProvesWhatASelectionMeans) {
  EXPECT_NE(Text(thalweg_schedule("alltoall=direct", 4, 0, 1, thalweg_form_text)).value.find("rank 1"),
            std::string::npos);
  EXPECT_TRUE(
      Text(thalweg_schedule("alltoall=direct", 4, 0, 0, thalweg_form_dot)).value.starts_with("digraph"));
  EXPECT_TRUE(
      Text(thalweg_schedule("alltoall=direct", 4, 0, 0, thalweg_form_goal)).value.starts_with("num_ranks 4"));
  EXPECT_EQ(thalweg_prove("alltoall=direct", 9, 0), 0);
}

TEST(Interface, SaysWhatItRefuses) {
  EXPECT_EQ(thalweg_schedule("alltoall=dirct", 4, 0, 1, thalweg_form_text), nullptr);
  EXPECT_NE(std::string(thalweg_error()).find("no strategy 'dirct' for alltoall"), std::string::npos);
  EXPECT_EQ(thalweg_prove("alltoall", 4, 0), -1);
  EXPECT_NE(std::string(thalweg_error()).find("'alltoall'"), std::string::npos);
  EXPECT_EQ(thalweg_prove(nullptr, 4, 0), -1);
  EXPECT_EQ(thalweg_prove("alltoall=direct", 0, 0), -1);
  EXPECT_EQ(std::string(thalweg_error()), "0 ranks; choose at least 1");
}

} // namespace
