// SPDX-License-Identifier: BSD-3-Clause
#include "same_bits.hpp"

#include <gtest/gtest.h>

namespace thalweg::simulate {
namespace {

// Compiled as tests are here; test_same_bits.py compiles it without and with all optimization.
TEST(SameBits, OfAllThatIsSimulated) {
  EXPECT_EQ(bits_of_all(), known_bits);
  EXPECT_EQ(bits_of_all(), known_bits);
}

} // namespace
} // namespace thalweg::simulate
