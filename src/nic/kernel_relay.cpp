// SPDX-License-Identifier: BSD-3-Clause
#include "nic/kernel_relay.hpp"

#include "nic/datagram.hpp"

#include <algorithm>
#include <cstring>
#include <sys/socket.h>

namespace thalweg::nic {

// All cards below have the message a window before, and the ranks of this host have taken it.
bool KernelRelay::has_room(std::uint32_t epoch) {
  const std::uint32_t before = epoch - THALWEG_NIC_WINDOW;
  const std::uint32_t place = epoch % THALWEG_NIC_WINDOW;
  thalweg_nic_page& page = group_.page();
  if (__atomic_load_n(&page.freed[place], __ATOMIC_ACQUIRE) != before)
    return false;
  for (std::uint32_t local = 0; local < group_.view().locals; ++local)
    if (__atomic_load_n(&page.taken[place][local], __ATOMIC_ACQUIRE) != before)
      return false;
  return true;
}

void KernelRelay::put(std::uint32_t epoch, std::span<const std::byte> message) {
  struct Head {
    PartHead head;
    std::array<iovec, 2> parts;
  };
  std::array<Head, THALWEG_NIC_SEGMENTS> heads;
  std::array<mmsghdr, THALWEG_NIC_SEGMENTS> packets{};
  const auto bytes = static_cast<std::uint32_t>(message.size());
  const std::uint32_t segments = thalweg_nic_segments(&group_.view(), bytes);
  for (std::uint16_t segment = 0; segment < segments; ++segment) {
    Head& one = heads[segment];
    one.head = PartHead(group_.view(), THALWEG_NIC_START, epoch,
                        {.have = 0, .bytes = bytes, .segment = segment, .asks = 0});
    auto* const from =
        const_cast<std::byte*>(message.data()) + std::size_t{segment} * group_.view().segment_bytes;
    one.parts = {iovec{&one.head, sizeof one.head},
                 iovec{from, thalweg_nic_segment_bytes(&group_.view(), bytes, segment)}};
    packets[segment].msg_hdr.msg_iov = one.parts.data();
    packets[segment].msg_hdr.msg_iovlen = one.parts.size();
  }
  for (std::uint32_t sent = 0; sent < segments;) {
    const int more =
        sendmmsg(group_.socket(), packets.data() + sent, segments - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (more <= 0)
      return;
    sent += static_cast<std::uint32_t>(more);
  }
}

void KernelRelay::ask(std::uint32_t epoch) {
  const PartHead question(group_.view(), THALWEG_NIC_START, epoch, {});
  group_.send(&question, sizeof question);
}

// Where the message was in the way of a later one, that one is asked for.
void KernelRelay::take(std::uint32_t epoch, std::span<std::byte> message) {
  const std::byte* const from = group_.segments(epoch);
  const std::size_t each = group_.view().segment_bytes;
  for (std::size_t first = 0, segment = 0; first < message.size(); first += each, ++segment)
    std::memcpy(message.data() + first, from + segment * THALWEG_NIC_SEGMENT_BYTES,
                std::min(each, message.size() - first));
  thalweg_nic_page& page = group_.page();
  const std::uint32_t place = epoch % THALWEG_NIC_WINDOW;
  __atomic_store_n(&page.taken[place][group_.local()], epoch, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&page.wanted[place], __ATOMIC_SEQ_CST) == epoch + THALWEG_NIC_WINDOW)
    ask(epoch + THALWEG_NIC_WINDOW);
}

} // namespace thalweg::nic
