// SPDX-License-Identifier: BSD-3-Clause
#include "nic/kernel_inbox.hpp"

#include "nic/datagram.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <sys/socket.h>
#include <sys/uio.h>

namespace thalweg::nic {

thalweg_nic_desk& KernelInbox::desk() const {
  return *reinterpret_cast<thalweg_nic_desk*>(group_.entry(1 + number_here()));
}

const std::byte* KernelInbox::cell(std::uint32_t place) const {
  const thalweg_nic_group& view = group_.view();
  const std::uint32_t number = number_here() * view.contributors * view.width + place - 1;
  return group_.entry(1U + view.locals) + std::size_t{number} * THALWEG_NIC_SEGMENT_BYTES;
}

// The program has seen it when this returns.
void KernelInbox::wish(std::uint32_t number, const thalweg_nic_envelope& envelope,
                       std::span<const std::byte> carried) const {
  EnvelopeHead head(group_.view(), THALWEG_NIC_START, number, 0, envelope);
  std::array<iovec, 2> parts{iovec{&head, sizeof head},
                             iovec{const_cast<std::byte*>(carried.data()), carried.size()}};
  msghdr packet{};
  packet.msg_iov = parts.data();
  packet.msg_iovlen = carried.empty() ? 1 : 2;
  [[maybe_unused]] const ssize_t sent = sendmsg(group_.socket(), &packet, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void KernelInbox::send(std::uint32_t to, std::uint32_t sequence, std::uint32_t tag, std::uint32_t bytes,
                       std::span<const std::byte> carried) {
  wish(sequence, {tag, bytes, static_cast<std::uint16_t>(to), THALWEG_NIC_SEND}, carried);
}

std::uint64_t KernelInbox::credit(std::uint32_t to) {
  return __atomic_load_n(&desk().credits[to], __ATOMIC_ACQUIRE);
}

void KernelInbox::post(std::uint32_t number, std::uint32_t source, std::uint32_t tag) {
  wish(number, {tag, 0, static_cast<std::uint16_t>(source), THALWEG_NIC_RECEIVE}, {});
}

bool KernelInbox::has_matched(std::uint32_t number, thalweg_nic_match& match) {
  const thalweg_nic_match& found = desk().matches[number % THALWEG_NIC_RECEIVES];
  if (__atomic_load_n(&found.receive, __ATOMIC_ACQUIRE) != number)
    return false;
  match = found;
  return true;
}

// Where the sender was told that there is no room, it hears otherwise.
void KernelInbox::take(const thalweg_nic_match& match, std::span<std::byte> message) {
  std::copy_n(cell(match.place), std::min<std::size_t>(message.size(), thalweg_nic_carried(match.bytes)),
              message.data());
  const std::uint32_t of_source = (match.place - 1) % group_.view().width;
  __atomic_fetch_xor(&desk().released[match.source], 1U << of_source, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&desk().wanted[match.source], __ATOMIC_SEQ_CST) == 0)
    return;
  __atomic_store_n(&desk().wanted[match.source], 0, __ATOMIC_SEQ_CST);
  wish(0, {0, 0, static_cast<std::uint16_t>(match.source), THALWEG_NIC_RELEASE}, {});
}

} // namespace thalweg::nic
