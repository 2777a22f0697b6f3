// SPDX-License-Identifier: BSD-3-Clause
#include "team/in_flight_operation.hpp"

#include "job/library/mpi_library.hpp"

namespace thalweg::teams {

InFlightOperation::InFlightOperation(const TeamCall& call, Part before, Part body, Part after)
    : call_(call), parts_{std::move(before), std::move(body), std::move(after)} {
  if (schedule::is_reduction(call.operation))
    operator_.emplace(job::library_api(), job::library_operators(), call.op, call.type,
                      static_cast<std::int64_t>(call.element_bytes));
  start_part();
}

void InFlightOperation::start_part() {
  while (at_ < parts_.size() && !parts_[at_].runner)
    ++at_;
  if (has_finished())
    return;
  Part& part = parts_[at_];
  part.runner->start(call_.input, call_.output, part.tags, operator_ ? &*operator_ : nullptr);
}

void InFlightOperation::next_part() {
  if (operator_)
    operator_->finish();
  parts_[at_].runner.reset();
  ++at_;
  start_part();
}

bool InFlightOperation::progress() {
  while (!has_finished()) {
    if (!parts_[at_].runner->execution().progress())
      return false;
    next_part();
  }
  return true;
}

void InFlightOperation::run() {
  while (!has_finished()) {
    parts_[at_].runner->execution().run();
    next_part();
  }
}

} // namespace thalweg::teams
