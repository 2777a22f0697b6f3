#include "mpi/decide/decide.hpp"

#include "mpi/choose/tuned_choices.hpp"
#include "mpi/learn/learned_choice.hpp"
#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

const Choice* decide(const CollectiveCall& call, CommunicatorState& communicator) noexcept {
  if (const Choice* choice = choices().of(call.function->operation))
    return choice;
  if (runtime.learns)
    if (const Choice* choice = learned_choice(call, communicator))
      return choice;
  if (!tuned_choices().any())
    return nullptr;
  return tuned_choices().of(call, communicator, runtime.settings.learn == LearnMode::all);
}

} // namespace thalweg::mpi
