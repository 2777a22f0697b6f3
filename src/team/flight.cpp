#include "team/flight.hpp"

namespace thalweg::teams {

Flight::Flight(const Call& call, Part before, Part body, Part after)
    : call_(call), parts_{std::move(before), std::move(body), std::move(after)} {
  if (schedule::is_reduction(call.operation))
    combining_.emplace(call.op, call.type, call.element_bytes);
  start_part();
}

void Flight::start_part() {
  while (at_ < parts_.size() && !parts_[at_].runner)
    ++at_;
  if (has_finished())
    return;
  Part& part = parts_[at_];
  part.runner->start(call_.input, call_.output, part.tags, combining_ ? &*combining_ : nullptr);
}

void Flight::next_part() {
  parts_[at_].runner.reset();
  ++at_;
  start_part();
}

bool Flight::progress() {
  while (!has_finished()) {
    if (!parts_[at_].runner->execution().progress())
      return false;
    next_part();
  }
  return true;
}

void Flight::run() {
  while (!has_finished()) {
    parts_[at_].runner->execution().run();
    next_part();
  }
}

} // namespace thalweg::teams
