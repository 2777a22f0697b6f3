// SPDX-License-Identifier: BSD-3-Clause
#include "oracle.hpp"

#include "schedule/buffers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <stdexcept>
#include <tuple>

namespace thalweg::strategies {

namespace {

using schedule::Buffer;
using schedule::Operation;
using schedule::Problem;
using schedule::Schedule;
using schedule::Side;
using schedule::Step;
using schedule::StepKind;

/// A block's content: the contributions that were combined, as an expression with its operators in front.
/// Memory nobody wrote holds garbage.
using Value = std::vector<std::int64_t>;
const Value garbage{-1};
constexpr std::int64_t combined = -2;

Value combination(const Value& left, const Value& right) {
  Value value{combined};
  value.insert(value.end(), left.begin(), left.end());
  value.insert(value.end(), right.begin(), right.end());
  return value;
}

/// The contributions from left to right.
Value operands(Value value) {
  std::erase(value, combined);
  return value;
}

struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::int64_t contribution(Rank rank, std::int64_t block) {
  return std::int64_t{rank} << 32 | block;
}

class Memory {
public:
  Memory(const Problem& problem, const Schedule& schedule) : problem_(problem), schedule_(schedule) {
    const auto size = [&](std::int32_t units) { return static_cast<std::size_t>(units * schedule.pieces); };
    blocks_[0].assign(size(input_units(problem, schedule.rank)), garbage);
    blocks_[1].assign(size(output_units(problem, schedule.rank)), garbage);
    blocks_[2].assign(static_cast<std::size_t>(schedule.scratch_blocks), garbage);
    for (std::size_t k = 0; k < blocks_[0].size(); ++k)
      at(Buffer::input,
         static_cast<std::int32_t>(k)) = {contribution(schedule.rank, static_cast<std::int64_t>(k))};
    if (problem.operation == Operation::broadcast && schedule.rank == problem.root)
      for (std::size_t k = 0; k < blocks_[1].size(); ++k)
        blocks_[1][k] = {contribution(schedule.rank, static_cast<std::int64_t>(k))};
  }

  Value& at(Buffer buffer, std::int32_t block) {
    auto& row = blocks_[static_cast<std::size_t>(buffer)];
    if (block < 0 || static_cast<std::size_t>(block) >= row.size())
      throw Wrong("a block outside its buffer");
    const std::int32_t alias = buffer == Buffer::input && problem_.in_place
                                   ? aliased_output(problem_, schedule_.rank, schedule_.pieces, block)
                                   : -1;
    return alias >= 0 ? blocks_[1].at(static_cast<std::size_t>(alias)) : row[static_cast<std::size_t>(block)];
  }

  bool input_is_whole() {
    for (std::size_t k = 0; k < blocks_[0].size(); ++k) {
      const auto block = static_cast<std::int32_t>(k);
      const bool aliased =
          problem_.in_place && aliased_output(problem_, schedule_.rank, schedule_.pieces, block) >= 0;
      if (!aliased && blocks_[0][k] != Value{contribution(schedule_.rank, block)})
        return false;
    }
    return true;
  }

private:
  const Problem& problem_;
  const Schedule& schedule_;
  std::vector<Value> blocks_[3];
};

/// Contributions of ranks 0 .. end-1 to a block, in rank order.
Value folded(Rank end, std::int64_t block) {
  Value value;
  for (Rank rank = 0; rank < end; ++rank)
    value.push_back(contribution(rank, block));
  return value;
}

/// The position among `from`'s destinations of the edge that is source number `unit` of `rank`.
std::int32_t edge_at_sender(const Problem& problem, Rank rank, std::int32_t unit) {
  const auto& sources = (*problem.neighborhoods)[static_cast<std::size_t>(rank)].sources;
  const Rank from = sources[static_cast<std::size_t>(unit)];
  auto nth = std::count(sources.begin(), sources.begin() + unit, from);
  const auto& destinations = (*problem.neighborhoods)[static_cast<std::size_t>(from)].destinations;
  for (std::size_t d = 0; d < destinations.size(); ++d)
    if (destinations[d] == rank && nth-- == 0)
      return static_cast<std::int32_t>(d);
  throw std::logic_error("neighborhoods do not fit");
}

/// What MPI says an output block must hold.
Value definition(const Problem& problem, Rank rank, std::int32_t pieces, std::int32_t block) {
  const std::int32_t unit = block / pieces;
  const std::int32_t piece = block % pieces;
  switch (problem.operation) {
  case Operation::barrier:
    return {};
  case Operation::broadcast:
    return {contribution(problem.root, block)};
  case Operation::reduce:
  case Operation::allreduce:
    return folded(problem.ranks, block);
  case Operation::scan:
    return folded(rank + 1, block);
  case Operation::exscan:
    return folded(rank, block);
  case Operation::reduce_scatter:
    return folded(problem.ranks, std::int64_t{rank} * pieces + block);
  case Operation::gather:
  case Operation::allgather:
    return {contribution(unit, piece)};
  case Operation::scatter:
    return {contribution(problem.root, std::int64_t{rank} * pieces + piece)};
  case Operation::alltoall:
    return {contribution(unit, std::int64_t{rank} * pieces + piece)};
  case Operation::neighbor_allgather:
  case Operation::neighbor_alltoall:
    break;
  }
  const Rank from =
      (*problem.neighborhoods)[static_cast<std::size_t>(rank)].sources[static_cast<std::size_t>(unit)];
  if (problem.operation == Operation::neighbor_allgather)
    return {contribution(from, piece)};
  return {contribution(from, std::int64_t{edge_at_sender(problem, rank, unit)} * pieces + piece)};
}

class Play {
public:
  Play(const Problem& problem, const std::vector<Schedule>& schedules, const Timing& timing)
      : problem_(problem), schedules_(schedules), timing_(timing), random_(timing.seed) {
    for (const Schedule& schedule : schedules_) {
      memories_.emplace_back(problem_, schedule);
      ranks_.push_back({.stage = 0, .state = std::vector<State>(schedule.steps.size(), State::waiting)});
    }
    number_messages();
  }

  void run() {
    act_until_quiet(timing_.late);
    if (timing_.late >= 0) {
      for (Rank rank = 0; rank < problem_.ranks && problem_.operation == Operation::barrier; ++rank)
        if (rank != timing_.late && is_finished(rank))
          throw Wrong(fmt::format("rank {} leaves before rank {} enters", rank, timing_.late));
      act_until_quiet(-1);
    }
    for (Rank rank = 0; rank < problem_.ranks; ++rank)
      if (!is_finished(rank))
        throw Wrong(fmt::format("rank {} never finishes", rank));
    if (!in_flight_.empty())
      throw Wrong("a message that nobody receives");
    check_outputs();
  }

private:
  enum class State : std::uint8_t { waiting, started, finished };
  struct RankState {
    std::size_t stage = 0;
    std::vector<State> state;
  };
  using MessageKey = std::tuple<Rank, Rank, std::uint16_t, std::int32_t>; ///< from, to, channel, number
  struct Place {
    Rank rank = 0;
    std::uint32_t step = 0;
  };

  const Schedule& schedule(Rank rank) const { return schedules_[static_cast<std::size_t>(rank)]; }
  const Step& step(Place place) const { return schedule(place.rank).steps[place.step]; }
  State& state(Place place) { return ranks_[static_cast<std::size_t>(place.rank)].state[place.step]; }

  void number_messages() {
    keys_.resize(schedules_.size());
    for (const Schedule& own : schedules_) {
      std::map<std::tuple<Rank, bool, std::uint16_t>, std::int32_t> counts;
      for (const Step& message : own.steps) {
        if (is_message(message) &&
            (message.peer < 0 || message.peer >= problem_.ranks || message.peer == own.rank))
          throw Wrong("a message to nobody");
        const std::int32_t number = counts[{message.peer, is_receive(message), message.channel}]++;
        keys_[static_cast<std::size_t>(own.rank)].push_back(
            is_receive(message) ? MessageKey{message.peer, own.rank, message.channel, number}
                                : MessageKey{own.rank, message.peer, message.channel, number});
      }
    }
  }

  const MessageKey& key(Place place) const { return keys_[static_cast<std::size_t>(place.rank)][place.step]; }

  bool is_finished(Rank rank) {
    enter_stages(rank);
    return ranks_[static_cast<std::size_t>(rank)].stage >= schedule(rank).stages.size();
  }

  void enter_stages(Rank rank) {
    RankState& own = ranks_[static_cast<std::size_t>(rank)];
    const Schedule& steps = schedule(rank);
    while (own.stage < steps.stages.size()) {
      for (std::uint32_t s = steps.stages[own.stage]; s < steps.stage_end(own.stage); ++s)
        if (own.state[s] != State::finished)
          return;
      ++own.stage;
    }
  }

  /// Everything that can happen next: steps that can start, and receives that can be completed.
  std::vector<Place> possible(Rank held_back) {
    std::vector<Place> actions;
    for (Rank rank = 0; rank < problem_.ranks; ++rank) {
      if (rank == held_back || is_finished(rank))
        continue;
      const Schedule& own = schedule(rank);
      const std::size_t stage = ranks_[static_cast<std::size_t>(rank)].stage;
      for (std::uint32_t s = own.stages[stage]; s < own.stage_end(stage); ++s) {
        const Place place{rank, s};
        const auto done = [&](std::uint32_t p) {
          return p < own.steps.size() && state({rank, p}) == State::finished;
        };
        if (state(place) == State::waiting
                ? std::ranges::all_of(own.predecessors_of(step(place)), done)
                : state(place) == State::started && is_receive(step(place)) && has_come(place))
          actions.push_back(place);
      }
    }
    return actions;
  }

  bool has_come(Place receive) const {
    return timing_.eager ? in_flight_.contains(key(receive)) : offered_.contains(key(receive));
  }

  void act_until_quiet(Rank held_back) {
    while (true) {
      const std::vector<Place> actions = possible(held_back);
      if (actions.empty())
        return;
      act(actions[random_() % actions.size()]);
    }
  }

  void act(Place place) {
    const Step& now = step(place);
    if (state(place) == State::started) {
      complete_receive(place);
    } else if (is_receive(now)) {
      state(place) = State::started;
    } else if (now.kind == StepKind::send) {
      state(place) = timing_.eager ? State::finished : State::started;
      if (timing_.eager)
        in_flight_[key(place)] = read(place);
      else
        offered_[key(place)] = place;
    } else {
      write(place, read(place));
      state(place) = State::finished;
    }
  }

  void complete_receive(Place receive) {
    if (timing_.eager) {
      write(receive, in_flight_.at(key(receive)));
      in_flight_.erase(key(receive));
    } else {
      const Place send = offered_.at(key(receive));
      offered_.erase(key(receive));
      write(receive, read(send));
      state(send) = State::finished;
    }
    state(receive) = State::finished;
  }

  std::vector<Value> read(Place place) {
    std::vector<Value> values;
    for_each_block(schedule(place.rank).source(step(place)), [&](Buffer buffer, std::int32_t block) {
      values.push_back(memories_[static_cast<std::size_t>(place.rank)].at(buffer, block));
    });
    return values;
  }

  void write(Place place, const std::vector<Value>& values) {
    const Step& now = step(place);
    if (block_count(schedule(place.rank).target(now)) != static_cast<std::int64_t>(values.size()))
      throw Wrong("a message or copy of another length than its target");
    // What comes is combined with what the step names, or with what is there.
    const std::vector<Value> own = now.kind == StepKind::receive_combine ? read(place) : std::vector<Value>();
    if (!own.empty() && own.size() != values.size())
      throw Wrong("a message combined with another number of blocks");
    std::size_t next = 0;
    for_each_block(schedule(place.rank).target(now), [&](Buffer buffer, std::int32_t block) {
      Value& here = memories_[static_cast<std::size_t>(place.rank)].at(buffer, block);
      if (!own.empty())
        here = own[next];
      const Value& there = values[next++];
      if (now.kind != StepKind::combine && now.kind != StepKind::receive_combine)
        here = there;
      else
        here = now.side == Side::left ? combination(there, here) : combination(here, there);
    });
  }

  void check_outputs() {
    std::vector<Value> first;
    for (const Schedule& own : schedules_) {
      Memory& memory = memories_[static_cast<std::size_t>(own.rank)];
      if (!memory.input_is_whole())
        throw Wrong(fmt::format("rank {}: the user's input is written", own.rank));
      const bool undefined = problem_.operation == Operation::exscan && own.rank == 0;
      const std::int32_t outputs = undefined ? 0 : output_units(problem_, own.rank) * own.pieces;
      for (std::int32_t k = 0; k < outputs; ++k) {
        Value value = memory.at(Buffer::output, k);
        if (problem_.operation == Operation::allreduce && own.rank == 0)
          first.push_back(value);
        else if (problem_.operation == Operation::allreduce && value != first[static_cast<std::size_t>(k)])
          throw Wrong(
              fmt::format("rank {}: output block {} is combined otherwise than rank 0's", own.rank, k));
        value = operands(std::move(value));
        if (problem_.commutative)
          std::ranges::sort(value);
        if (value != definition(problem_, own.rank, own.pieces, k))
          throw Wrong(fmt::format("rank {}: output block {} is wrong", own.rank, k));
      }
    }
  }

  const Problem& problem_;
  const std::vector<Schedule>& schedules_;
  const Timing& timing_;
  std::mt19937_64 random_;
  std::vector<Memory> memories_;
  std::vector<RankState> ranks_;
  std::vector<std::vector<MessageKey>> keys_;
  std::map<MessageKey, std::vector<Value>> in_flight_;
  std::map<MessageKey, Place> offered_;
};

} // namespace

std::optional<std::string> what_goes_wrong(const Problem& problem, const std::vector<Schedule>& schedules,
                                           const Timing& timing) {
  try {
    Play(problem, schedules, timing).run();
  } catch (const Wrong& wrong) {
    return wrong.what();
  }
  return std::nullopt;
}

} // namespace thalweg::strategies
