// SPDX-License-Identifier: BSD-3-Clause
#include "tune/schedule_hash.hpp"

#include <bit>

namespace thalweg::tune {

namespace {

// Two lanes of multiplications by odd constants (those of xxHash) and rotations.
class Hasher {
public:
  void add(std::uint64_t number) {
    result_.first = std::rotl(result_.first ^ (number * 0x9e3779b185ebca87U), 31) * 0xc2b2ae3d27d4eb4fU;
    result_.second = std::rotl(result_.second + (number * 0x165667b19e3779f9U), 27) * 0x85ebca77c2b2ae63U;
  }
  void add(std::int32_t high, std::int32_t low) {
    add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 | static_cast<std::uint32_t>(low));
  }
  ScheduleHash result() const { return result_; }

private:
  ScheduleHash result_ = {0x27d4eb2f165667c5U, 0x61c8864e7a143579U};
};

void add(Hasher& hasher, std::span<const schedule::BlockRange> ranges) {
  hasher.add(ranges.size());
  for (const schedule::BlockRange& range : ranges) {
    hasher.add(static_cast<std::int32_t>(range.buffer), range.first);
    hasher.add(range.run, range.count);
    hasher.add(static_cast<std::uint64_t>(range.count == 1 ? 0 : range.stride));
  }
}

void add(Hasher& hasher, const schedule::Schedule& schedule) {
  hasher.add(schedule.pieces, static_cast<std::int32_t>(schedule.steps.size()));
  hasher.add(schedule.stages.size());
  for (const std::uint32_t stage : schedule.stages)
    hasher.add(stage);
  for (const schedule::Step& step : schedule.steps) {
    hasher.add(static_cast<std::int32_t>(step.kind) << 1 | static_cast<std::int32_t>(step.side), step.peer);
    add(hasher, schedule.source(step));
    add(hasher, schedule.target(step));
    hasher.add(step.predecessors.size);
    for (const std::uint32_t predecessor : schedule.predecessors_of(step))
      hasher.add(predecessor);
  }
}

} // namespace

ScheduleHash hash(std::span<const schedule::Schedule> schedules) {
  Hasher hasher;
  for (const schedule::Schedule& schedule : schedules)
    add(hasher, schedule);
  return hasher.result();
}

} // namespace thalweg::tune
