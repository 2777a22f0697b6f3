// SPDX-License-Identifier: BSD-3-Clause
#include "mutants.hpp"

#include <algorithm>
#include <array>

namespace thalweg::strategies {

namespace {

using schedule::BlockList;
using schedule::BlockRange;
using schedule::Buffer;
using schedule::Schedule;
using schedule::Side;
using schedule::Step;
using schedule::StepKind;

/// A schedule that is easy to edit: steps know their stage and name predecessors by identity.
struct LooseStep {
  Step step;
  BlockList source;
  BlockList target;
  std::vector<std::uint32_t> after;
  std::uint32_t id = 0;
  std::size_t stage = 0;
};

using Loose = std::vector<LooseStep>;

Loose loosen(const Schedule& schedule) {
  Loose steps;
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage)
    for (std::uint32_t s = schedule.stages[stage]; s < schedule.stage_end(stage); ++s) {
      const Step& step = schedule.steps[s];
      const auto copy = [](const auto& span) { return std::vector(span.begin(), span.end()); };
      steps.push_back({step, copy(schedule.source(step)), copy(schedule.target(step)),
                       copy(schedule.predecessors_of(step)), s, stage});
    }
  return steps;
}

Schedule tighten(const Schedule& original, const Loose& loose) {
  Schedule schedule;
  schedule.operation = original.operation;
  schedule.ranks = original.ranks;
  schedule.rank = original.rank;
  schedule.pieces = original.pieces;
  schedule.scratch_blocks = original.scratch_blocks;
  const auto store = [](auto& pool, const auto& items) {
    const schedule::Span span{static_cast<std::uint32_t>(pool.size()),
                              static_cast<std::uint32_t>(items.size())};
    pool.insert(pool.end(), items.begin(), items.end());
    return span;
  };
  for (const LooseStep& entry : loose) {
    if (schedule.stages.empty() || entry.stage != loose[schedule.steps.size() - 1].stage)
      schedule.stages.push_back(static_cast<std::uint32_t>(schedule.steps.size()));
    std::vector<std::uint32_t> after;
    for (const std::uint32_t id : entry.after)
      if (const auto found = std::ranges::find(loose, id, &LooseStep::id); found != loose.end())
        after.push_back(static_cast<std::uint32_t>(found - loose.begin()));
    Step step = entry.step;
    step.source = store(schedule.ranges, entry.source);
    step.target = store(schedule.ranges, entry.target);
    step.predecessors = store(schedule.predecessors, after);
    schedule.steps.push_back(step);
  }
  if (schedule.stages.empty())
    schedule.stages.push_back(0);
  return schedule;
}

/// Plants one kind of fault at a step; false where it does not apply.
class Planter {
public:
  Planter(Loose& steps, std::size_t at, std::int32_t ranks, std::mt19937_64& random)
      : steps_(steps), at_(at), ranks_(ranks), random_(random) {}

  bool drop() {
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(at_));
    return true;
  }

  bool duplicate() {
    LooseStep counterpart = steps_[at_];
    counterpart.id = static_cast<std::uint32_t>(steps_.size()) + 1000000;
    steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, std::move(counterpart));
    return true;
  }

  /// Within a stage and across its end alike: the two change places, each into the other's stage.
  bool swap_with_next() {
    if (at_ + 1 >= steps_.size())
      return false;
    std::swap(steps_[at_], steps_[at_ + 1]);
    std::swap(steps_[at_].stage, steps_[at_ + 1].stage);
    return true;
  }

  bool merge_stages() {
    const std::size_t stage = steps_[at_].stage;
    if (stage == steps_.back().stage)
      return false;
    for (LooseStep& entry : steps_)
      entry.stage -= entry.stage > stage ? 1 : 0;
    return true;
  }

  bool move_into_next_stage() {
    if (at_ + 1 >= steps_.size() || steps_[at_ + 1].stage == steps_[at_].stage)
      return false;
    steps_[at_].stage = steps_[at_ + 1].stage;
    return true;
  }

  bool change_peer() {
    Step& step = steps_[at_].step;
    if (!is_message(step))
      return false;
    step.peer = (step.peer + 1 + draw(ranks_)) % ranks_;
    return true;
  }

  bool swap_peers() {
    LooseStep& other = steps_[static_cast<std::size_t>(draw(static_cast<std::int32_t>(steps_.size())))];
    if (!is_message(steps_[at_].step) || !is_message(other.step) || other.step.peer == steps_[at_].step.peer)
      return false;
    std::swap(other.step.peer, steps_[at_].step.peer);
    return true;
  }

  bool shift_range() {
    return change_range([this](BlockRange& range) { range.first += draw(2) == 0 ? 1 : -1; });
  }
  bool resize_range() {
    return change_range([this](BlockRange& range) { range.run += draw(2) == 0 ? 1 : -1; });
  }
  bool restride_range() {
    return change_range([this](BlockRange& range) {
      range.stride += range.count == 1 ? 0 : draw(2) == 0 ? 1 : -1;
    });
  }
  bool change_buffer() {
    return change_range([this](BlockRange& range) {
      range.buffer = static_cast<Buffer>((static_cast<int>(range.buffer) + 1 + draw(2)) % 3);
    });
  }

  bool flip_side() {
    Step& step = steps_[at_].step;
    if (step.kind != StepKind::combine && step.kind != StepKind::receive_combine)
      return false;
    step.side = step.side == Side::left ? Side::right : Side::left;
    return true;
  }

  bool forget_to_combine() {
    Step& step = steps_[at_].step;
    if (step.kind != StepKind::combine && step.kind != StepKind::receive_combine)
      return false;
    if (step.kind == StepKind::receive_combine)
      steps_[at_].source.clear();
    step.kind = step.kind == StepKind::combine ? StepKind::copy : StepKind::receive;
    return true;
  }

  bool combine_with_target() {
    LooseStep& entry = steps_[at_];
    if (entry.step.kind != StepKind::receive_combine || entry.source.empty())
      return false;
    entry.source.clear();
    return true;
  }

  bool drop_predecessor() {
    auto& after = steps_[at_].after;
    if (after.empty())
      return false;
    after.erase(after.begin() + draw(static_cast<std::int32_t>(after.size())));
    return true;
  }

private:
  std::int32_t draw(std::int32_t end) {
    return static_cast<std::int32_t>(random_() % static_cast<std::uint64_t>(end));
  }

  template <typename Change>
  bool change_range(Change&& change) {
    LooseStep& entry = steps_[at_];
    BlockList& list =
        !entry.source.empty() && (entry.target.empty() || draw(2) == 0) ? entry.source : entry.target;
    if (list.empty())
      return false;
    const BlockList before = list;
    change(list[static_cast<std::size_t>(draw(static_cast<std::int32_t>(list.size())))]);
    return list != before;
  }

  Loose& steps_;
  std::size_t at_;
  std::int32_t ranks_;
  std::mt19937_64& random_;
};

struct Fault {
  std::string_view name;
  bool (Planter::*plant)();
};

constexpr std::array faults{
    Fault{"drop the step", &Planter::drop},
    Fault{"duplicate the step", &Planter::duplicate},
    Fault{"swap the step with the next", &Planter::swap_with_next},
    Fault{"merge the step's stage with the next", &Planter::merge_stages},
    Fault{"move the step into the next stage", &Planter::move_into_next_stage},
    Fault{"change the peer", &Planter::change_peer},
    Fault{"swap peers with another step", &Planter::swap_peers},
    Fault{"shift a range", &Planter::shift_range},
    Fault{"resize a range", &Planter::resize_range},
    Fault{"change a range's stride", &Planter::restride_range},
    Fault{"change a range's buffer", &Planter::change_buffer},
    Fault{"flip the side of the incoming operand", &Planter::flip_side},
    Fault{"replace instead of combining", &Planter::forget_to_combine},
    Fault{"combine with the target instead of one's own", &Planter::combine_with_target},
    Fault{"drop a predecessor", &Planter::drop_predecessor},
};

/// The other end of a message: the step of `peer` that has the same number among those with `rank` in that
/// direction.
std::size_t partner_of(const Loose& own, std::size_t at, const Loose& theirs, Rank rank) {
  const Step& step = own[at].step;
  const auto is_like = [](const Step& other, bool receives, Rank peer) {
    return is_message(other) && is_receive(other) == receives && other.peer == peer;
  };
  std::int64_t number =
      std::count_if(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(at),
                    [&](const LooseStep& entry) { return is_like(entry.step, is_receive(step), step.peer); });
  std::size_t there = 0;
  while (!is_like(theirs[there].step, !is_receive(step), rank) || number-- > 0)
    ++there;
  return there;
}

/// A fault on which both ends agree, as when a loop ends early or an index is off everywhere: nothing hangs.
std::optional<Mutant> plant_agreed_fault(const std::vector<Schedule>& schedules, std::size_t rank,
                                         std::mt19937_64& random) {
  Loose own = loosen(schedules[rank]);
  const auto at = static_cast<std::size_t>(random() % own.size());
  if (!is_message(own[at].step))
    return std::nullopt;
  const auto peer = static_cast<std::size_t>(own[at].step.peer);
  Loose theirs = loosen(schedules[peer]);
  const std::size_t there = partner_of(own, at, theirs, static_cast<Rank>(rank));
  Planter here_planter(own, at, schedules[rank].ranks, random);
  Planter there_planter(theirs, there, schedules[peer].ranks, random);
  const bool drops = random() % 2 == 0;
  if (drops ? !here_planter.drop() || !there_planter.drop()
            : !here_planter.shift_range() || !there_planter.shift_range())
    return std::nullopt;
  Mutant mutant{drops ? "drop the message at both ends" : "shift the message's ranges at both ends",
                static_cast<Rank>(rank), static_cast<std::uint32_t>(at), schedules};
  mutant.schedules[rank] = tighten(schedules[rank], own);
  mutant.schedules[peer] = tighten(schedules[peer], theirs);
  return mutant;
}

} // namespace

std::optional<Mutant> plant_fault(const std::vector<Schedule>& schedules, std::mt19937_64& random) {
  const auto rank = static_cast<std::size_t>(random() % schedules.size());
  Loose steps = loosen(schedules[rank]);
  if (steps.empty())
    return std::nullopt;
  const auto drawn = static_cast<std::size_t>(random() % (faults.size() + 2));
  if (drawn >= faults.size())
    return plant_agreed_fault(schedules, rank, random);
  const Fault& fault = faults[drawn];
  const auto at = static_cast<std::size_t>(random() % steps.size());
  Planter planter(steps, at, schedules[rank].ranks, random);
  if (!(planter.*fault.plant)())
    return std::nullopt;
  Mutant mutant{fault.name, static_cast<Rank>(rank), static_cast<std::uint32_t>(at), schedules};
  mutant.schedules[rank] = tighten(schedules[rank], steps);
  return mutant;
}

} // namespace thalweg::strategies
