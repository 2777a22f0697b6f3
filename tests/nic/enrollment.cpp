// SPDX-License-Identifier: BSD-3-Clause
#include "nic/enrollment.hpp"

#include "nic/beat.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace thalweg::nic {
namespace {

Enrollment some_enrollment(std::mt19937& random) {
  Enrollment enrollment;
  enrollment.aggregator = static_cast<std::uint32_t>(random());
  enrollment.user = static_cast<std::uint32_t>(random());
  enrollment.group.id = static_cast<std::uint32_t>(random());
  enrollment.group.key = std::uint64_t{random()} << 32 | random();
  enrollment.group.contributors = THALWEG_NIC_CONTRIBUTORS;
  for (int i = 0; i < THALWEG_NIC_CONTRIBUTORS; ++i) {
    enrollment.group.below[i].address = static_cast<std::uint32_t>(random());
    enrollment.ranks[i] = static_cast<std::int32_t>(random());
  }
  return enrollment;
}

TEST(NicEnrollment, WhatIsWrittenIsRead) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const Enrollment enrollment = some_enrollment(random);
    const auto read = read_enrollment(write_enrollment(enrollment));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->aggregator, enrollment.aggregator);
    EXPECT_EQ(read->user, enrollment.user);
    EXPECT_EQ(std::memcmp(&read->group, &enrollment.group, sizeof enrollment.group), 0);
    EXPECT_EQ(std::memcmp(read->ranks, enrollment.ranks, sizeof enrollment.ranks), 0);
    const EnrollmentAnswer enrolled{enrollment.aggregator, enrollment.group.id, enrollment.group.key,
                                    std::string(random() % 100, 'x')};
    const auto answer = read_enrollment_answer(write_enrollment_answer(enrolled));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->aggregator, enrolled.aggregator);
    EXPECT_EQ(answer->group, enrolled.group);
    EXPECT_EQ(answer->key, enrolled.key);
    EXPECT_EQ(answer->reason, enrolled.reason);
  }
}

TEST(NicEnrollment, WhoIsAboveIsAskedAndTold) {
  EXPECT_TRUE(is_spine_question(write_spine_question()));
  EXPECT_FALSE(read_spine_answer(write_spine_question()));
  const auto answer = read_spine_answer(write_spine_answer({0x0100000a}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->spine, 0x0100000aU);
  EXPECT_FALSE(is_spine_question(write_spine_answer({0})));
  EXPECT_FALSE(read_enrollment_answer(write_spine_answer({0})));
}

TEST(NicEnrollment, NothingElseIsRead) {
  std::mt19937 random(2);
  const std::vector<std::byte> question = write_enrollment(some_enrollment(random));
  const std::vector<std::byte> answer = write_enrollment_answer({9, 1, 2, "no\x1b[31m"});
  EXPECT_FALSE(read_enrollment_answer(question));
  EXPECT_FALSE(read_enrollment(answer));
  EXPECT_FALSE(read_beat(question));
  EXPECT_FALSE(read_beat(answer));
  EXPECT_EQ(read_enrollment_answer(answer)->reason, "no?[31m");
  for (std::size_t bytes = 0; bytes < question.size(); ++bytes) {
    const std::vector<std::byte> part(question.begin(),
                                      question.begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_FALSE(read_enrollment(part));
    EXPECT_FALSE(read_enrollment_answer(part));
  }
  std::vector<std::byte> other = question; // of another version
  other[2] ^= std::byte{1};
  EXPECT_FALSE(read_enrollment(other));
}

} // namespace
} // namespace thalweg::nic
