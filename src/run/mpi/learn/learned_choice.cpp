// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/learned_choice.hpp"

#include "mpi/learn/communicator_learning.hpp"
#include "mpi/learn/learned.hpp"
#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

namespace {

// What it has learned outlives its communicator.
class KeptLearning final : public CommunicatorLearning {
public:
  using CommunicatorLearning::CommunicatorLearning;
  ~KeptLearning() override {
    finish();
    keep_learned(*this);
  }
};

} // namespace

Decision learned_choice(const CollectiveCall& call, CommunicatorState& communicator) {
  try {
    if (!communicator.learning)
      communicator.learning = std::make_unique<KeptLearning>(communicator);
    return static_cast<CommunicatorLearning&>(*communicator.learning).choose(call);
  } catch (const std::exception& error) {
    log_line(std::string(function_name(call)) + ": learning failed: " + error.what());
    return {};
  }
}

void learned_call_ended(const CollectiveCall& call, CommunicatorState& communicator, bool refused) {
  communicator.is_measured = false;
  try {
    static_cast<CommunicatorLearning&>(*communicator.learning).measured(call, refused);
  } catch (const std::exception& error) {
    log_line(std::string(function_name(call)) + ": learning failed: " + error.what());
  }
}

} // namespace thalweg::mpi
