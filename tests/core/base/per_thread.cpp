// SPDX-License-Identifier: BSD-3-Clause

// Memory of each thread begins as what nobody has written to, whatever the memory was before.

#include "base/per_thread.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <thread>

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
