// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Calls of a team in the report of `thalweg run`, whose interposer counts them (thalweg/interposer.h).

#include "job/library/group.hpp"
#include "team/call.hpp"
#include "thalweg/interposer.h"

#include <cstdint>

namespace thalweg::teams {

/// A team's account with the interposer, if there is one.
class Reporting {
public:
  explicit Reporting(const job::Group& group);

private:
  friend class ReportedCall;
  void* team_ = nullptr; ///< none: nobody counts
  std::uint64_t calls_ = 0;
};

/// One call, from its begin to the end of this frame.
class ReportedCall {
public:
  ReportedCall(Reporting& reporting, const TeamCall& call, int ranks, const void* return_address);
  ~ReportedCall();
  ReportedCall(const ReportedCall&) = delete;
  ReportedCall& operator=(const ReportedCall&) = delete;
  /// `strategy`: a text that stays.
  void runs(const char* strategy) { event_.strategy = strategy; }

private:
  void* team_;
  thalweg_team_event event_;
};

} // namespace thalweg::teams
