#include "mpi/run/device_collective.hpp"

#include <exception>
#include <string>

#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

DeviceCollective::DeviceCollective(std::shared_ptr<DeviceGroup> group,
                                   std::unique_ptr<DeviceOperation> operation, const char* name,
                                   std::unique_ptr<PendingCollective> fallback)
    : group_(std::move(group)), operation_(std::move(operation)), name_(name),
      fallback_(std::move(fallback)) {}

void DeviceCollective::start() {
  is_on_engine_ = false;
  code_ = operation_->begin(*group_);
}

bool DeviceCollective::progress() noexcept {
  try {
    return advance();
  } catch (const std::exception& error) {
    log_line(std::string(name_) + " failed inside of Thalweg: " + error.what());
    code_ = MPI_ERR_INTERN;
  }
  return true;
}

bool DeviceCollective::advance() {
  if (group_->settle() != wait::Look::reached)
    return false;
  if (!group_->is_on_devices())
    return advance_on_engine();
  if (!operation_->advance(*group_))
    return false;
  code_ = operation_->code();
  return true;
}

bool DeviceCollective::advance_on_engine() {
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
