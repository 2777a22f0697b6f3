// SPDX-License-Identifier: BSD-3-Clause
#include "base/units.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

namespace thalweg {
namespace {

TEST(Units, ReadsWholeNumbersWithBinaryUnits) {
  EXPECT_EQ(parse_bytes("0"), 0);
  EXPECT_EQ(parse_bytes("4096"), 4096);
  EXPECT_EQ(parse_bytes("64KiB"), 65536);
  EXPECT_EQ(parse_bytes("64k"), 65536);
  EXPECT_EQ(parse_bytes("2 MiB"), 2 << 20);
}

TEST(Units, RefusesEverythingElseWithARemedy) {
  for (const char* text :
       {"", "KiB", "-1", "1.5KiB", "10 parsecs", "99999999999999999999", "9223372036854775807KiB"})
    EXPECT_THROW(parse_bytes(text), Error) << text;
}

TEST(Units, FormatsWhatItReads) {
  for (const std::int64_t bytes : {0LL, 8LL, 1023LL, 65536LL, 1LL << 30})
    EXPECT_EQ(parse_bytes(format_bytes(bytes)), bytes);
}

} // namespace
} // namespace thalweg
