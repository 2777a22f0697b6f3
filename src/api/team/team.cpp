// SPDX-License-Identifier: BSD-3-Clause
#include "team/team.hpp"

#include "base/assertion.hpp"
#include "job/library/mpi_library.hpp"

#include <cstdlib>
#include <span>
#include <utility>

namespace thalweg::teams {

namespace {

bool wants_checks() {
  const char* const value = std::getenv("THALWEG_CHECK");
  return value != nullptr && std::string_view(value) == "1";
}

} // namespace

Team::Team(MPI_Comm communicator) : Team(job::duplicate(communicator, "team"), nullptr) {}

Team::Team(std::shared_ptr<job::ShadowCommunicator> shadow, const Team& whole)
    : Team(std::move(shadow), &whole) {}

Team::Team(std::shared_ptr<job::ShadowCommunicator> shadow, const Team* whole)
    : group_(std::move(shadow), whole == nullptr ? nullptr : &whole->group_), is_checked_(wants_checks()),
      knowledge_(whole == nullptr ? std::make_shared<const job::Knowledge>(job::agree_on_knowledge(group_))
                                  : whole->knowledge_),
      plans_(group_, knowledge_, whole == nullptr ? nullptr : &whole->plans_), operations_(group_, plans_),
      learning_(group_, plans_, [this](std::span<double> values) { operations_.maximize(values); }),
      reporting_(group_), one_sided_(group_, memory_, operations_) {
  if (const char* const selections = std::getenv("THALWEG_USE"))
    plans_.use(selections, Selector::environment);
}

void Team::use(const std::string& selections) {
  operations_.complete();
  plans_.use(selections, Selector::program);
  learning_.forget();
}

std::string Team::strategy(thalweg_collective collective, std::size_t bytes) const {
  const schedule::Problem problem{.operation = operation_of(collective),
                                  .ranks = group_.ranks(),
                                  .unit_bytes = static_cast<std::int64_t>(bytes),
                                  .nodes = group_.nodes()};
  const TeamChoice choice = plans_.choose(problem, Mode{});
  const std::string usual = strategies::to_text(choice.scheduled);
  const std::string loose =
      strategies::to_text(plans_.choose(problem, Mode{.after = thalweg_sync_none}).scheduled);
  return fmt::format("{}={}{}, {}", schedule::name(problem.operation), usual,
                     loose == usual ? "" : fmt::format(" (loose: {})", loose), choice.origin);
}

std::shared_ptr<job::ShadowCommunicator> Team::split(int color, int key) {
  operations_.meet();
  MPI_Comm part = MPI_COMM_NULL;
  job::must(PMPI_Comm_split(group_.communicator(), color < 0 ? MPI_UNDEFINED : color, key, &part),
            "MPI_Comm_split");
  return part == MPI_COMM_NULL ? nullptr : job::ShadowCommunicator::adopt(job::library_api(), part);
}

std::byte* Team::allocate(std::size_t bytes) {
  operations_.meet();
  const Allocation& allocation = memory_.allocate(group_, bytes);
  if (allocation.has_unreachable(group_)) {
    one_sided_.serve_others(knowledge_->machine.machine);
    operations_.meet(); // whoever returns may send others something for it
  }
  return allocation.begin();
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
  THALWEG_ASSERT(light, offset >= 0 && static_cast<std::size_t>(offset) < allocation->bytes());
  std::byte* const begin = allocation->of(group_, rank);
  return begin == nullptr ? nullptr : begin + offset;
}

TeamCall Team::checked_call(const thalweg_team_call& given, const void* return_address) {
  const TeamCall call = checked(given, group_);
  if (is_checked_) {
    const std::string site = site_of(given, return_address);
    check_memory(group_, memory_, call, site);
    check_same(describe(given, call), site);
  }
  return call;
}

namespace {

bool commutes(const TeamCall& call) {
  int commutes = 1;
  if (call.op != MPI_OP_NULL)
    job::must(MPI_Op_commutative(call.op, &commutes), "MPI_Op_commutative");
  return commutes != 0;
}

} // namespace

OperationPointer Team::start(const thalweg_team_call& given, const void* return_address) {
  const TeamCall call = checked_call(given, return_address);
  return operations_.start(operations_.make(call, commutes(call)));
}

void Team::run(const thalweg_team_call& given, const void* return_address) {
  run(checked_call(given, return_address), return_address);
}

void Team::run(TeamCall call, const void* return_address) {
  ReportedCall reported(reporting_, call, group_.ranks(), return_address);
  const bool may_swap = commutes(call);
  call.learned = learning_.choose(call, may_swap);
  OperationPointer made = operations_.make(call, may_swap);
  reported.runs(made->strategy());
  operations_.run(std::move(made), call.mode().is_in_row());
  learning_.ended();
}

void Team::check_same(const std::string& what, const std::string& site) {
  if (is_checked_)
    check_same_call(operations_.allgather(note_of(what, site)));
}

OperationPointer Team::start_barrier(const void* return_address) {
  check_same("barrier", site_of({}, return_address));
  return operations_.start(operations_.make(TeamCall{}, true));
}

void Team::barrier(const void* return_address) {
  check_same("barrier", site_of({}, return_address));
  operations_.complete();
  run(TeamCall{}, return_address);
}

void Team::open_inboxes() {
  operations_.meet();
  if (!messages_)
    messages_ = std::make_unique<Messages>(group_, operations_);
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
  operations_.meet();
  messages_.reset();
}

} // namespace thalweg::teams
