// SPDX-License-Identifier: BSD-3-Clause
#include "team/team.hpp"

#include "job/library/communicator.hpp"
#include "job/library/mpi_calls.hpp"
#include "job/library/mpi_library.hpp"
#include "team/checking.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace thalweg::teams {

namespace {

// Tags come round again after 255 calls, and a call takes up to three.
constexpr std::size_t max_in_flight = 64;

bool wants_checks() {
  const char* const value = std::getenv("THALWEG_CHECK");
  return value != nullptr && std::string_view(value) == "1";
}

} // namespace

Team::Team(MPI_Comm communicator) : Team(job::duplicate(communicator, "team"), nullptr) {}

Team::Team(std::shared_ptr<job::ShadowCommunicator> shadow, const Team& whole)
    : Team(std::move(shadow), &whole) {}

Team::Team(std::shared_ptr<job::ShadowCommunicator> shadow, const Team* whole)
    : group_(std::move(shadow), whole == nullptr ? nullptr : &whole->group_),
      policy_(group_.channels().policy()), is_checked_(wants_checks()),
      knowledge_(whole == nullptr ? std::make_shared<const job::Knowledge>(job::agree_on_knowledge(group_))
                                  : whole->knowledge_),
      plans_(group_, knowledge_, whole == nullptr ? nullptr : &whole->plans_),
      tags_(group_.transport().tag_limit()) {
  policy_.progress_others = progress_team;
  policy_.context = this;
  if (const char* const selections = std::getenv("THALWEG_USE"))
    plans_.use(selections, Selector::environment);
}

void Team::use(const std::string& selections) {
  complete();
  plans_.use(selections, Selector::program);
}

std::string Team::strategy(thalweg_collective collective, std::size_t bytes) const {
  const schedule::Problem problem{.operation = operation_of(collective),
                                  .ranks = group_.ranks(),
                                  .unit_bytes = static_cast<std::int64_t>(bytes),
                                  .nodes = group_.nodes()};
  const TeamChoice choice = plans_.choose(problem, Aim::latency);
  const std::string usual = strategies::to_text(choice.scheduled);
  const std::string loose = strategies::to_text(plans_.choose(problem, Aim::throughput).scheduled);
  return fmt::format("{}={}{}, {}", schedule::name(problem.operation), usual,
                     loose == usual ? "" : fmt::format(" (loose: {})", loose), choice.origin);
}

std::shared_ptr<job::ShadowCommunicator> Team::split(int color, int key) {
  barrier_with_progress();
  MPI_Comm part = MPI_COMM_NULL;
  job::must(PMPI_Comm_split(group_.communicator(), color < 0 ? MPI_UNDEFINED : color, key, &part),
            "MPI_Comm_split");
  return part == MPI_COMM_NULL ? nullptr : job::ShadowCommunicator::adopt(job::library_api(), part);
}

std::byte* Team::allocate(std::size_t bytes) {
  barrier_with_progress();
  return memory_.allocate(group_, bytes);
}

// Others may still read what is released here, or write into it, until they have come here too.
void Team::release(const void* begin) {
  barrier(__builtin_return_address(0));
  memory_.release(begin);
}

std::byte* Team::reach(const void* address, Rank rank) const {
  if (rank < 0 || rank >= group_.ranks())
    return nullptr;
  const Allocation* const allocation = memory_.find(address);
  if (allocation == nullptr)
    return nullptr;
  const auto offset = static_cast<const std::byte*>(address) - allocation->begin();
  if (rank == group_.rank())
    return allocation->begin() + offset;
  const Rank near = group_.near_rank(rank);
  std::byte* const begin = near < 0 ? nullptr : allocation->of(near);
  return begin == nullptr ? nullptr : begin + offset;
}

InFlightOperation::Part Team::part_for(const TeamCall& call, bool commutes) {
  return {plans_.runner_for(call, commutes), tags_.for_call()};
}

InFlightOperation::Part Team::barrier_if(bool wanted) {
  return wanted ? part_for(TeamCall{}, true) : InFlightOperation::Part{};
}

std::shared_ptr<InFlightOperation> Team::start_operation(const thalweg_team_call& given,
                                                         const void* return_address) {
  const TeamCall call = checked(given, group_);
  if (is_checked_) {
    const std::string site = site_of(given, return_address);
    check_memory(group_, memory_, call, site);
    check_same(describe(given, call), site);
  }
  int commutes = 1;
  if (call.op != MPI_OP_NULL)
    job::must(MPI_Op_commutative(call.op, &commutes), "MPI_Op_commutative");
  InFlightOperation::Part before = barrier_if(call.before == thalweg_sync_all);
  InFlightOperation::Part body = part_for(call, commutes != 0);
  InFlightOperation::Part after = barrier_if(call.after == thalweg_sync_all);
  return std::make_shared<InFlightOperation>(call, std::move(before), std::move(body), std::move(after));
}

// Executions hold on to others' messages until they have looked at them: all go on whenever one is waited
// for.
std::shared_ptr<InFlightOperation> Team::keep(std::shared_ptr<InFlightOperation> operation) {
  progress();
  if (operation->progress())
    return nullptr;
  in_flight_.push_back(operation);
  if (in_flight_.size() > max_in_flight)
    wait(*in_flight_.front());
  return operation;
}

// What this rank has for others leaves before it goes away, perhaps for long: where its own part is done,
// nothing tells the program to come back.
std::shared_ptr<InFlightOperation> Team::start(const thalweg_team_call& given, const void* return_address) {
  std::shared_ptr<InFlightOperation> started = keep(start_operation(given, return_address));
  group_.channels().flush();
  return started;
}

void Team::run(const thalweg_team_call& given, const void* return_address) {
  std::shared_ptr<InFlightOperation> operation = start_operation(given, return_address);
  if (given.after == thalweg_sync_none) {
    keep(std::move(operation));
    group_.channels().flush_unless_in_row();
  } else if (in_flight_.empty() && !group_.has_far_ranks() && !others_have_under_way(*this)) {
    operation->run();
  } else {
    keep(operation);
    wait(*operation);
  }
}

void Team::barrier_with_progress() {
  group_.channels().flush();
  group_.agreement(policy_).allgather(char{});
}

void Team::check_same(const std::string& what, const std::string& site) {
  if (is_checked_)
    check_same_call(group_.agreement(policy_), what, site);
}

std::shared_ptr<InFlightOperation> Team::start_barrier(const void* return_address) {
  check_same("barrier", site_of({}, return_address));
  std::shared_ptr<InFlightOperation> started = keep(std::make_shared<InFlightOperation>(
      TeamCall{}, barrier_if(true), InFlightOperation::Part{}, InFlightOperation::Part{}));
  group_.channels().flush();
  return started;
}

void Team::barrier(const void* return_address) {
  check_same("barrier", site_of({}, return_address));
  complete();
  const auto operation = std::make_shared<InFlightOperation>(
      TeamCall{}, barrier_if(true), InFlightOperation::Part{}, InFlightOperation::Part{});
  keep(operation);
  wait(*operation);
}

void Team::complete() {
  wait_until([this] { return in_flight_.empty(); });
}

void Team::open_inboxes() {
  barrier_with_progress();
  if (!messages_)
    messages_ = std::make_unique<Messages>(group_, policy_);
}

Messages& Team::messages() {
  if (!messages_)
    throw Error("the team has no inboxes", "call thalweg_team_open_inboxes() on all ranks before");
  group_.channels().flush();
  return *messages_;
}

void Team::end_messages() {
  if (!messages_)
    return;
  messages_->complete();
  barrier_with_progress();
  messages_.reset();
}

// A program that tests in a loop waits too, and may do nothing else that lets the library go on.
bool Team::test(const InFlightOperation& operation) {
  progress();
  group_.channels().flush();
  if (!operation.has_finished())
    progress_team(this);
  return operation.has_finished();
}

void Team::wait(const InFlightOperation& operation) {
  wait_until([&operation] { return operation.has_finished(); });
}

wait::Visit Team::progress_team(void* team) {
  auto& self = *static_cast<Team*>(team);
  const wait::Policy& below = self.group_.channels().policy();
  const wait::Visit visit = below.progress_others(below.context);
  self.progress();
  self.group_.channels().flush(); // the wait may end with this visit, and the call with it
  return std::max(visit, visit_others(self));
}

wait::Visit Team::go_on() noexcept {
  const std::size_t before = in_flight_.size();
  try {
    progress();
    group_.channels().flush();
  } catch (...) {
    failure_ = std::current_exception();
  }
  return in_flight_.size() == before ? wait::Visit::pending : wait::Visit::moved;
}

// An operation that fails has left nothing behind in the list, and is looked at again.
void Team::progress() {
  if (failure_)
    std::rethrow_exception(std::exchange(failure_, nullptr));
  for (auto operation = in_flight_.begin(); operation != in_flight_.end();)
    operation = (*operation)->progress() ? in_flight_.erase(operation) : std::next(operation);
}

// What others still need of this rank goes before it is away, perhaps for long.
template <typename Condition>
void Team::wait_until(Condition is_reached) {
  group_.channels().flush();
  if (is_reached())
    return;
  std::size_t before = in_flight_.size();
  auto look = [&] {
    group_.channels().flush();
    progress();
    if (is_reached()) {
      group_.channels().flush();
      return wait::Look::reached;
    }
    const bool moved = in_flight_.size() != before;
    before = in_flight_.size();
    return moved ? wait::Look::moved : wait::Look::nothing;
  };
  wait::until(policy_, look);
}

} // namespace thalweg::teams
