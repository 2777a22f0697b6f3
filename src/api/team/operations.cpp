// SPDX-License-Identifier: BSD-3-Clause
#include "team/operations.hpp"

#include "job/library/mpi_library.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace thalweg::teams {

namespace {

// Tags come round again after 255 calls, and a call takes up to three.
constexpr std::size_t max_in_flight = 64;

/// All teams of the process.
struct Everybody {
  std::recursive_mutex mutex;
  bool is_visiting = false; // a callback may wait in turn, of the same thread
  std::vector<Operations*> teams;
};

Everybody& everybody() {
  static Everybody all;
  return all;
}

/// Calls `visit` with each team but one that has something under way, and that no other thread is in a call
/// of. Not where a thread does that already.
template <typename Visit>
void each_other(const Operations* own, Visit visit) {
  Everybody& all = everybody();
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  if (!lock.owns_lock() || all.is_visiting)
    return;
  all.is_visiting = true;
  const InTeams in_teams;
  for (Operations* const other : all.teams) {
    const std::unique_lock idle(other->in_call(), std::try_to_lock);
    if (other == own || !idle.owns_lock() || !other->are_under_way())
      continue;
    visit(*other);
    other->note_under_way();
  }
  all.is_visiting = false;
}

} // namespace

int& InTeams::depth() {
  static thread_local int depth = 0;
  return depth;
}

InFlightOperation::InFlightOperation(const TeamCall& call, Part before, Part body, Part after)
    : call_(call), parts_{std::move(before), std::move(body), std::move(after)},
      strategy_(parts_[1].runner->strategy()) {
  if (schedule::is_reduction(call.operation))
    operator_.emplace(job::library_api(), job::library_operators(), call.op, call.type,
                      static_cast<std::int64_t>(call.element_bytes));
}

void InFlightOperation::agree(Part agreement, bool is_reached) {
  THALWEG_ASSERT(light, !has_begun_ && agreement.runner != nullptr && parts_[0].runner == nullptr);
  agreement_ = std::move(agreement);
  is_reached_ = std::byte{is_reached};
  either_.emplace(job::library_api(), job::library_operators(), MPI_BOR, MPI_BYTE, 1);
}

// All do before they wait for all, or return.
bool InFlightOperation::waits_for_agreement() const {
  const bool is_before_body = at_ <= 1 && call_.before == thalweg_sync_all && is_reached_ != std::byte{0};
  return agreement_.runner != nullptr && (is_before_body || at_ > 1);
}

void InFlightOperation::progress_agreement() {
  if (agreement_.runner == nullptr || !agreement_.runner->execution().progress())
    return;
  either_->finish();
  agreement_.runner.reset();
  if (is_any_reached_ == std::byte{0})
    parts_[2].runner.reset();
}

void InFlightOperation::start_part() {
  while (at_ < parts_.size() && !parts_[at_].runner)
    ++at_;
  if (at_ == parts_.size())
    return;
  Part& part = parts_[at_];
  part.runner->start(call_.input, call_.output, part.tags, operator_ ? &*operator_ : nullptr);
  is_in_part_ = true;
}

void InFlightOperation::end_part() {
  if (operator_)
    operator_->finish();
  parts_[at_].runner.reset();
  ++at_;
  is_in_part_ = false;
}

bool InFlightOperation::begin() {
  if (followed_ != nullptr && !followed_->have_all_landed())
    return false;
  followed_ = nullptr;
  if (!std::exchange(has_begun_, true) && agreement_.runner != nullptr)
    agreement_.runner->start(&is_reached_, &is_any_reached_, agreement_.tags, &*either_);
  return true;
}

bool InFlightOperation::progress() {
  if (!begin())
    return false;
  for (;;) {
    progress_agreement();
    if (has_finished())
      return true;
    if (waits_for_agreement())
      return false;
    if (!is_in_part_)
      start_part();
    else if (parts_[at_].runner->execution().progress())
      end_part();
    else
      return false;
  }
}

void InFlightOperation::run() {
  const bool has_begun = begin();
  THALWEG_ASSERT(light, has_begun && agreement_.runner == nullptr);
  while (!has_finished()) {
    if (!is_in_part_)
      start_part();
    if (!is_in_part_)
      continue;
    parts_[at_].runner->execution().run();
    end_part();
  }
}

Operations::Operations(const job::Group& group, Plans& plans)
    : group_(group), plans_(plans), policy_(group.channels().policy()), tags_(group.transport().tag_limit()) {
  policy_.progress_others = progress_everywhere;
  policy_.context = this;
  const std::scoped_lock lock(everybody().mutex);
  everybody().teams.push_back(this);
}

Operations::~Operations() {
  const std::scoped_lock lock(everybody().mutex);
  note(false);
  const auto erased = std::erase(everybody().teams, this);
  THALWEG_ASSERT(light, erased == 1);
}

InFlightOperation::Part Operations::part_of(const TeamCall& call, bool commutes) {
  return {plans_.runner_for(call, commutes), tags_.for_call()};
}

namespace {

// Do ranks agree on whose buffers are reached? Those that share a node may share memory of the program's own.
bool agrees_on(const TeamCall& call, const job::Group& group) {
  const bool waits_for_all = call.before == thalweg_sync_all || call.after == thalweg_sync_all;
  return waits_for_all && group.node_count() == group.ranks() && group.ranks() > 1;
}

} // namespace

OperationPointer Operations::make(const TeamCall& call, bool commutes) {
  const auto barrier_if = [this](bool is_wanted) {
    return is_wanted ? part_of(TeamCall{}, true) : InFlightOperation::Part{};
  };
  const bool agrees = agrees_on(call, group_);
  InFlightOperation::Part before = barrier_if(call.before == thalweg_sync_all && !agrees);
  InFlightOperation::Part body = part_of(call, commutes);
  InFlightOperation::Part after = barrier_if(call.after == thalweg_sync_all);
  auto made = std::make_shared<InFlightOperation>(call, std::move(before), std::move(body), std::move(after));
  if (agrees)
    made->agree(part_of({.operation = schedule::Operation::allreduce,
                         .count = 1,
                         .type = MPI_BYTE,
                         .op = MPI_BOR,
                         .is_own = true},
                        true),
                is_reached(group_, call));
  const bool is_barrier = call.operation == schedule::Operation::barrier && !call.is_own;
  if (companion_ != nullptr && (is_barrier || call.before == thalweg_sync_all))
    made->follow(*companion_);
  return made;
}

// Executions hold on to others' messages until they have looked at them: all go on whenever one is waited
// for.
OperationPointer Operations::keep(OperationPointer made) {
  THALWEG_ASSERT(light, made != nullptr);
  progress();
  if (made->progress())
    return nullptr;
  in_flight_.push_back(made);
  if (in_flight_.size() > max_in_flight)
    wait(*in_flight_.front());
  THALWEG_ASSERT(light, in_flight_.size() <= max_in_flight);
  return made;
}

// What this rank has for others leaves before it goes away, perhaps for long: where its own part is done,
// nothing tells the program to come back.
OperationPointer Operations::start(OperationPointer made) {
  OperationPointer started = keep(std::move(made));
  group_.channels().flush();
  return started;
}

void Operations::run(OperationPointer made, bool is_loose) {
  if (is_loose) {
    keep(std::move(made));
    group_.channels().flush_unless_in_row();
  } else if (!are_under_way() && !group_.has_far_ranks() && !others_are_under_way()) {
    made->run();
  } else {
    run_to_end(made);
  }
}

void Operations::run_to_end(const OperationPointer& made) {
  keep(made);
  wait(*made);
  THALWEG_ASSERT(light, made->has_finished());
}

// A program that tests in a loop waits too, and may do nothing else that lets the library go on.
bool Operations::test(const std::function<bool()>& is_reached) {
  progress();
  group_.channels().flush();
  if (!is_reached())
    progress_everywhere(this);
  return is_reached();
}

void Operations::maximize(std::span<double> values) {
  auto* const memory = reinterpret_cast<std::byte*>(values.data());
  run_to_end(make({.operation = schedule::Operation::allreduce,
                   .input = memory,
                   .output = memory,
                   .count = values.size(),
                   .element_bytes = sizeof(double),
                   .type = MPI_DOUBLE,
                   .op = MPI_MAX,
                   .is_own = true},
                  true));
}

void Operations::let_go_on() {
  progress();
  group_.channels().flush();
  progress_everywhere(this);
}

void Operations::wait_for(const std::function<bool()>& is_reached) {
  wait_until(is_reached);
}

void Operations::wait(const InFlightOperation& operation) {
  wait_until([&operation] { return operation.has_finished(); });
}

void Operations::complete() {
  if (companion_ != nullptr)
    companion_->ask_for_reports();
  wait_until(
      [this] { return in_flight_.empty() && (companion_ == nullptr || companion_->have_all_landed()); });
}

wait::Visit Operations::progress_everywhere(void* operations) {
  auto& self = *static_cast<Operations*>(operations);
  const wait::Policy& below = self.group_.channels().policy();
  const wait::Visit visit = below.progress_others(below.context);
  const bool moved = self.progress();
  self.group_.channels().flush(); // the wait may end with this visit, and the call with it
  return std::max({visit, self.visit_others(), moved ? wait::Visit::moved : wait::Visit::idle});
}

wait::Visit Operations::go_on() noexcept {
  bool moved = false;
  try {
    moved = progress();
    group_.channels().flush();
  } catch (...) {
    failure_ = std::current_exception();
  }
  if (moved)
    return wait::Visit::moved;
  return in_flight_.empty() ? wait::Visit::idle : wait::Visit::pending;
}

wait::Visit Operations::visit_others() const {
  wait::Visit all = wait::Visit::idle;
  if (!others_are_under_way())
    return all;
  each_other(this, [&](Operations& other) { all = std::max(all, other.go_on()); });
  return all;
}

void Operations::note(bool has_any) {
  if (has_any != is_noted_)
    teams_under_way.fetch_add(has_any ? 1 : -1, std::memory_order_relaxed);
  is_noted_ = has_any;
  THALWEG_ASSERT(light, teams_under_way.load(std::memory_order_relaxed) >= (is_noted_ ? 1 : 0));
}

// An operation that fails has left nothing behind in the list, and is looked at again.
bool Operations::progress() {
  if (failure_)
    std::rethrow_exception(std::exchange(failure_, nullptr));
  bool moved = companion_ != nullptr && companion_->progress();
  for (auto operation = in_flight_.begin(); operation != in_flight_.end();) {
    const bool has_finished = (*operation)->progress();
    moved |= has_finished;
    operation = has_finished ? in_flight_.erase(operation) : std::next(operation);
  }
  return moved;
}

// What others still need of this rank goes before it is away, perhaps for long.
template <typename Condition>
void Operations::wait_until(Condition is_reached) {
  group_.channels().flush();
  if (is_reached())
    return;
  auto look = [&] {
    group_.channels().flush();
    const bool moved = progress();
    if (is_reached()) {
      group_.channels().flush();
      return wait::Look::reached;
    }
    return moved ? wait::Look::moved : wait::Look::nothing;
  };
  wait::until(policy_, look);
}

wait::Visit visit_teams() {
  wait::Visit all = wait::Visit::idle;
  each_other(nullptr, [&](Operations& other) { all = std::max(all, other.go_on()); });
  return all;
}

} // namespace thalweg::teams
