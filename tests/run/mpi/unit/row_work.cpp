// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/row_work.hpp"

#include <gtest/gtest.h>

namespace thalweg::mpi {
namespace {

TEST(RowWork, IsWhatTheProcessorDidInCalls) {
  RowWork work;
  work.arrived(0); // transitions do not count
  work.departed(5);
  work.begin(100);
  work.arrived(10);
  work.departed(12); // 2 in a call,
  work.arrived(15);  // 3 between calls,
  work.departed(19); // 1 in a call, and 3 waiting there without the processor
  work.end(106);
  work.arrived(20);
  work.departed(30);
  EXPECT_EQ(work.seconds(), 3);
}

TEST(RowWork, IsNotLessThanNothing) {
  RowWork work;
  EXPECT_EQ(work.seconds(), 0);
  work.begin(1);
  work.arrived(0);
  work.departed(1);
  work.arrived(100); // it waited between the calls
  work.departed(101);
  work.end(3);
  EXPECT_EQ(work.seconds(), 0);
}

} // namespace
} // namespace thalweg::mpi
