// SPDX-License-Identifier: BSD-3-Clause
#include "tune/parallel.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <string>

namespace thalweg::tune {
namespace {

TEST(ForEachIndex, CallsEveryIndexOnce) {
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    std::vector<std::atomic<int>> calls(count);
    for_each_index(count, [&](std::size_t index) { ++calls[index]; });
    for (const std::atomic<int>& one : calls)
      EXPECT_EQ(one, 1);
  }
}

TEST(ForEachIndex, ThrowsWhatTheSmallestIndexThrew) {
  try {
    for_each_index(100, [](std::size_t index) {
      if (index % 7 == 3)
        throw std::runtime_error(std::to_string(index));
    });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "3");
  }
}

} // namespace
} // namespace thalweg::tune
