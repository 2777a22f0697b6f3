// SPDX-License-Identifier: BSD-3-Clause
#include "base/of_process.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

namespace thalweg {

namespace {

struct Counted {
  Counted() { ++made; }
  ~Counted() { ++destroyed; }
  static inline int made = 0;
  static inline int destroyed = 0;
};

TEST(OfProcess, IsMadeOnceAndNeverDestroyed) {
  EXPECT_EQ(&of_process<Counted>(), &of_process<Counted>());
  EXPECT_EQ(Counted::made, 1);
  EXPECT_EQ(Counted::destroyed, 0);
}

TEST(KeptText, IsOneForEqualTextsOfAllThreads) {
  std::vector<std::vector<const char*>> kept(4);
  {
    std::vector<std::jthread> threads;
    for (auto& own : kept)
      threads.emplace_back([&own] {
        for (int i = 0; i < 1000; ++i)
          own.push_back(kept_text("text " + std::to_string(i % 100)));
      });
  }
  for (const auto& own : kept) {
    EXPECT_EQ(own, kept.front());
    EXPECT_EQ(std::set(own.begin(), own.end()).size(), 100U);
  }
  EXPECT_STREQ(kept.front()[42], "text 42");
}

} // namespace

} // namespace thalweg

namespace {

using namespace thalweg;

struct Remembered {
  const void* handle;
  bool is_valid;
};
using Places = std::array<Remembered, 100>;

bool is_unwritten(const Places& places) {
  return std::ranges::none_of(places,
                              [](const Remembered& one) { return one.handle != nullptr || one.is_valid; });
}

TEST(PerThread, BeginsUnwritten) {
  constexpr int trials = 100;
  for (int trial = 0; trial < trials; ++trial)
    std::thread([] {
      // The allocator of this thread gives out again what it was given back last.
      auto* const used = new unsigned char[sizeof(Places)];
      std::fill_n(static_cast<volatile unsigned char*>(used), sizeof(Places), 0xFF);
      delete[] used;
      EXPECT_TRUE(is_unwritten(PerThread<Places>::here()));
      Places& own = PerThread<Places>::own();
      EXPECT_TRUE(is_unwritten(own));
      EXPECT_EQ(&PerThread<Places>::here(), &own);
      own.fill({&own, true});
    }).join();
  EXPECT_TRUE(is_unwritten(PerThread<Places>::here()));
}

} // namespace
