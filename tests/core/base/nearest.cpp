// SPDX-License-Identifier: BSD-3-Clause
#include "base/nearest.hpp"

#include <gtest/gtest.h>

namespace thalweg {
namespace {

TEST(Nearest, PutsTheFewestEditsFirstAndKeepsOrderAmongEquals) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(nearest("rnig", {"direct", "ring", "rang"}, 2), (Names{"ring", "rang"}));
  EXPECT_EQ(nearest("", {"bb", "a", "c"}, 5), (Names{"a", "c", "bb"}));
  EXPECT_TRUE(nearest("x", {}).empty());
}

} // namespace
} // namespace thalweg
