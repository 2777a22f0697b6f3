// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_gathering.hpp"

namespace thalweg::mpi {

int NicGathering::begin(NicGroup& group) {
  ended_ = 0;
  code_ = prepare();
  count_ = rows();
  further_.resize(count_ == 0 ? 0 : count_ - 1);
  std::uint32_t epoch = group.begin_epochs(static_cast<std::uint32_t>(count_));
  for (std::size_t row = 0; row < count_; ++row) {
    at(row) = nic::MemberOperation{.epoch = epoch++};
    contribute(row, at(row).content);
    at(row).content.last = static_cast<std::uint32_t>(group.rank()) + 1;
  }
  if (group.is_settled() && group.member() != nullptr)
    start(*group.member());
  return code_;
}

void NicGathering::start(nic::Member& member) {
  for (std::size_t row = ended_; row < count_; ++row)
    if (!at(row).is_started)
      member.start(at(row));
}

void NicGathering::end_row(NicGroup& group) {
  const thalweg_nic_content& result = at(ended_).content;
  deliver(ended_, result);
  if (++ended_ < count_)
    return;
  code_ = finish();
  group.note_last(name_, result.last, result.waited_us);
}

bool NicGathering::advance(NicGroup& group) {
  start(*group.member());
  for (; ended_ < count_ && !is_wanted_; ++ended_)
    if (!group.member()->leave(at(ended_)) && !group.recovery().takes(at(ended_)))
      return false;
  while (ended_ < count_) {
    if (!group.member()->look(at(ended_)) && !group.recovery().ends(at(ended_), element_operator()))
      return false;
    end_row(group);
  }
  return true;
}

bool NicGathering::run(NicGroup& group, const wait::Policy& policy) {
  start(*group.member());
  while (is_wanted_ && ended_ < count_) {
    if (!group.member()->run(at(ended_), policy))
      return false;
    end_row(group);
  }
  if (is_wanted_)
    return true;
  bool is_done = false;
  const auto leave = [&] {
    is_done = !group.is_lost() && advance(group);
    return is_done || group.is_lost() ? wait::Look::reached : wait::Look::nothing;
  };
  wait::until(policy, leave);
  return is_done;
}

} // namespace thalweg::mpi
