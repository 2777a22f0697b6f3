// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/collective_runner.hpp"

#include "base/assertion.hpp"
#include "mpi/abi/library_api.hpp"
#include "mpi/offload/offloaded_call.hpp"
#include "mpi/run/bound_run.hpp"
#include "mpi/run/communicator_plans.hpp"
#include "mpi/run/fast_path.hpp"
#include "mpi/run/neighbors.hpp"
#include "mpi/run/pending_collective.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/progress_thread.hpp"
#include "transport/mpi/mpi_transport.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace thalweg::mpi {

namespace {

// What the runner keeps for a communicator.
struct EngineState final : RunnerState {
  explicit EngineState(CommunicatorState& communicator) : plans(communicator) {}
  CommunicatorPlans plans;
  RecentCalls recent;
  NicGroups devices;
};

EngineState& engine_of(CommunicatorState& communicator) {
  THALWEG_ASSERT(light, communicator.is_open());
  if (!communicator.runner)
    communicator.runner = std::make_unique<EngineState>(communicator);
  return static_cast<EngineState&>(*communicator.runner);
}

int run_now(CommunicatorPlans& plans, const CommunicatorPlans::Lookup& found, const CallBinding& bound) {
  engine::Buffers buffers;
  const Rank rank = plans.transport().rank();
  THALWEG_ASSERT(light, (found.plan != nullptr) != (found.self_describing != nullptr));
  if (const int code = stage_in(bound, rank, plans.storage, buffers); code != MPI_SUCCESS)
    return code;
  if (found.plan) {
    engine::Execution execution(*found.plan, plans.batch());
    start(execution, *found.plan, plans.storage, buffers, plans.next_tags(), plans.reduction);
    run_blocking(execution, plans.transport());
    plans.reduction.finish();
  } else {
    SelfDescribing& made = *found.self_describing;
    if (!made.execution)
      made.execution.emplace(made.schedule, plans.batch());
    start(*made.execution, made.schedule, bound, buffers, plans.next_tags());
    run_blocking(*made.execution, plans.transport());
  }
  return stage_out(bound, rank, buffers);
}

int run_later(std::unique_ptr<PendingCollective> pending, strategies::Advancing advancing,
              const CollectiveCall& call, const std::shared_ptr<ExactCall>& exact) {
  THALWEG_ASSERT(light, call.function->mode != Mode::blocking && pending != nullptr);
  if (call.function->mode == Mode::persistent)
    return hand_out_persistent(exactly(exact, std::move(pending)), advancing, call.comm, call.request);
  const int code = pending->start();
  return code == MPI_SUCCESS ? hand_out(exactly(exact, std::move(pending)), advancing, call.request) : code;
}

// How the report names what the engine runs.
const char* name_of(const Choice& choice, const strategies::Scheduled& scheduled) {
  return scheduled.strategy().offloads ? name_on_engine(choice.text) : choice.text_in_calls;
}

// The same of a call that does not block. Its transport gets to know who advances it before that begins.
const char* name_in_flight(const Choice& choice, const strategies::Scheduled& scheduled,
                           const PendingCollective& pending, transport::Transport& transport) {
  const bool is_wanted = scheduled.advancing() == strategies::Advancing::by_thread;
  if (is_for_thread(pending, scheduled.advancing())) {
    transport.share_among_threads();
    return is_wanted ? choice.text : name_of(choice, scheduled);
  }
  return is_wanted ? name_without_thread(choice.text_in_calls) : name_of(choice, scheduled);
}

void remember(RecentCall& place, const CollectiveCall& call, const Choice& choice, const CallBinding& bound,
              std::shared_ptr<const engine::Plan> plan, CommunicatorPlans& plans) {
  if (!place.is_empty())
    invalidate_fast_path();
  place.remember(call, choice.id, bound, std::move(plan), plans);
}

CallResult bind_and_run(const CollectiveCall& call, CommunicatorState& communicator,
                        const strategies::Scheduled& scheduled, const Choice& choice,
                        const std::shared_ptr<ExactCall>& exact = nullptr);

// Why the engine can do none of the calls, the same on all ranks, or nullptr.
const char* objection_to_engine(const CollectiveCall& call, CommunicatorState& communicator) {
  if (!communicator.agreed)
    return "a communicator of unknown origin";
#if !defined(THALWEG_FAMILY_OPENMPI)
  // A request that stands for ours is not proven with MPICH's own waits.
  if (call.function->mode == Mode::persistent)
    return "a persistent collective, which is left to MPICH";
#endif
  if (call.function->mode == Mode::blocking)
    open_postponed_channels(communicator);
  return objection(call, communicator);
}

engine::Tags tags_of(const CollectiveCall& call, CommunicatorPlans& plans) {
  return call.function->mode == Mode::persistent ? plans.persistent_tags() : plans.next_tags();
}

// By the call for integers, which is run as any other.
CallResult run_exactly(const std::shared_ptr<ExactCall>& exact, CommunicatorState& communicator,
                       const strategies::Scheduled& scheduled, const Choice& choice) {
  const Mode mode = exact->inner().function->mode;
  if (mode != Mode::persistent) // which take what is there when they are started
    exact->prepare();
  const CallResult ran = bind_and_run(exact->inner(), communicator, scheduled, choice, exact);
  if (mode == Mode::blocking && ran.outcome == Outcome::done && ran.code == MPI_SUCCESS)
    exact->deliver();
  return ran;
}

// `exact`: what the call is made for, if it is that of an exact sum.
CallResult bind_and_run(const CollectiveCall& call, CommunicatorState& communicator,
                        const strategies::Scheduled& scheduled, const Choice& choice,
                        const std::shared_ptr<ExactCall>& exact) {
  if (const char* reason = objection_to_engine(call, communicator))
    return declined(reason);
  const bool blocking = call.function->mode == Mode::blocking;
  EngineState& engine = engine_of(communicator);
  CommunicatorPlans& plans = engine.plans;
  bool may_change = false;
  if (scheduled.strategy().offloads) {
    if (std::shared_ptr<ExactCall> made = ExactCall::of(call, communicator, scheduled))
      return run_exactly(made, communicator, scheduled, choice);
    const OffloadedCall offloaded{call,         communicator,   scheduled, choice,
                                  engine.plans, engine.devices, exact,     may_change};
    if (const std::optional<CallResult> ran = offloaded.run())
      return *ran;
  }
  CallBinding bound = bind_call(call, communicator);
  set_operator(plans.reduction, bound, call);
  const CommunicatorPlans::Lookup found = plans.plan_for(bound, scheduled, choice.id, communicator);
  if (found.reason != nullptr)
    return declined(found.reason);
  int code = MPI_SUCCESS;
  const char* name = nullptr;
  if (blocking) {
    name = name_of(choice, scheduled);
    if (found.plan && !exact && !may_change && is_repeatable(call, bound, communicator.rank))
      remember(engine.recent.place_for(call), call, choice, bound, found.plan, plans);
    code = run_now(plans, found, bound);
  } else {
    const engine::Tags tags = tags_of(call, plans);
    if (tags.count == 0)
      return declined("more persistent collectives than there are tags for");
    std::unique_ptr<PendingCollective> pending = make_pending(plans, found, std::move(bound), tags);
    name = name_in_flight(choice, scheduled, *pending, plans.transport());
    code = run_later(std::move(pending), scheduled.advancing(), call, exact);
  }
  if (code != MPI_SUCCESS)
    native.Comm_call_errhandler(call.comm, code);
  return {Outcome::done, name, nullptr, code, false, nullptr, found.plan.get()};
}

// What was under way when a call failed does not hold up the next ones.
void reset_engine(CommunicatorState& communicator) {
  if (!communicator.runner)
    return;
  EngineState& engine = engine_of(communicator);
  invalidate_fast_path();
  engine.recent = {};
  engine.plans.renew_batch();
}

int failed(const CollectiveCall& call, CommunicatorState& communicator, const std::exception& error,
           int code) {
  reset_engine(communicator);
  log_line(std::string(function_name(call)) + " failed inside of Thalweg: " + error.what());
  native.Comm_call_errhandler(call.comm, code);
  return code;
}

// `run` returns MPI's code; so does this, when it throws.
template <typename Run>
int guard(const CollectiveCall& call, CommunicatorState& communicator, Run run) {
  try {
    return run();
  } catch (const transport::MpiError& error) {
    reset_engine(communicator);
    native.Comm_call_errhandler(call.comm, error.code());
    return error.code();
  } catch (const transport::TruncationError& error) {
    return failed(call, communicator, error, MPI_ERR_TRUNCATE);
  } catch (const std::exception& error) {
    if (job::MpiOperator::was_left_by_exception()) {
      reset_engine(communicator);
      throw; // the program's own
    }
    return failed(call, communicator, error, MPI_ERR_INTERN);
  } catch (...) {
    job::MpiOperator::was_left_by_exception();
    reset_engine(communicator);
    throw; // the program's own, or the thread is canceled
  }
}

CallResult run_scheduled(const CollectiveCall& call, CommunicatorState& communicator,
                         const strategies::Scheduled& scheduled, const Choice& choice) {
  if (communicator.runner && call.function->mode == Mode::blocking) {
    EngineState& engine = engine_of(communicator);
    RecentCall& recent = engine.recent.place_for(call);
    if (recent.matches(call, choice.id) && recent.are_on_host(call.sendbuf, call.recvbuf)) {
      recent.run(call.sendbuf, call.recvbuf);
      return {Outcome::done, name_of(choice, scheduled), nullptr, MPI_SUCCESS, false, &recent, recent.plan()};
    }
  }
  return bind_and_run(call, communicator, scheduled, choice);
}

} // namespace

CallResult run_collective(const CollectiveCall& call, CommunicatorState& communicator,
                          const strategies::Scheduled& scheduled, const Choice& choice) {
  CallResult ran{Outcome::done, choice.text, nullptr, MPI_SUCCESS};
  ran.code = guard(call, communicator, [&] {
    ran = run_scheduled(call, communicator, scheduled, choice);
    ran.was_refused = ran.outcome == Outcome::declined;
    return ran.code;
  });
  return ran;
}

bool pass_over_collective(const CollectiveCall& call, CommunicatorState& communicator,
                          const strategies::Scheduled& scheduled, const Choice& choice) {
  try {
    if (objection_to_engine(call, communicator) != nullptr)
      return false;
    CommunicatorPlans& plans = engine_of(communicator).plans;
    CallBinding bound = bind_call(call, communicator);
    if (plans.plan_for(bound, scheduled, choice.id, communicator).reason != nullptr)
      return false;
    tags_of(call, plans);
    return true;
  } catch (const std::exception& error) { // the call is refused anyway, and nothing else may leave it
    log_line(std::string(function_name(call)) + " was not counted: " + error.what());
    return false;
  }
}

namespace {

bool has_chosen_graph() {
  constexpr std::array among_neighbors{Operation::neighbor_allgather, Operation::neighbor_allgatherv,
                                       Operation::neighbor_alltoall, Operation::neighbor_alltoallv,
                                       Operation::neighbor_alltoallw};
  return std::ranges::any_of(among_neighbors, [](Operation operation) {
    const Choice* const choice = choices().of(operation);
    const auto* const scheduled =
        choice == nullptr ? nullptr : std::get_if<strategies::Scheduled>(&choice->implementation);
    return scheduled != nullptr && scheduled->strategy().uses_graph;
  });
}

} // namespace

void gather_chosen_graph(MPI_Comm made) {
  if (made == MPI_COMM_NULL || !has_chosen_graph())
    return;
  CommunicatorState* const communicator = find_communicator(made);
  if (communicator == nullptr || communicator->inter || !communicator->is_open() || communicator->size == 1 ||
      neighborhood_objection(*communicator) != nullptr)
    return;
  try {
    engine_of(*communicator).plans.gather_graph(*communicator);
  } catch (const std::exception& error) { // calls gather it then, and tell what fails
    log_line(std::string("a graph of neighbors was not gathered: ") + error.what());
  }
}

engine::Tags persistent_tags(CommunicatorState& communicator) {
  return engine_of(communicator).plans.persistent_tags();
}

int run_again(const FastPathEntry& known, const void* sendbuf, void* recvbuf) {
  const Inside inside;
  known.count<Mode::blocking>();
  RecentCall& remembered = *known.repeated;
  try {
    remembered.run(sendbuf, recvbuf);
    return MPI_SUCCESS;
  } catch (...) {
    const CollectiveCall call = remembered.call();
    return guard(call, *find_communicator(call.comm), []() -> int { throw; });
  }
}

} // namespace thalweg::mpi
