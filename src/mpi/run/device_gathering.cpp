#include "mpi/run/device_gathering.hpp"

#include "mpi/run/device_arrivals.hpp"

namespace thalweg::mpi {

int DeviceGathering::begin(DeviceGroup& group) {
  ended_ = 0;
  code_ = prepare();
  rows_.resize(rows());
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    rows_[row] = nic::Underway{.epoch = group.next_epoch()};
    contribute(row, rows_[row].content);
    rows_[row].content.last = static_cast<std::uint32_t>(group.rank()) + 1;
  }
  if (group.is_settled() && group.member() != nullptr)
    start(*group.member());
  return code_;
}

void DeviceGathering::start(nic::Member& member) {
  for (std::size_t row = ended_; row < rows_.size(); ++row)
    if (!rows_[row].is_started)
      member.start(rows_[row]);
}

void DeviceGathering::end_row(const DeviceGroup& group) {
  const thalweg_nic_content& result = rows_[ended_].content;
  deliver(ended_, result);
  if (++ended_ < rows_.size())
    return;
  code_ = finish();
  if (const int last = group.world_rank_of(result.last); last >= 0)
    note_last_on_devices(name_, last, result.waited_us);
}

bool DeviceGathering::advance(DeviceGroup& group) {
  start(*group.member());
  for (; ended_ < rows_.size() && !is_wanted_; ++ended_)
    if (!group.member()->leave(rows_[ended_]))
      return false;
  while (ended_ < rows_.size()) {
    if (!group.member()->look(rows_[ended_]))
      return false;
    end_row(group);
  }
  return true;
}

void DeviceGathering::run(DeviceGroup& group, const wait::Policy& policy) {
  start(*group.member());
  while (is_wanted_ && ended_ < rows_.size()) {
    group.member()->run(rows_[ended_], policy);
    end_row(group);
  }
  const auto leave = [&] { return advance(group) ? wait::Look::reached : wait::Look::nothing; };
  if (!is_wanted_)
    wait::until(policy, leave);
}

} // namespace thalweg::mpi
