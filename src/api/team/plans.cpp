// SPDX-License-Identifier: BSD-3-Clause
#include "team/plans.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/of_process.hpp"
#include "job/buffers.hpp"
#include "strategies/index.hpp"
#include "strategies/order.hpp"
#include "transport/aggregation/aggregating_transport.hpp"
#include "tune/candidates.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace thalweg::teams {

namespace {

// Calls of a row, by which the model picks where nobody waits for the end of one (Nishtala
// 2009).
constexpr std::int32_t row_length = 10;

// Values are short. Few ranks are connected for them.
strategies::Scheduled own_strategy(schedule::Operation operation) {
  using schedule::Operation;
  THALWEG_ASSERT(normal, operation == Operation::barrier || operation == Operation::allgather ||
                             operation == Operation::allreduce);
  const char* const name = operation == Operation::barrier     ? "dissemination"
                           : operation == Operation::allgather ? "gather_broadcast"
                                                               : "recursive_exchange";
  return strategies::Scheduled(strategies::find(operation, name));
}

} // namespace

struct Plans::Entry {
  std::shared_ptr<const engine::Plan> plan;
  std::size_t held_bytes = 0;
  const char* strategy = "";
  std::vector<std::unique_ptr<Runner>> idle;
};

Runner::Runner(std::shared_ptr<const engine::Plan> plan, transport::Transport& transport,
               std::size_t held_bytes, const char* strategy)
    : plan_(std::move(plan)), held_bytes_(held_bytes), strategy_(strategy), batch_(transport.make_batch()),
      execution_(std::make_unique<engine::Execution>(*plan_, *batch_)) {}

void Runner::start(std::byte* input, std::byte* output, engine::Tags tags, engine::Operator* combine) {
  THALWEG_ASSERT(normal, held_bytes_ == 0 || input != nullptr);
  if (held_bytes_ > 0)
    input = static_cast<std::byte*>(std::memcpy(held_.grow(held_bytes_), input, held_bytes_));
  execution_->start({input, output, scratch_.grow(static_cast<std::size_t>(plan_->scratch_bytes())),
                     staging_.grow(static_cast<std::size_t>(plan_->staging_bytes()))},
                    tags, combine);
}

void RunnerReturn::operator()(Runner* runner) const {
  std::unique_ptr<Runner> ended(runner);
  if (const auto kept = entry.lock())
    kept->idle.push_back(std::move(ended));
}

Plans::Plans(const job::Group& group, std::shared_ptr<const job::Knowledge> knowledge, const Plans* whole)
    : group_(group), knowledge_(std::move(knowledge)),
      model_choices_(whole == nullptr ? std::make_shared<ModelChoices>() : whole->model_choices_),
      node_places_(knowledge_->network.of(group.placement())),
      orders_(strategies::rank_orders(group.placement().nodes, group.placement().sockets, node_places_)) {
  for (const tune::Pick& pick : knowledge_->picks)
    picks_[pick.call].add(pick.ranks, pick.nodes, pick);
  for (const tune::Pick& pick : knowledge_->of_teams)
    picks_of_teams_[static_cast<std::size_t>(std::ranges::find(tune::modes, pick.mode) - tune::modes.begin())]
                   [pick.call]
                       .add(pick.ranks, pick.nodes, pick);
}

BorrowedRunner Plans::runner_for(const TeamCall& call, bool commutes) {
  engine::PlanKey key{static_cast<std::int64_t>(call.operation),
                      call.root,
                      static_cast<std::int64_t>(call.unit_bytes()),
                      static_cast<std::int64_t>(call.element_bytes),
                      call.in_place() ? 1 : 0,
                      static_cast<std::int64_t>(call.mode().number()),
                      commutes ? 1 : 0,
                      call.is_own               ? -1
                      : call.learned == nullptr ? 0
                                                : call.learned->number};
  std::shared_ptr<Entry> entry = entries_.find(key);
  if (!entry) {
    entry = make_entry(call, commutes);
    entries_.insert(std::move(key), entry);
  }
  std::unique_ptr<Runner> runner;
  if (entry->idle.empty()) {
    runner = std::make_unique<Runner>(entry->plan, group_.transport(), entry->held_bytes, entry->strategy);
  } else {
    THALWEG_ASSERT(normal, entry->idle.back() != nullptr);
    runner = std::move(entry->idle.back());
    entry->idle.pop_back();
  }
  return {runner.release(), RunnerReturn{entry}};
}

schedule::Problem Plans::problem_of(const TeamCall& call, bool commutes) const {
  return {.operation = call.operation,
          .ranks = group_.ranks(),
          .root = call.root,
          .commutative = commutes,
          .unit_bytes = static_cast<std::int64_t>(call.unit_bytes()),
          .nodes = group_.nodes(),
          .sockets = group_.sockets(),
          .orders = orders_};
}

std::shared_ptr<Plans::Entry> Plans::make_entry(const TeamCall& call, bool commutes) const {
  schedule::Problem problem = problem_of(call, commutes);
  const strategies::Scheduled chosen = call.is_own ? own_strategy(call.operation)
                                       : call.learned != nullptr && can_run(call.learned->scheduled, problem)
                                           ? call.learned->scheduled
                                           : choose(problem, call.mode()).scheduled;
  const strategies::Strategy& strategy = chosen.strategy();
  problem.parameters = chosen.parameters();
  const job::BufferUse use = job::buffer_use(call.in_place(), strategy.in_place);
  problem.in_place = use.in_place;
  const std::int32_t pieces = strategies::pieces(strategy, problem);
  const engine::Layouts layouts = engine::uniform_layouts(
      problem, pieces, static_cast<std::int64_t>(call.count), static_cast<std::int64_t>(call.element_bytes));
  const bool reduces = schedule::is_reduction(call.operation);
  const engine::Combining combining{reduces ? call.element_bytes : 1,
                                    reduces ? group_.transport().max_granule() : 0};
  auto entry = std::make_shared<Entry>();
  entry->plan = std::make_shared<const engine::Plan>(strategies::build(strategy, problem, group_.rank()),
                                                     layouts, combining);
  entry->held_bytes = use.copies_input ? call.unit_bytes() : 0;
  entry->strategy = kept_text(strategies::to_text(chosen));
  return entry;
}

namespace {

// Why no team can run it, whatever the problem; or nothing.
std::string not_of_teams(const strategies::Selection& selection) {
  if (selection.call->is_variant || !is_of_teams(selection.call->operation))
    return fmt::format("a team has no {}", selection.call->name);
  const auto* scheduled = std::get_if<strategies::Scheduled>(&selection.implementation);
  if (scheduled == nullptr)
    return "a team has no native collectives";
  return scheduled->strategy().offloads ? "network devices run MPI calls, and none of a team" : "";
}

// Why the strategy cannot do the problem, or nothing.
std::string unsupported_reason(const strategies::Scheduled& scheduled, schedule::Problem problem) {
  problem.parameters = scheduled.parameters();
  return strategies::unsupported_reason(scheduled.strategy(), problem).value_or("");
}

// The schedule of an implementation that a team can run; null for the library's own and what devices run.
const strategies::Scheduled* schedule_of(const strategies::Implementation& implementation,
                                         const schedule::Problem& problem) {
  const auto* scheduled = std::get_if<strategies::Scheduled>(&implementation);
  const bool is_runnable = scheduled != nullptr && !scheduled->strategy().offloads &&
                           unsupported_reason(*scheduled, problem).empty();
  return is_runnable ? scheduled : nullptr;
}

// What of a pick a team can run, or null.
const strategies::Scheduled* schedule_of(const tune::Pick& pick, const schedule::Problem& problem) {
  const strategies::Scheduled* const found = schedule_of(pick.use, problem);
  return found == nullptr && pick.fallback ? schedule_of(*pick.fallback, problem) : found;
}

} // namespace

void Plans::use(const std::string& selections, Selector selector) {
  std::vector<strategies::Selection> chosen = strategies::parse_selections(selections);
  if (selector == Selector::program)
    for (const strategies::Selection& selection : chosen)
      if (const std::string reason = not_of_teams(selection); !reason.empty())
        throw Error(fmt::format("{}: {}", strategies::to_text(selection), reason),
                    "choose a strategy that runs on messages, for a collective of teams",
                    thalweg_error_unsupported);
  chosen_ = std::move(chosen);
  selector_ = selector;
  entries_.clear();
}

bool Plans::can_run(const strategies::Scheduled& scheduled, const schedule::Problem& problem) {
  return !scheduled.strategy().offloads && unsupported_reason(scheduled, problem).empty();
}

bool Plans::is_tuned(const schedule::Problem& problem, Mode mode) const {
  const tune::Pick* const pick = pick_of_teams(problem, mode);
  return pick != nullptr && pick->mode == tune::modes[mode.number()] &&
         std::bit_width(static_cast<std::uint64_t>(pick->bytes)) ==
             std::bit_width(static_cast<std::uint64_t>(problem.unit_bytes)) &&
         !pick->source.ends_with("unfinished");
}

bool Plans::is_selected(schedule::Operation operation) const {
  return strategies::selected(chosen_, *strategies::find_call(schedule::name(operation))) != nullptr;
}

TeamChoice Plans::choose(const schedule::Problem& problem, Mode mode) const {
  const strategies::Call& call = *strategies::find_call(schedule::name(problem.operation));
  const strategies::Selection* const chosen = strategies::selected(chosen_, call);
  if (chosen != nullptr) {
    const char* const origin =
        selector_ == Selector::program ? "chosen by the program" : "chosen by THALWEG_USE";
    if (const strategies::Scheduled* const found = schedule_of(chosen->implementation, problem))
      return {*found, origin};
    if (selector_ == Selector::program)
      throw Error(fmt::format("{} cannot do {} bytes on {} ranks: {}", strategies::to_text(*chosen),
                              problem.unit_bytes, problem.ranks,
                              unsupported_reason(strategies::schedule_of(*chosen), problem)),
                  "choose another strategy, or none");
  }
  const std::optional<TeamChoice> tuned = best_by_tuning(problem, mode);
  TeamChoice choice = tuned ? *tuned : best_by_model(problem, mode);
  if (chosen != nullptr)
    choice.origin += fmt::format(", as no team runs {} of THALWEG_USE here", strategies::to_text(*chosen));
  return choice;
}

// Of the call's own mode, else of one in which the same counts: the end of a call, or that of a row.
const tune::Pick* Plans::pick_of_teams(const schedule::Problem& problem, Mode mode) const {
  const auto pick_in = [&](std::size_t number) -> const tune::Pick* {
    const Picks& picks = picks_of_teams_[number];
    const auto known = picks.find(schedule::name(problem.operation));
    return known == picks.end()
               ? nullptr
               : known->second.nearest(problem.ranks, group_.node_count(), problem.unit_bytes);
  };
  if (const tune::Pick* const own = pick_in(mode.number()))
    return own;
  for (const thalweg_sync before : {thalweg_sync_mine, thalweg_sync_all, thalweg_sync_none})
    for (const thalweg_sync after : {thalweg_sync_mine, thalweg_sync_all, thalweg_sync_none})
      if (const Mode other{before, after}; other.is_in_row() == mode.is_in_row())
        if (const tune::Pick* const found = pick_in(other.number()))
          return found;
  return nullptr;
}

// What was found best for the nearest size, unless it is the library's own or runs on devices: then what was
// best without them, or the model has to say. Of teams' picks, native is what the model says.
std::optional<TeamChoice> Plans::best_by_tuning(const schedule::Problem& problem, Mode mode) const {
  const auto known = picks_.find(schedule::name(problem.operation));
  const tune::Pick* best = pick_of_teams(problem, mode);
  if (best == nullptr && known != picks_.end())
    best = known->second.nearest(problem.ranks, group_.node_count(), problem.unit_bytes);
  const strategies::Scheduled* const found = best == nullptr ? nullptr : schedule_of(*best, problem);
  if (found == nullptr)
    return std::nullopt;
  return TeamChoice{*found, "by the tuning file"};
}

namespace {

/// All that the model's answer depends on, for one machine.
engine::PlanKey key_of(const schedule::Problem& problem, Mode mode, const job::Placement& placement) {
  engine::PlanKey key{static_cast<std::int64_t>(problem.operation), problem.root, problem.unit_bytes,
                      problem.commutative ? 1 : 0, mode.is_in_row() ? 1 : 0};
  key.insert(key.end(), placement.nodes.begin(), placement.nodes.end());
  key.push_back(-1); // no node's number
  for (const std::uint64_t id : placement.node_ids)
    key.push_back(static_cast<std::int64_t>(id));
  key.insert(key.end(), placement.sockets.begin(), placement.sockets.end());
  return key;
}

} // namespace

TeamChoice Plans::best_by_model(const schedule::Problem& problem, Mode mode) const {
  return model_choices_->choice(key_of(problem, mode, group_.placement()),
                                [&] { return ask_model(problem, mode); });
}

tune::Case Plans::model_case(const schedule::Problem& problem, Mode mode) const {
  tune::Case wanted{.call = strategies::find_call(schedule::name(problem.operation)),
                    .bytes = problem.unit_bytes,
                    .ranks = problem.ranks,
                    .nodes = *group_.nodes(),
                    .sockets = group_.placement().sockets,
                    .node_places = node_places_,
                    .orders = orders_,
                    .may_offload = false};
  if (mode.is_in_row()) {
    const bool is_short = static_cast<std::size_t>(problem.unit_bytes) <= transport::max_aggregated_bytes;
    if (is_short && group_.has_far_ranks())
      wanted.bytes *= row_length; // they travel together
    else
      wanted.calls_in_row = row_length;
  }
  return wanted;
}

TeamChoice Plans::ask_model(const schedule::Problem& problem, Mode mode) const {
  for (const tune::Candidate& candidate :
       tune::candidates(model_case(problem, mode), knowledge_->machine.machine, tune::Breadth::defaults))
    if (unsupported_reason(candidate.scheduled, problem).empty())
      return {candidate.scheduled, knowledge_->machine.is_probed ? "by the model of the probed machine"
                                                                 : "by the model of a default machine"};
  throw Error(fmt::format("no strategy can do a {} of {} bytes on {} ranks",
                          schedule::name(problem.operation), problem.unit_bytes, problem.ranks),
              "please report this");
}

} // namespace thalweg::teams
