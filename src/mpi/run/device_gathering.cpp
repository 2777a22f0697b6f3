#include "mpi/run/device_gathering.hpp"

namespace thalweg::mpi {

int DeviceGathering::begin(DeviceGroup& group) {
  operation_ = {.content = words_.contribution(call_), .epoch = group.next_epoch()};
  if (group.is_settled() && group.member() != nullptr)
    group.member()->start(operation_);
  return MPI_SUCCESS;
}

bool DeviceGathering::advance(DeviceGroup& group) {
  if (!words_.is_wanted())
    return group.member()->leave(operation_);
  if (!group.member()->look(operation_))
    return false;
  words_.deliver(operation_.content, call_);
  return true;
}

void DeviceGathering::run(DeviceGroup& group, const wait::Policy& policy) {
  if (words_.is_wanted()) {
    group.member()->run(operation_, policy);
    words_.deliver(operation_.content, call_);
    return;
  }
  const auto leave = [&] { return advance(group) ? wait::Look::reached : wait::Look::nothing; };
  wait::until(policy, leave);
}

} // namespace thalweg::mpi
