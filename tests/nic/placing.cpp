#include "nic/placing.hpp"

#include "nic/beat.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace thalweg::nic {
namespace {

Placing some_placing(std::mt19937& random) {
  Placing placing;
  placing.user = static_cast<std::uint32_t>(random());
  placing.group.id = static_cast<std::uint32_t>(random());
  placing.group.key = std::uint64_t{random()} << 32 | random();
  placing.group.contributors = THALWEG_NIC_CONTRIBUTORS;
  for (int i = 0; i < THALWEG_NIC_CONTRIBUTORS; ++i) {
    placing.group.below[i].address = static_cast<std::uint32_t>(random());
    placing.ranks[i] = static_cast<std::int32_t>(random());
  }
  return placing;
}

TEST(NicPlacing, WhatIsWrittenIsRead) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const Placing placing = some_placing(random);
    const auto read = read_placing(write_placing(placing));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->user, placing.user);
    EXPECT_EQ(std::memcmp(&read->group, &placing.group, sizeof placing.group), 0);
    EXPECT_EQ(std::memcmp(read->ranks, placing.ranks, sizeof placing.ranks), 0);
    const Placed placed{placing.group.id, placing.group.key, std::string(random() % 100, 'x')};
    const auto answer = read_placed(write_placed(placed));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->group, placed.group);
    EXPECT_EQ(answer->key, placed.key);
    EXPECT_EQ(answer->reason, placed.reason);
  }
}

TEST(NicPlacing, NothingElseIsRead) {
  std::mt19937 random(2);
  const std::vector<std::byte> question = write_placing(some_placing(random));
  const std::vector<std::byte> answer = write_placed({1, 2, "no\x1b[31m"});
  EXPECT_FALSE(read_placed(question));
  EXPECT_FALSE(read_placing(answer));
  EXPECT_FALSE(read_beat(question));
  EXPECT_FALSE(read_beat(answer));
  EXPECT_EQ(read_placed(answer)->reason, "no?[31m");
  for (std::size_t bytes = 0; bytes < question.size(); ++bytes) {
    const std::vector<std::byte> part(question.begin(),
                                      question.begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_FALSE(read_placing(part));
    EXPECT_FALSE(read_placed(part));
  }
  std::vector<std::byte> other = question; // of another version
  other[2] ^= std::byte{1};
  EXPECT_FALSE(read_placing(other));
}

} // namespace
} // namespace thalweg::nic
