// SPDX-License-Identifier: BSD-3-Clause
#include "objects/rounds.hpp"

#include <cassert>
#include <utility>

namespace thalweg::objects {

Rounds::Rounds(Rank rank, std::int32_t ranks) : rank_(rank) {
  for (std::int64_t child = std::int64_t{arity} * rank + 1; child <= std::int64_t{arity} * rank + arity;
       ++child)
    if (child < ranks)
      children_.push_back(static_cast<Rank>(child));
}

void Rounds::child_reports(const Counts& counts) {
  assert(reports_ < children_.size());
  ++reports_;
  below_.sent += counts.sent;
  below_.taken += counts.taken;
  below_.held += counts.held;
}

Counts Rounds::report(const Counts& own) {
  assert(may_report());
  has_reported_ = true;
  reports_ = 0;
  const Counts below = std::exchange(below_, {});
  return {own.sent + below.sent, own.taken + below.taken, own.held + below.held};
}

Verdict Rounds::judge(const Counts& sums) {
  const bool is_still = has_before_ && sums == before_ && sums.sent == sums.taken;
  has_before_ = !is_still;
  before_ = sums;
  if (!is_still)
    return Verdict::again;
  return sums.held == 0 ? Verdict::quiet : Verdict::release;
}

} // namespace thalweg::objects
