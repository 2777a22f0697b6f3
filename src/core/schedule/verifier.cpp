// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/verifier.hpp"

#include "base/assertion.hpp"
#include "schedule/buffers.hpp"
#include "schedule/static_checks.hpp"
#include "schedule/symbolic_state.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace thalweg::schedule {

namespace {

constexpr std::size_t fault_limit = 8;

/// One rank's memory: what each block holds. Blocks that alias one another share a cell.
class Memory {
public:
  Memory(const Problem& problem, const Schedule& schedule)
      : inputs_(input_units(problem, schedule.rank) * schedule.pieces),
        outputs_(output_units(problem, schedule.rank) * schedule.pieces),
        cells_(static_cast<std::size_t>(inputs_ + outputs_ + schedule.scratch_blocks), unwritten),
        writes_(static_cast<std::size_t>(schedule.scratch_blocks), 0),
        alias_(static_cast<std::size_t>(inputs_), -1) {
    if (problem.in_place)
      for (std::int32_t k = 0; k < inputs_; ++k)
        alias_[static_cast<std::size_t>(k)] = aliased_output(problem, schedule.rank, schedule.pieces, k);
  }

  ValueId& at(Buffer buffer, std::int32_t block) { return cells_[index(buffer, block)]; }
  /// Counts a write; false when the block is scratch that had been written before.
  bool write(Buffer buffer, std::int32_t block, ValueId value) {
    at(buffer, block) = value;
    return buffer != Buffer::scratch || ++writes_[static_cast<std::size_t>(block)] == 1;
  }

private:
  std::size_t index(Buffer buffer, std::int32_t block) const {
    THALWEG_ASSERT(normal, block >= 0 && block < (buffer == Buffer::input    ? inputs_
                                                  : buffer == Buffer::output ? outputs_
                                                                             : std::ssize(writes_)));
    if (buffer == Buffer::scratch)
      return static_cast<std::size_t>(inputs_ + outputs_ + block);
    if (buffer == Buffer::input && alias_[static_cast<std::size_t>(block)] < 0)
      return static_cast<std::size_t>(outputs_ + block);
    return static_cast<std::size_t>(buffer == Buffer::input ? alias_[static_cast<std::size_t>(block)]
                                                            : block);
  }

  std::int32_t inputs_;
  std::int32_t outputs_;
  std::vector<ValueId> cells_;
  std::vector<std::uint8_t> writes_;
  std::vector<std::int32_t> alias_;
};

/// Number by which a contribution's block is known in expressions.
std::int64_t input_name(const Problem& problem, Rank rank, std::int32_t pieces, std::int32_t block) {
  if (is_reduction(problem.operation))
    return block;
  if (problem.operation == Operation::alltoall || problem.operation == Operation::neighbor_alltoall ||
      problem.operation == Operation::scatter)
    return block;
  return std::int64_t{rank} * pieces + block;
}

class Verifier {
public:
  Verifier(const Problem& problem, std::span<const Schedule> schedules)
      : problem_(problem), schedules_(schedules), table_(problem.ranks), arrivals_(schedules) {}

  Verdict run() {
    for (const Schedule& schedule : schedules_)
      find_local_hazards(problem_, schedule, fault_limit, verdict_.faults);
    if (!verdict_.proven())
      return std::move(verdict_);
    matching_ = match_messages(schedules_, fault_limit, verdict_.faults);
    if (!verdict_.proven())
      return std::move(verdict_);
    prepare();
    for (Rank rank = 0; rank < problem_.ranks; ++rank)
      enter_stages(rank);
    while (!ready_.empty() && verdict_.faults.size() < fault_limit) {
      const auto [rank, step] = ready_.back();
      ready_.pop_back();
      execute(rank, step);
    }
    report_unfinished();
    if (verdict_.proven())
      check_outputs();
    return std::move(verdict_);
  }

private:
  struct RankState {
    std::size_t stage = 0;
    std::uint32_t unfinished = 0;     ///< steps of the current stage
    std::vector<std::uint32_t> waits; ///< unfinished predecessors of each step
    std::vector<std::vector<std::uint32_t>> successors;
    std::vector<bool> started;
  };

  void prepare() {
    for (const Schedule& schedule : schedules_) {
      memories_.emplace_back(problem_, schedule);
      Memory& memory = memories_.back();
      const std::int32_t inputs = input_units(problem_, schedule.rank) * schedule.pieces;
      for (std::int32_t k = 0; k < inputs; ++k)
        memory.at(Buffer::input, k) =
            table_.contribution(schedule.rank, input_name(problem_, schedule.rank, schedule.pieces, k));
      if (problem_.operation == Operation::broadcast && schedule.rank == problem_.root)
        for (std::int32_t k = 0; k < schedule.pieces; ++k)
          memory.at(Buffer::output, k) = table_.contribution(problem_.root, k);
      RankState state;
      state.waits.resize(schedule.steps.size());
      state.successors.resize(schedule.steps.size());
      state.started.resize(schedule.steps.size());
      for (std::uint32_t s = 0; s < schedule.steps.size(); ++s) {
        const auto predecessors = schedule.predecessors_of(schedule.steps[s]);
        state.waits[s] = static_cast<std::uint32_t>(predecessors.size());
        for (const std::uint32_t p : predecessors)
          state.successors[p].push_back(s);
      }
      states_.push_back(std::move(state));
    }
  }

  /// Starts the rank's current stage, and those after it as long as they are empty.
  void enter_stages(Rank rank) {
    const Schedule& schedule = schedules_[static_cast<std::size_t>(rank)];
    RankState& state = states_[static_cast<std::size_t>(rank)];
    while (state.stage < schedule.stages.size()) {
      const std::uint32_t begin = schedule.stages[state.stage];
      const std::uint32_t end = schedule.stage_end(state.stage);
      state.unfinished = end - begin;
      if (begin == end) {
        ++state.stage;
        continue;
      }
      for (std::uint32_t s = begin; s < end; ++s)
        if (state.waits[s] == 0)
          start(rank, s);
      return;
    }
  }

  void start(Rank rank, std::uint32_t s) {
    states_[static_cast<std::size_t>(rank)].started[s] = true;
    const Step& step = schedules_[static_cast<std::size_t>(rank)].steps[s];
    if (!is_message(step)) {
      ready_.emplace_back(rank, s);
      return;
    }
    const std::uint32_t partner = matching_[static_cast<std::size_t>(rank)][s];
    if (!states_[static_cast<std::size_t>(step.peer)].started[partner])
      return;
    if (is_receive(step))
      ready_.emplace_back(rank, s);
    else
      ready_.emplace_back(step.peer, partner);
  }

  void execute(Rank rank, std::uint32_t s) {
    const Schedule& schedule = schedules_[static_cast<std::size_t>(rank)];
    const Step& step = schedule.steps[s];
    THALWEG_ASSERT(normal, states_[static_cast<std::size_t>(rank)].started[s]);
    if (is_receive(step)) {
      const std::uint32_t partner = matching_[static_cast<std::size_t>(rank)][s];
      const Schedule& sender = schedules_[static_cast<std::size_t>(step.peer)];
      move(sender, sender.source(sender.steps[partner]), schedule, s);
      ++verdict_.messages;
      if (problem_.operation == Operation::barrier) {
        arrivals_.finish(rank, s, step.peer, partner);
        arrivals_.finish(step.peer, partner);
      }
      finish(step.peer, partner);
    } else {
      move(schedule, schedule.source(step), schedule, s);
    }
    finish(rank, s);
  }

  struct Place {
    Buffer buffer;
    std::int32_t block;
  };

  void move(const Schedule& from, std::span<const BlockRange> source, const Schedule& to, std::uint32_t s) {
    const Step& step = to.steps[s];
    places_.clear();
    for_each_block(source, [&](Buffer buffer, std::int32_t block) { places_.push_back({buffer, block}); });
    if (places_.size() != static_cast<std::size_t>(block_count(to.target(step)))) {
      fault("{}: {} blocks come where {} are awaited", describe(to, s), places_.size(),
            block_count(to.target(step)));
      return;
    }
    own_.clear();
    if (step.kind == StepKind::receive_combine)
      for_each_block(to.source(step), [&](Buffer buffer, std::int32_t block) {
        own_.push_back({buffer, block});
      });
    Memory& theirs = memories_[static_cast<std::size_t>(from.rank)];
    Memory& ours = memories_[static_cast<std::size_t>(to.rank)];
    std::size_t next = 0;
    for_each_block(to.target(step), [&](Buffer buffer, std::int32_t block) {
      const Place own = own_.empty() ? Place{buffer, block} : own_[next];
      const Place place = places_[next++];
      compare_shapes(from, place, to, {buffer, block}, s);
      if (!own_.empty())
        compare_shapes(to, own, to, {buffer, block}, s);
      ValueId value = theirs.at(place.buffer, place.block);
      if (value == unwritten && !may_be_nothing(place))
        fault("{} moves block {} before it is written", describe(to, s), place.block);
      if (step.kind == StepKind::combine || step.kind == StepKind::receive_combine) {
        const ValueId here = ours.at(own.buffer, own.block);
        value = step.side == Side::left ? table_.combined(value, here) : table_.combined(here, value);
        if (value == unwritten)
          fault("{} combines block {} twice, with another block, or with nothing", describe(to, s), block);
      }
      verdict_.scratch_written_once &= ours.write(buffer, block, value);
      ++verdict_.blocks_moved;
    });
  }

  /// Scratch that nobody writes is empty where ranks have no edge. It may travel, but ends in no output.
  bool may_be_nothing(Place place) const {
    return place.buffer == Buffer::scratch && (problem_.operation == Operation::neighbor_allgather ||
                                               problem_.operation == Operation::neighbor_alltoall);
  }

  /// Blocks that hold the same thing must be of the same size on both sides.
  void compare_shapes(const Schedule& from, Place source, const Schedule& to, Place target, std::uint32_t s) {
    const std::int64_t there = canonical_block(problem_, from.rank, from.pieces, source.buffer, source.block);
    const std::int64_t here = canonical_block(problem_, to.rank, to.pieces, target.buffer, target.block);
    if (there == here && here >= 0)
      return;
    if (problem_.operation == Operation::neighbor_allgather ||
        problem_.operation == Operation::neighbor_alltoall) {
      verdict_.exact_shapes &= source.buffer != Buffer::scratch && target.buffer != Buffer::scratch;
    } else {
      verdict_.exact_shapes = false;
      if (!has_private_sizes(problem_.operation) && problem_.operation != Operation::allgather)
        fault("{}: block {} takes what lies in a block of another size ({} for {})", describe(to, s),
              target.block, there, here);
    }
    if (source.block % from.pieces != target.block % to.pieces)
      fault("{}: piece {} of a unit goes where piece {} belongs", describe(to, s), source.block % from.pieces,
            target.block % to.pieces);
  }

  void finish(Rank rank, std::uint32_t s) {
    RankState& state = states_[static_cast<std::size_t>(rank)];
    THALWEG_ASSERT(normal, state.unfinished > 0);
    for (const std::uint32_t successor : state.successors[s])
      if (--state.waits[successor] == 0)
        start(rank, successor);
    if (--state.unfinished == 0) {
      ++state.stage;
      enter_stages(rank);
    }
  }

  void report_unfinished() {
    for (const Schedule& schedule : schedules_) {
      const RankState& state = states_[static_cast<std::size_t>(schedule.rank)];
      if (state.stage < schedule.stages.size() && state.unfinished > 0)
        fault("rank {} never finishes stage {}: deadlock", schedule.rank, state.stage);
    }
  }

  void check_outputs() {
    std::vector<ValueId> first;
    for (const Schedule& schedule : schedules_) {
      if (problem_.operation == Operation::barrier && arrivals_.missing(schedule.rank) >= 0)
        fault("rank {} may leave before rank {} has entered", schedule.rank,
              arrivals_.missing(schedule.rank));
      const std::int32_t outputs = output_units(problem_, schedule.rank) * schedule.pieces;
      if (problem_.operation == Operation::exscan && schedule.rank == 0)
        continue;
      for (std::int32_t k = 0; k < outputs; ++k) {
        const ValueId value = memories_[static_cast<std::size_t>(schedule.rank)].at(Buffer::output, k);
        if (value == unwritten || !is_right(schedule, k, value)) {
          fault("rank {}: output block {} {}", schedule.rank, k,
                value == unwritten ? "is never written" : "holds the wrong value");
          continue;
        }
        verdict_.in_rank_order &= table_.in_rank_order(value);
        verdict_.fingerprint = verdict_.fingerprint * 31 + table_.fingerprint(value);
        if (problem_.operation == Operation::allreduce) {
          if (schedule.rank == 0)
            first.push_back(value);
          else if (static_cast<std::size_t>(k) < first.size())
            verdict_.same_on_all_ranks &= first[static_cast<std::size_t>(k)] == value;
        }
      }
    }
  }

  bool is_right(const Schedule& schedule, std::int32_t block, ValueId value) {
    const std::int32_t pieces = schedule.pieces;
    const std::int32_t unit = block / pieces;
    const std::int32_t piece = block % pieces;
    const auto is = [&](Rank origin, std::int64_t name) {
      return value == table_.contribution(origin, name);
    };
    switch (problem_.operation) {
    case Operation::barrier:
      return true;
    case Operation::broadcast:
      return is(problem_.root, block);
    case Operation::reduce:
    case Operation::allreduce:
      return table_.covers(value, 0, problem_.ranks) && table_.block(value) == block;
    case Operation::scan:
      return table_.covers(value, 0, schedule.rank + 1) && table_.block(value) == block;
    case Operation::exscan:
      return table_.covers(value, 0, schedule.rank) && table_.block(value) == block;
    case Operation::reduce_scatter:
      return table_.covers(value, 0, problem_.ranks) &&
             table_.block(value) == std::int64_t{schedule.rank} * pieces + block;
    case Operation::gather:
    case Operation::allgather:
      return is(unit, block);
    case Operation::scatter:
      return is(problem_.root, std::int64_t{schedule.rank} * pieces + piece);
    case Operation::alltoall:
      return is(unit, std::int64_t{schedule.rank} * pieces + piece);
    case Operation::neighbor_allgather: {
      const Rank from = (*problem_.neighborhoods)[static_cast<std::size_t>(schedule.rank)]
                            .sources[static_cast<std::size_t>(unit)];
      return is(from, std::int64_t{from} * pieces + piece);
    }
    case Operation::neighbor_alltoall:
      return is_right_edge(schedule, unit, piece, value);
    }
    return false;
  }

  /// The n-th edge from a to b leaves from the n-th b among a's destinations.
  bool is_right_edge(const Schedule& schedule, std::int32_t unit, std::int32_t piece, ValueId value) {
    const auto& all = *problem_.neighborhoods;
    const auto& sources = all[static_cast<std::size_t>(schedule.rank)].sources;
    const Rank from = sources[static_cast<std::size_t>(unit)];
    auto nth = std::count(sources.begin(), sources.begin() + unit, from);
    const auto& destinations = all[static_cast<std::size_t>(from)].destinations;
    for (std::size_t d = 0; d < destinations.size(); ++d)
      if (destinations[d] == schedule.rank && nth-- == 0)
        return value == table_.contribution(from, static_cast<std::int64_t>(d) * schedule.pieces + piece);
    return false;
  }

  template <typename... Arguments>
  void fault(fmt::format_string<Arguments...> pattern, Arguments&&... arguments) {
    if (verdict_.faults.size() < fault_limit)
      verdict_.faults.push_back(fmt::format(pattern, std::forward<Arguments>(arguments)...));
  }

  const Problem& problem_;
  std::span<const Schedule> schedules_;
  ExpressionTable table_;
  Verdict verdict_;
  Arrivals arrivals_;
  Matching matching_;
  std::vector<Memory> memories_;
  std::vector<RankState> states_;
  std::vector<std::pair<Rank, std::uint32_t>> ready_;
  std::vector<Place> places_;
  std::vector<Place> own_;
};

} // namespace

Verdict verify(const Problem& problem, std::span<const Schedule> schedules) {
  THALWEG_ASSERT(light, std::ssize(schedules) == problem.ranks);
  return Verifier(problem, schedules).run();
}

} // namespace thalweg::schedule
