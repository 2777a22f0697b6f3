// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/arrivals.hpp"

namespace thalweg::schedule {

namespace {

void add(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
  for (std::size_t i = 0; i < from.size(); ++i)
    to[i] |= from[i];
}

} // namespace

Arrivals::Arrivals(std::span<const Schedule> schedules) : schedules_(schedules) {
  const std::size_t words = (schedules.size() + 63) / 64;
  for (const Schedule& schedule : schedules) {
    RankKnowledge knowledge;
    knowledge.before_stage.resize(words);
    const auto rank = static_cast<std::uint32_t>(schedule.rank);
    knowledge.before_stage[rank / 64] |= std::uint64_t{1} << (rank % 64);
    knowledge.after_stage = knowledge.before_stage;
    knowledge.of_step.resize(schedule.steps.size());
    ranks_.push_back(std::move(knowledge));
  }
}

void Arrivals::advance(Rank rank, std::uint32_t step) {
  const Schedule& schedule = schedules_[static_cast<std::size_t>(rank)];
  RankKnowledge& own = ranks_[static_cast<std::size_t>(rank)];
  while (step >= schedule.stage_end(own.stage)) {
    ++own.stage;
    own.before_stage = own.after_stage;
  }
}

Arrivals::Set Arrivals::at_start(Rank rank, std::uint32_t step) {
  advance(rank, step);
  const Schedule& schedule = schedules_[static_cast<std::size_t>(rank)];
  RankKnowledge& own = ranks_[static_cast<std::size_t>(rank)];
  Set known = own.before_stage;
  for (const std::uint32_t predecessor : schedule.predecessors_of(schedule.steps[step]))
    add(known, own.of_step[predecessor]);
  return known;
}

void Arrivals::finish(Rank rank, std::uint32_t step, Rank sender, std::uint32_t sender_step) {
  Set known = at_start(rank, step);
  if (sender >= 0)
    add(known, at_start(sender, sender_step));
  RankKnowledge& own = ranks_[static_cast<std::size_t>(rank)];
  add(own.after_stage, known);
  own.of_step[step] = std::move(known);
}

Rank Arrivals::missing(Rank rank) const {
  const Set& known = ranks_[static_cast<std::size_t>(rank)].after_stage;
  for (std::uint32_t other = 0; other < ranks_.size(); ++other)
    if ((known[other / 64] >> (other % 64) & 1) == 0)
      return static_cast<Rank>(other);
  return -1;
}

} // namespace thalweg::schedule
