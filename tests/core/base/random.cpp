// SPDX-License-Identifier: BSD-3-Clause
#include "base/random.hpp"

#include <gtest/gtest.h>

namespace thalweg {
namespace {

// RFC 9923, appendix: what every process has to find.
TEST(TextHash, IsFnv1a) {
  static_assert(text_hash("") == 0xcbf29ce484222325);
  EXPECT_EQ(text_hash("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(text_hash("foobar"), 0x85944171f73967e8U);
  EXPECT_EQ(text_hash("bar", text_hash("foo")), text_hash("foobar"));
}

TEST(TextHash, KnowsWhereTextsEnd) {
  EXPECT_NE(ended_text_hash("c", ended_text_hash("ab")), ended_text_hash("bc", ended_text_hash("a")));
}

} // namespace
} // namespace thalweg
