#include "mpi/collective_runner.hpp"

#include "mpi/runner/communicator_plans.hpp"
#include "mpi/runner/run_blocking.hpp"
#include "mpi/runtime.hpp"

namespace thalweg::mpi {

namespace {

Decision declined(const char* reason) { return {Outcome::declined, "native", reason, MPI_SUCCESS}; }

void set_operator(MpiOperator& reduction, CallBinding& bound, const CollectiveCall& call) {
  int commutes = 1;
  native.Op_commutative(call.op, &commutes);
  bound.problem.commutative = commutes != 0;
  reduction.set(call.op, bound.type, bound.input.element_bytes(), bound.problem.commutative);
}

int run(CommunicatorPlans& plans, const engine::Plan& plan, const CallBinding& bound) {
  engine::Buffers buffers{bound.input.address(), bound.output.address(),
                          plans.scratch.grow(static_cast<std::size_t>(plan.scratch_bytes())),
                          plans.staging.grow(static_cast<std::size_t>(plan.staging_bytes()))};
  const bool root_of_broadcast = bound.problem.operation == schedule::Operation::broadcast &&
                                 bound.problem.root == plans.transport().rank();
  if (bound.input.needs_staging()) {
    buffers.input = plans.input_row.grow(static_cast<std::size_t>(bound.input.staging_bytes()));
    if (const int code = bound.input.stage_in(buffers.input); code != MPI_SUCCESS)
      return code;
  }
  if (bound.output.needs_staging())
    buffers.output = plans.output_row.grow(static_cast<std::size_t>(bound.output.staging_bytes()));
  if (bound.output.needs_staging() && root_of_broadcast)
    if (const int code = bound.output.stage_in(buffers.output); code != MPI_SUCCESS)
      return code;

  engine::Execution execution(plan, plans.batch());
  execution.start(buffers, plans.next_tags(), &plans.reduction);
  run_blocking(execution);

  const bool keeps_output = root_of_broadcast || (bound.problem.operation == schedule::Operation::exscan &&
                                                  plans.transport().rank() == 0);
  if (bound.output.needs_staging() && !keeps_output)
    return bound.output.stage_out(buffers.output);
  return MPI_SUCCESS;
}

Decision choose_and_run(const CollectiveCall& call, CommunicatorState& communicator) {
  const Choice* choice = choices().of(call.form->operation);
  if (choice == nullptr)
    return declined("no strategy chosen");
  if (!communicator.agreed)
    return declined("a communicator of unknown origin");
  if (call.form->mode != Mode::blocking)
    return declined("not a blocking call");
  if (!is_sound(call, communicator))
    return declined("arguments for the library to judge");
  if (const char* reason = objection(call, communicator))
    return declined(reason);
  CommunicatorPlans& plans = plans_of(communicator);
  CallBinding bound = bind_call(call, communicator);
  if (schedule::is_reduction(bound.problem.operation))
    set_operator(plans.reduction, bound, call);
  const CommunicatorPlans::Found found = plans.plan_for(bound, *choice, communicator, true);
  if (!found.plan)
    return declined(found.reason);
  const int code = run(plans, *found.plan, bound);
  if (code != MPI_SUCCESS)
    native.Comm_call_errhandler(call.comm, code);
  return {Outcome::done, choice->text, nullptr, code};
}

} // namespace

Decision run_collective(const CollectiveCall& call, CommunicatorState& communicator) noexcept {
  if (!choices().any())
    return declined("no strategy chosen");
  try {
    return choose_and_run(call, communicator);
  } catch (const transport::MpiError& error) {
    native.Comm_call_errhandler(call.comm, error.code());
    return {Outcome::done, "failed", nullptr, error.code()};
  } catch (const std::exception& error) {
    say(std::string(function_name(call)) + " failed inside of Thalweg: " + error.what());
    native.Comm_call_errhandler(call.comm, MPI_ERR_INTERN);
    return {Outcome::done, "failed", nullptr, MPI_ERR_INTERN};
  }
}

} // namespace thalweg::mpi
