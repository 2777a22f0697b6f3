// SPDX-License-Identifier: BSD-3-Clause
#include "boundary/sized.hpp"

#include "base/error.hpp"
#include "thalweg/version.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>

namespace {

struct Fruit {
  std::size_t size = sizeof(Fruit);
  int apples = 1;
  int pears = 2;
  double weight = 0.5;
  int last = 7;
};

} // namespace

template <>
struct thalweg::boundary::Known<Fruit> {
  static constexpr const char* name = "fruit";
  static constexpr const char* initializer = "FRUIT_INIT";
  static constexpr std::size_t ends[] = {12, 16, 24, 28};
};

namespace thalweg::boundary {

namespace {

/// A structure of a later version.
struct Later {
  Fruit fruit;
  std::array<char, 24> more{};
};

std::string refusal(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Sized, ReadsWhatAProgramKnows) {
  const Fruit given{.apples = 10, .pears = 20, .weight = 30, .last = 40};
  for (const std::size_t size : {8, 12, 16, 24, 28, 32}) {
    Fruit prefix = given;
    prefix.size = size;
    const Fruit whole = sized(prefix);
    EXPECT_EQ(whole.size, sizeof whole);
    EXPECT_EQ(whole.apples, size >= 12 ? 10 : 1);
    EXPECT_EQ(whole.pears, size >= 16 ? 20 : 2);
    EXPECT_EQ(whole.weight, size >= 24 ? 30 : 0.5);
    EXPECT_EQ(whole.last, size >= 28 ? 40 : 7);
  }
  EXPECT_EQ(sized(static_cast<const Fruit*>(nullptr)).pears, 2);
}

TEST(Sized, DoesNotCopyWhatIsWhole) {
  const Fruit given;
  std::optional<Fruit> room;
  EXPECT_EQ(&sized(given, room), &given);
  const Fruit shorter{.size = 12};
  const Fruit& whole = sized(shorter, room);
  EXPECT_EQ(&whole, &*room);
}

TEST(Sized, RefusesSizesOfNoVersion) {
  for (const std::size_t size : {0, 4, 7, 9, 13, 20, 26, 30}) {
    Fruit given{.size = size};
    EXPECT_EQ(refusal([&] { sized(given); }),
              "a fruit with a size of " + std::to_string(size) + "; begin with FRUIT_INIT");
    EXPECT_NE(refusal([&] { must_take_result(&given); }), "");
  }
  const Fruit never_set{.size = 0x7f00deadbeef};
  EXPECT_NE(refusal([&] { sized(never_set); }), "");
}

TEST(Sized, PassesOverWhatALaterVersionDoesNotAskFor) {
  Later later;
  later.fruit.size = sizeof later;
  later.fruit.pears = 5;
  EXPECT_EQ(sized(later.fruit).pears, 5);
  later.more.back() = 1;
  EXPECT_NE(refusal([&] { sized(later.fruit); }).find("compiled for a later version"), std::string::npos);
}

TEST(Sized, WritesNoMoreThanAProgramKnows) {
  const Fruit found{.apples = 10, .pears = 20, .weight = 30, .last = 40};
  for (const std::size_t size : {8, 12, 16, 24, 28, 32, 56}) {
    Later to;
    std::memset(static_cast<void*>(&to), 0x5a, sizeof to);
    to.fruit.size = size;
    give_result(found, &to.fruit);
    const std::size_t written = std::min(size, sizeof found);
    EXPECT_EQ(to.fruit.size, written);
    const auto* const bytes = reinterpret_cast<const char*>(&to);
    EXPECT_EQ(std::memcmp(bytes + sizeof size, reinterpret_cast<const char*>(&found) + sizeof size,
                          written - sizeof size),
              0);
    for (std::size_t at = written; at < sizeof to; ++at)
      EXPECT_EQ(bytes[at], 0x5a) << at;
  }
  give_result(found, static_cast<Fruit*>(nullptr));
  must_take_result(static_cast<const Fruit*>(nullptr));
}

TEST(Version, OtherHeadersAreRefused) {
  EXPECT_NO_THROW(must_fit(THALWEG_HEADER_VERSION));
  for (const int other : {THALWEG_HEADER_VERSION - 1, THALWEG_HEADER_VERSION + 1, 1000}) {
    const std::string text = refusal([&] { must_fit(other); });
    const std::string version = std::to_string(other / 1000) + "." + std::to_string(other % 1000);
    EXPECT_NE(text.find("headers of Thalweg " + version), std::string::npos) << text;
    EXPECT_NE(text.find("compile the program again"), std::string::npos) << text;
  }
  EXPECT_NE(refusal(refuse_first_version).find("headers of Thalweg 0.1"), std::string::npos);
}

} // namespace

} // namespace thalweg::boundary
