// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What thalweg/request.h knows of an operation under way. Whoever starts operations derives from it.

#include "thalweg/request.h"

struct thalweg_request {
  /// The rank that started it, among as many, for messages.
  thalweg_request(int rank, int ranks) : rank_(rank), ranks_(ranks) {}
  virtual ~thalweg_request() = default;
  thalweg_request(const thalweg_request&) = delete;
  thalweg_request& operator=(const thalweg_request&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// Makes progress. Has it finished?
  virtual bool test() = 0;
  virtual void wait() = 0;

private:
  int rank_;
  int ranks_;
};
