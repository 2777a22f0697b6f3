#include "mpi/run/device_operation.hpp"

#include <optional>

#include "mpi/run/device_broadcast.hpp"
#include "mpi/run/device_words.hpp"

namespace thalweg::mpi {

namespace {

// A barrier, a reduce or an allreduce.
class GatheringOperation final : public DeviceOperation {
public:
  GatheringOperation(const CollectiveCall& call, const DeviceWords& words) : call_(call), words_(words) {}

  int begin(DeviceGroup& group) override {
    operation_ = {.content = words_.contribution(call_), .epoch = group.next_epoch()};
    if (group.is_settled() && group.member() != nullptr)
      group.member()->start(operation_);
    return MPI_SUCCESS;
  }

  bool advance(DeviceGroup& group) override {
    if (!words_.is_wanted())
      return group.member()->leave(operation_);
    if (!group.member()->look(operation_))
      return false;
    words_.deliver(operation_.content, call_);
    return true;
  }

  void run(DeviceGroup& group, const wait::Policy& policy) override {
    if (words_.is_wanted()) {
      group.member()->run(operation_, policy);
      words_.deliver(operation_.content, call_);
      return;
    }
    const auto leave = [&] { return advance(group) ? wait::Look::reached : wait::Look::nothing; };
    wait::until(policy, leave);
  }

private:
  CollectiveCall call_;
  DeviceWords words_;
  nic::Underway operation_;
};

} // namespace

std::unique_ptr<DeviceOperation> DeviceOperation::of(const CollectiveCall& call,
                                                     CommunicatorState& communicator, const char*& why_not) {
  if (call.function->operation == Operation::bcast)
    return DeviceBroadcast::of(call, communicator, why_not);
  const std::optional<DeviceWords> words = DeviceWords::of(call, communicator.rank, why_not);
  return words ? std::make_unique<GatheringOperation>(call, *words) : nullptr;
}

} // namespace thalweg::mpi
