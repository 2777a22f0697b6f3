// SPDX-License-Identifier: BSD-3-Clause
#include "boundary/request.hpp"

#include "base/error.hpp"

#include <array>
#include <gtest/gtest.h>

namespace {

/// Finishes at the third look; fails at that where it is told so.
class Counted final : public thalweg_request {
public:
  explicit Counted(int& living, bool fails = false) : thalweg_request(1, 4), living_(living), fails_(fails) {
    ++living_;
  }
  ~Counted() override { --living_; }
  bool test() override {
    if (++looks_ == 3 && fails_)
      throw thalweg::Error("the third look fails", "look twice", thalweg_error_system);
    return looks_ >= 3;
  }
  void wait() override {
    while (!test()) {
    }
  }

private:
  int& living_;
  bool fails_;
  int looks_ = 0;
};

TEST(Request, IsTestedUntilItHasFinishedAndThenFreed) {
  int living = 0;
  thalweg_request* request = new Counted(living);
  int finished = 1;
  EXPECT_EQ(thalweg_request_test(&request, &finished), thalweg_success);
  EXPECT_EQ(finished, 0);
  EXPECT_NE(request, nullptr);
  EXPECT_EQ(thalweg_request_test(&request, &finished), thalweg_success);
  EXPECT_EQ(finished, 0);
  EXPECT_EQ(thalweg_request_test(&request, &finished), thalweg_success);
  EXPECT_EQ(finished, 1);
  EXPECT_EQ(request, nullptr);
  EXPECT_EQ(living, 0);
}

TEST(Request, NullHasFinished) {
  thalweg_request* request = nullptr;
  int finished = 0;
  EXPECT_EQ(thalweg_request_test(&request, &finished), thalweg_success);
  EXPECT_EQ(finished, 1);
  EXPECT_EQ(thalweg_request_wait(&request), thalweg_success);
  EXPECT_EQ(thalweg_request_free(&request), thalweg_success);
  EXPECT_EQ(thalweg_request_wait_all(0, nullptr), thalweg_success);
}

TEST(Request, SeveralAreWaitedForInTurn) {
  int living = 0;
  std::array<thalweg_request*, 3> requests{new Counted(living), nullptr, new Counted(living)};
  EXPECT_EQ(thalweg_request_wait_all(requests.size(), requests.data()), thalweg_success);
  EXPECT_EQ(living, 0);
  for (const thalweg_request* request : requests)
    EXPECT_EQ(request, nullptr);
}

TEST(Request, AFailureNamesTheRankAndLeavesTheRest) {
  int living = 0;
  std::array<thalweg_request*, 3> requests{new Counted(living), new Counted(living, true),
                                           new Counted(living)};
  EXPECT_EQ(thalweg_request_wait_all(requests.size(), requests.data()), thalweg_error_system);
  EXPECT_STREQ(thalweg_error_message(), "wait_all on rank 1 of 4: the third look fails; look twice");
  EXPECT_EQ(requests[0], nullptr);
  EXPECT_NE(requests[1], nullptr);
  EXPECT_EQ(living, 2);
  EXPECT_EQ(thalweg_request_free(&requests[1]), thalweg_success);
  EXPECT_EQ(thalweg_request_wait(&requests[2]), thalweg_success);
  EXPECT_EQ(living, 0);
}

TEST(Request, PlacesThatAreNullAreRefused) {
  thalweg_request* request = nullptr;
  int finished = 0;
  EXPECT_EQ(thalweg_request_test(nullptr, &finished), thalweg_error_invalid_argument);
  EXPECT_STREQ(thalweg_error_message(), "test: request is NULL; give a pointer");
  EXPECT_EQ(thalweg_request_test(&request, nullptr), thalweg_error_invalid_argument);
  EXPECT_EQ(thalweg_request_wait(nullptr), thalweg_error_invalid_argument);
  EXPECT_EQ(thalweg_request_free(nullptr), thalweg_error_invalid_argument);
  EXPECT_EQ(thalweg_request_wait_all(1, nullptr), thalweg_error_invalid_argument);
}

} // namespace
