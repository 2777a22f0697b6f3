// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/schedules.hpp"

#include "base/error.hpp"
#include "model/step_costs.hpp"
#include "schedule/goal.hpp"
#include "simulate/program_builder.hpp"
#include "strategies/degree.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace thalweg::simulate {

namespace {

using schedule::GoalNode;
using schedule::Schedule;
using schedule::Step;
using strategies::Sample;

constexpr std::uint64_t operations_allowed = std::uint64_t{1} << 30;

/// Of each rank's steps, bytes of their messages; empty: as units say.
using MessageBytes = std::vector<std::vector<std::int64_t>>;

/// What a schedule's operations cost.
class Prices {
public:
  virtual ~Prices() = default;
  virtual void begin(const Schedule& schedule) = 0;
  virtual MessageCost message(std::uint32_t step, const Step& what) const = 0;
  /// Of a copy, of a combination, or of what a receive does with its message; negative: it has nothing to do.
  virtual Ticks local(std::uint32_t step, const Step& what) const = 0;
};

class LogGopsPrices final : public Prices {
public:
  LogGopsPrices(const schedule::GoalSizes& sizes, const LogGops& parameters, MessageBytes bytes)
      : sizes_(sizes), parameters_(parameters), bytes_(std::move(bytes)) {}
  void begin(const Schedule& schedule) override { schedule_ = &schedule; }
  MessageCost message(std::uint32_t step, const Step& what) const override {
    return parameters_.cost(bytes_.empty() ? schedule::message_bytes(*schedule_, what, sizes_)
                                           : bytes_[static_cast<std::size_t>(schedule_->rank)][step]);
  }
  Ticks local(std::uint32_t, const Step& what) const override {
    return what.kind == schedule::StepKind::receive ? -1 : schedule::local_ticks(*schedule_, what, sizes_);
  }

private:
  const schedule::GoalSizes& sizes_;
  const LogGops& parameters_;
  MessageBytes bytes_;
  const Schedule* schedule_ = nullptr;
};

class MachinePrices final : public Prices {
public:
  MachinePrices(std::int64_t unit_bytes, const model::Scenario& scenario)
      : unit_bytes_(unit_bytes), scenario_(scenario) {}
  void begin(const Schedule& schedule) override {
    rank_ = schedule.rank;
    costs_.emplace(schedule, unit_bytes_, scenario_);
  }
  MessageCost message(std::uint32_t step, const Step& what) const override {
    const model::StepCost& priced = (*costs_)[step];
    MessageCost cost = message_cost(level(what), priced.bytes);
    cost.send_overhead = std::max<Ticks>(ticks_of(priced.begin) - cost.send_bytes, 0);
    cost.receive_overhead += ticks_of(scenario_.machine.step.value);
    return cost;
  }
  Ticks local(std::uint32_t step, const Step& what) const override {
    const model::StepCost& priced = (*costs_)[step];
    if (!schedule::is_message(what))
      return ticks_of(priced.begin);
    const MessageCost taken = message_cost(level(what), priced.bytes);
    const Ticks further = ticks_of(priced.finish) - taken.receive();
    return further > 1 ? further : -1; // a nanosecond is what rounding makes of none
  }

private:
  const machine::LevelCosts& level(const Step& what) const {
    return scenario_.machine.at(model::level_between(scenario_, rank_, what.peer));
  }

  std::int64_t unit_bytes_;
  const model::Scenario& scenario_;
  Rank rank_ = 0;
  std::optional<model::StepCosts> costs_;
};

/// Appends a rank's operations to a program.
class ProgramSink final : public schedule::GoalSink {
public:
  ProgramSink(ProgramBuilder& builder, Prices& prices) : builder_(builder), prices_(prices) {}

  void write(const Schedule& schedule) {
    prices_.begin(schedule);
    steps_.assign(schedule.steps.size(), 0);
    afters_.assign(schedule.steps.size(), 0);
    schedule::write_goal_operations(schedule, *this);
    builder_.end_rank();
  }

  bool has_after(std::uint32_t step, const Step& what) const override {
    return prices_.local(step, what) >= 0;
  }

  void add(GoalNode node, const Step& what, std::uint32_t tag) override {
    if (node.part == GoalNode::Part::after || !schedule::is_message(what))
      place(node) = builder_.compute(prices_.local(node.number, what));
    else if (schedule::is_receive(what))
      place(node) = builder_.receive(what.peer, tag);
    else
      place(node) = builder_.send(what.peer, tag, prices_.message(node.number, what));
  }
  void add_end(GoalNode node) override { place(node) = builder_.compute(0); }
  void require(GoalNode later, GoalNode earlier) override { builder_.require(place(later), place(earlier)); }

private:
  std::uint32_t& place(GoalNode node) {
    if (node.part == GoalNode::Part::end)
      return end_; // of the last stage that had one: no other is required any more
    return (node.part == GoalNode::Part::after ? afters_ : steps_)[node.number];
  }

  ProgramBuilder& builder_;
  Prices& prices_;
  std::vector<std::uint32_t> steps_;
  std::vector<std::uint32_t> afters_;
  std::uint32_t end_ = 0;
};

/// Ranks of all kinds that strategies tell apart: first and last, odd and even, powers of two, those between.
std::set<Rank> ranks_to_look_at(std::int32_t ranks) {
  std::set<Rank> chosen{0, ranks - 1, ranks / 2, ranks / 3, ranks / 2 + 1, ranks / 5 * 4};
  for (std::int64_t power = 1; power < ranks; power *= 8)
    chosen.insert({static_cast<Rank>(power), static_cast<Rank>(power - 1)});
  return chosen;
}

Program written(const Sample& sample, Prices& prices, const std::set<Rank>& some,
                std::optional<Likeness> only) {
  ProgramBuilder builder(sample.problem.ranks);
  if (only)
    builder.share_only(*only);
  ProgramSink sink(builder, prices);
  for (const Rank rank : some) {
    builder.skip_to(rank);
    sink.write(strategies::build(sample, rank));
  }
  return builder.finish();
}

/// The program of one rank that stands for all, if those that are looked at are alike.
std::optional<StrategyProgram> folded(const Sample& sample, Prices& prices, const std::set<Rank>& some) {
  for (const Likeness likeness : {Likeness::by_difference, Likeness::by_bits}) {
    StrategyProgram found{written(sample, prices, some, likeness), static_cast<std::uint32_t>(some.size())};
    Program& program = found.program;
    if (program.patterns.size() != 1 || program.patterns[0].has_any)
      continue;
    program.ranks.resize(1);
    program.ranks[0].likeness = likeness;
    program.operation_count = program.patterns[0].size;
    program.channel_count = program.patterns[0].channels;
    program.folded = static_cast<std::uint32_t>(sample.problem.ranks);
    return found;
  }
  return std::nullopt;
}

StrategyProgram program_of(const Sample& sample, Prices& prices, std::uint64_t folds_from) {
  const auto ranks = static_cast<std::uint64_t>(sample.problem.ranks);
  const std::set<Rank> some = ranks_to_look_at(sample.problem.ranks);
  const std::uint64_t operations =
      written(sample, prices, {0, sample.problem.ranks - 1}, {}).operation_count * ranks / 2;
  if (operations >= folds_from)
    if (auto found = folded(sample, prices, some))
      return std::move(*found);
  if (operations > operations_allowed)
    throw Error(fmt::format("the ranks have about {} operations, and are not alike", operations),
                fmt::format("simulate at most {}: fewer ranks, or a strategy with fewer messages",
                            operations_allowed));
  ProgramBuilder builder(sample.problem.ranks);
  ProgramSink sink(builder, prices);
  for (Rank rank = 0; rank < sample.problem.ranks; ++rank)
    sink.write(strategies::build(sample, rank));
  return {builder.finish()};
}

} // namespace

StrategyProgram program_of(const Sample& sample, const schedule::GoalSizes& sizes, const LogGops& parameters,
                           std::uint64_t folds_from) {
  schedule::GoalSizes of_blocks = sizes;
  of_blocks.unit_bytes = strategies::block_bytes(sample, sizes.unit_bytes);
  LogGopsPrices prices(of_blocks, parameters, strategies::message_bytes(sample, sizes.unit_bytes));
  return program_of(sample, prices, folds_from);
}

StrategyProgram program_of(const Sample& sample, std::int64_t unit_bytes, const machine::Machine& machine,
                           std::uint64_t folds_from) {
  const std::span<const std::int32_t> nodes = sample.problem.nodes
                                                  ? std::span<const std::int32_t>(*sample.problem.nodes)
                                                  : std::span<const std::int32_t>();
  const MessageBytes bytes = strategies::message_bytes(sample, unit_bytes);
  const model::Scenario scenario{.machine = machine, .nodes = nodes, .message_bytes = bytes};
  MachinePrices prices(strategies::block_bytes(sample, unit_bytes), scenario);
  return program_of(sample, prices, folds_from);
}

} // namespace thalweg::simulate
