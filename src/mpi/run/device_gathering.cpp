#include "mpi/run/device_gathering.hpp"

#include "mpi/run/device_arrivals.hpp"

namespace thalweg::mpi {

int DeviceGathering::begin(DeviceGroup& group) {
  operation_ = {.epoch = group.next_epoch()};
  code_ = contribute(operation_.content);
  operation_.content.last = static_cast<std::uint32_t>(group.rank()) + 1;
  if (group.is_settled() && group.member() != nullptr)
    group.member()->start(operation_);
  return code_;
}

void DeviceGathering::end(DeviceGroup& group) {
  code_ = deliver(operation_.content);
  if (const int last = group.world_rank_of(operation_.content.last); last >= 0)
    note_last_on_devices(name_, last, operation_.content.waited_us);
}

bool DeviceGathering::advance(DeviceGroup& group) {
  if (!is_wanted_)
    return group.member()->leave(operation_);
  if (!group.member()->look(operation_))
    return false;
  end(group);
  return true;
}

void DeviceGathering::run(DeviceGroup& group, const wait::Policy& policy) {
  if (is_wanted_) {
    group.member()->run(operation_, policy);
    end(group);
    return;
  }
  const auto leave = [&] { return advance(group) ? wait::Look::reached : wait::Look::nothing; };
  wait::until(policy, leave);
}

} // namespace thalweg::mpi
