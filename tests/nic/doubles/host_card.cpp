// SPDX-License-Identifier: BSD-3-Clause
#include "nic/doubles/host_card.hpp"

#include "nic/datagram.hpp"
#include "wait/system.hpp"

#include <algorithm>

namespace thalweg::nic {

HostCard::~HostCard() {
  if (group_.contributors > group_.locals)
    socket_.linger([this] { return receive(); });
}

void HostCard::join(const thalweg_nic_group& group, const ElementOperator& combiner) {
  group_ = group;
  combiner_ = combiner;
  cells_.assign(std::size_t{THALWEG_NIC_WINDOW} * group.contributors, {});
}

bool HostCard::start(std::uint32_t epoch, const thalweg_nic_content& own) {
  thalweg_nic_content content = own;
  act(arrive(0, epoch, content), epoch, content);
  return true;
}

// A contributor has arrived; changes `content` to what is to be said, and gives what is to be done.
std::uint32_t HostCard::arrive(std::uint32_t contributor, std::uint32_t epoch, thalweg_nic_content& content) {
  thalweg_nic_content* const cells =
      cells_.data() + epoch % THALWEG_NIC_WINDOW * std::size_t{group_.contributors};
  const std::uint32_t actions = thalweg_nic_arrive(&group_, &state_, cells + contributor, contributor, epoch,
                                                   &content, wait::System::now_ns() / 1000);
  if (actions != THALWEG_NIC_COMBINE)
    return actions;
  const std::span<const thalweg_nic_content> all(cells, group_.contributors);
  if (combiner_.combine != nullptr)
    combine_cells(content, all, combiner_);
  else
    combine_cells(content, all);
  return thalweg_nic_complete(&group_, &state_, epoch, &content);
}

bool HostCard::has_ended(std::uint32_t epoch) {
  while (receive()) {
  }
  return thalweg_nic_has_ended(&state_, epoch) != 0;
}

void HostCard::read(std::uint32_t epoch, thalweg_nic_content& result) {
  const thalweg_nic_content& known = state_.results[epoch % THALWEG_NIC_WINDOW];
  result.count = known.count;
  std::copy_n(known.words, result.count, result.words);
  result.last = known.last;
  result.waited_us = known.waited_us;
}

// Handles one packet; false where there is none.
bool HostCard::receive() {
  Datagram datagram;
  const auto received = socket_.receive(datagram.room(), Datagram::room_bytes());
  if (!received)
    return false;
  const thalweg_nic_place& sender = received->from;
  const thalweg_nic_packet& packet = datagram.packet();
  if (!datagram.is_whole(received->bytes) ||
      thalweg_nic_admits(&group_, &packet, sender.address, sender.port) == 0)
    return true;
  const std::uint32_t epoch = thalweg_nic_order32(packet.epoch);
  thalweg_nic_content content = datagram.content();
  if (packet.kind == THALWEG_NIC_DOWN) {
    act(thalweg_nic_release(&group_, &state_, epoch, &content), epoch, content);
    return true;
  }
  const std::uint32_t actions = arrive(packet.contributor, epoch, content);
  if ((actions & THALWEG_NIC_ANSWER) != 0)
    notify(sender, THALWEG_NIC_DOWN, epoch, content);
  else
    act(actions, epoch, content);
  return true;
}

void HostCard::act(std::uint32_t actions, std::uint32_t epoch, const thalweg_nic_content& content) {
  if ((actions & THALWEG_NIC_NOTIFY_PARENT) != 0)
    notify(group_.parent, THALWEG_NIC_UP, epoch, content);
  if ((actions & THALWEG_NIC_NOTIFY_CHILDREN) != 0)
    for (std::uint32_t child = group_.locals; child < group_.contributors; ++child)
      notify(group_.below[child], THALWEG_NIC_DOWN, epoch, content);
}

void HostCard::notify(const thalweg_nic_place& place, std::uint8_t kind, std::uint32_t epoch,
                      const thalweg_nic_content& content) const {
  const Datagram datagram(group_, kind, epoch, content);
  socket_.send(place, datagram.data(), datagram.size());
}

} // namespace thalweg::nic
