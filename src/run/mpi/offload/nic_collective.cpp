// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_collective.hpp"

#include <exception>
#include <string>

#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

NicCollective::NicCollective(std::shared_ptr<NicGroup> group, std::unique_ptr<NicOperation> operation,
                             const char* name)
    : group_(std::move(group)), operation_(std::move(operation)), name_(name) {}

void NicCollective::start() {
  is_on_engine_ = false;
  first_epoch_ = group_->next_epoch();
  code_ = operation_->begin(*group_);
}

bool NicCollective::progress() noexcept {
  try {
    return advance();
  } catch (const std::exception& error) {
    log_line(std::string(name_) + " failed inside of Thalweg: " + error.what());
    code_ = MPI_ERR_INTERN;
  }
  return true;
}

bool NicCollective::advance() {
  if (group_->settle() != wait::Look::reached)
    return false;
  switch (group_->runner_of(first_epoch_)) {
  case NicRecovery::Runner::engine:
    return advance_on_engine();
  case NicRecovery::Runner::unknown:
    return false;
  case NicRecovery::Runner::group:
    break;
  }
  if (!operation_->advance(*group_))
    return false;
  code_ = operation_->code();
  return true;
}

bool NicCollective::advance_on_engine() {
  if (!is_on_engine_) {
    is_on_engine_ = true;
    fallback_->restart();
  }
  if (!fallback_->progress())
    return false;
  code_ = fallback_->code();
  return true;
}

} // namespace thalweg::mpi
