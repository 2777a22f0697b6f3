#include "mpi/run/device_gathering.hpp"

namespace thalweg::mpi {

int DeviceGathering::begin(DeviceGroup& group) {
  ended_ = 0;
  code_ = prepare();
  count_ = rows();
  further_.resize(count_ == 0 ? 0 : count_ - 1);
  for (std::size_t row = 0; row < count_; ++row) {
    at(row) = nic::Underway{.epoch = group.next_epoch()};
    contribute(row, at(row).content);
    at(row).content.last = static_cast<std::uint32_t>(group.rank()) + 1;
  }
  if (group.is_settled() && group.member() != nullptr)
    start(*group.member());
  return code_;
}

void DeviceGathering::start(nic::Member& member) {
  for (std::size_t row = ended_; row < count_; ++row)
    if (!at(row).is_started)
      member.start(at(row));
}

void DeviceGathering::end_row(DeviceGroup& group) {
  const thalweg_nic_content& result = at(ended_).content;
  deliver(ended_, result);
  if (++ended_ < count_)
    return;
  code_ = finish();
  group.note_last(name_, result.last, result.waited_us);
}

bool DeviceGathering::advance(DeviceGroup& group) {
  start(*group.member());
  for (; ended_ < count_ && !is_wanted_; ++ended_)
    if (!group.member()->leave(at(ended_)))
      return false;
  while (ended_ < count_) {
    if (!group.member()->look(at(ended_)))
      return false;
    end_row(group);
  }
  return true;
}

void DeviceGathering::run(DeviceGroup& group, const wait::Policy& policy) {
  start(*group.member());
  while (is_wanted_ && ended_ < count_) {
    group.member()->run(at(ended_), policy);
    end_row(group);
  }
  const auto leave = [&] { return advance(group) ? wait::Look::reached : wait::Look::nothing; };
  if (!is_wanted_)
    wait::until(policy, leave);
}

} // namespace thalweg::mpi
