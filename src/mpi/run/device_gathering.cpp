#include "mpi/run/device_gathering.hpp"

namespace thalweg::mpi {

int DeviceGathering::begin(DeviceGroup& group) {
  operation_ = {.epoch = group.next_epoch()};
  code_ = contribute(operation_.content);
  if (group.is_settled() && group.member() != nullptr)
    group.member()->start(operation_);
  return code_;
}

bool DeviceGathering::advance(DeviceGroup& group) {
  if (!is_wanted_)
    return group.member()->leave(operation_);
  if (!group.member()->look(operation_))
    return false;
  code_ = deliver(operation_.content);
  return true;
}

void DeviceGathering::run(DeviceGroup& group, const wait::Policy& policy) {
  if (is_wanted_) {
    group.member()->run(operation_, policy);
    code_ = deliver(operation_.content);
    return;
  }
  const auto leave = [&] { return advance(group) ? wait::Look::reached : wait::Look::nothing; };
  wait::until(policy, leave);
}

} // namespace thalweg::mpi
