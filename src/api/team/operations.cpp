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

bool InFlightOperation::begin() {
  if (followed_ != nullptr && !followed_->have_all_landed())
    return false;
  followed_ = nullptr;
  if (!std::exchange(has_begun_, true))
    start_part();
  return true;
}

bool InFlightOperation::progress() {
  if (!begin())
    return false;
  while (!has_finished()) {
    if (!parts_[at_].runner->execution().progress())
      return false;
    next_part();
  }
  return true;
}

void InFlightOperation::run() {
  const bool has_begun = begin();
  THALWEG_ASSERT(light, has_begun);
  while (!has_finished()) {
    parts_[at_].runner->execution().run();
    next_part();
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

OperationPointer Operations::make(const TeamCall& call, bool commutes) {
  const auto barrier_if = [this](thalweg_sync wanted) {
    return wanted == thalweg_sync_all ? part_of(TeamCall{}, true) : InFlightOperation::Part{};
  };
  InFlightOperation::Part before = barrier_if(call.before);
  InFlightOperation::Part body = part_of(call, commutes);
  InFlightOperation::Part after = barrier_if(call.after);
  auto made = std::make_shared<InFlightOperation>(call, std::move(before), std::move(body), std::move(after));
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
