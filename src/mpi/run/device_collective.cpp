#include "mpi/run/device_collective.hpp"

#include <exception>
#include <string>

#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

DeviceCollective::DeviceCollective(std::shared_ptr<DeviceGroup> group, const DeviceWords& words,
                                   const CollectiveCall& call, std::unique_ptr<PendingCollective> fallback)
    : group_(std::move(group)), words_(words), call_(call), fallback_(std::move(fallback)) {}

void DeviceCollective::start() {
  operation_ = {.content = words_.contribution(call_), .epoch = group_->next_epoch()};
  is_on_engine_ = false;
  code_ = MPI_SUCCESS;
  // Its packet leaves now, not when the program looks for the end.
  if (group_->is_settled() && group_->member() != nullptr)
    group_->member()->start(operation_);
}

bool DeviceCollective::progress() noexcept {
  try {
    return advance();
  } catch (const std::exception& error) {
    log_line(std::string(function_name(call_)) + " failed inside of Thalweg: " + error.what());
    code_ = MPI_ERR_INTERN;
  }
  return true;
}

bool DeviceCollective::advance() {
  if (!group_->settle())
    return false;
  nic::Member* const member = group_->member();
  return member != nullptr ? advance_on_devices(*member) : advance_on_engine();
}

bool DeviceCollective::advance_on_devices(nic::Member& member) {
  if (!words_.is_wanted())
    return member.leave(operation_);
  if (!member.look(operation_))
    return false;
  words_.deliver(operation_.content, call_);
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
