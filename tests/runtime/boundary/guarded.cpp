// SPDX-License-Identifier: BSD-3-Clause
#include "boundary/guarded.hpp"

#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

namespace {

using namespace thalweg;
using boundary::Caller;
using boundary::guarded;

constexpr Caller caller{.call = "allreduce", .rank = 2, .ranks = 5};

template <typename Thrown>
thalweg_status status_of(const Thrown& thrown) {
  return guarded(caller, [&] { throw thrown; });
}

TEST(Guarded, KeepsStatusCallRankAndRemedyOfAnError) {
  EXPECT_EQ(status_of(Error("7 apples", "take 6", thalweg_error_unsupported)), thalweg_error_unsupported);
  const thalweg_error& kept = *thalweg_last_error();
  EXPECT_EQ(kept.status, thalweg_error_unsupported);
  EXPECT_STREQ(kept.call, "allreduce");
  EXPECT_EQ(kept.rank, 2);
  EXPECT_STREQ(kept.remedy, "take 6");
  EXPECT_STREQ(kept.message, "allreduce on rank 2 of 5: 7 apples; take 6");
  EXPECT_STREQ(thalweg_error_message(), kept.message);
}

TEST(Guarded, LeavesRanksOutWhereNoneAreConcerned) {
  EXPECT_EQ(guarded({.call = "prove"}, [] { throw Error("0 ranks", "choose at least 1"); }),
            thalweg_error_invalid_argument);
  EXPECT_STREQ(thalweg_error_message(), "prove: 0 ranks; choose at least 1");
  EXPECT_EQ(thalweg_last_error()->rank, -1);
}

TEST(Guarded, GivesEveryExceptionAStatus) {
  EXPECT_EQ(status_of(std::bad_alloc()), thalweg_error_out_of_memory);
  EXPECT_NE(std::string(thalweg_error_message()).find("not enough memory"), std::string::npos);
  EXPECT_EQ(status_of(std::system_error(ENOSPC, std::generic_category())), thalweg_error_system);
  EXPECT_NE(std::string(thalweg_error_message()).find("No space left"), std::string::npos);
  EXPECT_EQ(status_of(std::out_of_range("index 9")), thalweg_error_internal);
  EXPECT_NE(std::string(thalweg_error_message()).find("index 9; this is a defect of Thalweg"),
            std::string::npos);
  EXPECT_EQ(status_of(42), thalweg_error_internal);
}

TEST(Guarded, SuccessLeavesTheLastErrorAlone) {
  status_of(Error("the last", ""));
  EXPECT_EQ(guarded(caller, [] {}), thalweg_success);
  EXPECT_STREQ(thalweg_error_message(), "allreduce on rank 2 of 5: the last");
}

TEST(Guarded, CutsTextsThatAreTooLong) {
  status_of(Error(std::string(5000, 'x'), std::string(5000, 'y')));
  EXPECT_EQ(std::string(thalweg_error_message()).size(), 2047U);
  EXPECT_EQ(std::string(thalweg_last_error()->remedy).size(), 511U);
}

TEST(LastError, BelongsToItsThread) {
  status_of(Error("of the first thread", ""));
  std::thread([] {
    EXPECT_EQ(thalweg_last_error()->status, thalweg_success);
    EXPECT_STREQ(thalweg_error_message(), "");
  }).join();
  EXPECT_EQ(thalweg_last_error()->status, thalweg_error_invalid_argument);
}

TEST(Status, HasANameForEveryNumber) {
  EXPECT_STREQ(thalweg_status_name(thalweg_success), "success");
  EXPECT_STREQ(thalweg_status_name(thalweg_error_mismatch), "ranks made different calls");
  for (int number = 0; number <= thalweg_error_handler; ++number)
    EXPECT_STRNE(thalweg_status_name(static_cast<thalweg_status>(number)), "unknown status") << number;
  EXPECT_STREQ(thalweg_status_name(static_cast<thalweg_status>(thalweg_error_handler + 1)), "unknown status");
}

} // namespace
