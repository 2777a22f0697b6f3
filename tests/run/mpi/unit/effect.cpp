// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/choose/effect.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

namespace thalweg::mpi {
namespace {

using strategies::Implementation;

Implementation implementation(std::string_view text) {
  return strategies::parse_selection("broadcast=" + std::string(text)).implementation;
}

// Whether the library was told is read from a variable that `thalweg run` sets.
class Effect : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    if (GetParam())
      ::setenv("THALWEG_OWN_SETTINGS", "OMPI_MCA_mtl,OMPI_MCA_coll_tuned_use_dynamic_rules", 1);
    else
      ::unsetenv("THALWEG_OWN_SETTINGS");
  }
  void TearDown() override { ::unsetenv("THALWEG_OWN_SETTINGS"); }
};

TEST_P(Effect, OfStrategiesAndNativeIsWhatWasChosen) {
  for (const char* text : {"native", "knomial", "chain:segment=8KiB"})
    EXPECT_EQ(in_effect(implementation(text), implementation("flat")), implementation(text)) << text;
}

TEST_P(Effect, OfTheLibrarysAlgorithmsNeedsThatItWasTold) {
  const Implementation pipeline = implementation("library:pipeline");
  EXPECT_EQ(in_effect(pipeline, implementation("knomial")),
            implementation(GetParam() ? "native" : "knomial"));
  EXPECT_EQ(in_effect(pipeline, std::nullopt), implementation("native"));
}

TEST(Effects, AreMissedWithALine) {
  const auto selections =
      strategies::parse_selections("broadcast=library:pipeline;alltoall=direct;reduce=native");
  EXPECT_TRUE(without_effect(selections, true).empty());
  const std::vector<std::string> untold = without_effect(selections, false);
  ASSERT_EQ(untold.size(), 1U);
  EXPECT_TRUE(untold[0].starts_with("broadcast=library:pipeline takes no effect: the library was not told"));
}

INSTANTIATE_TEST_SUITE_P(ToldOrNot, Effect, testing::Bool());

} // namespace
} // namespace thalweg::mpi
