// SPDX-License-Identifier: BSD-3-Clause
#include "nic/kernel_card.hpp"

#include "base/assertion.hpp"
#include "nic/datagram.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <sys/socket.h>
#include <sys/uio.h>

namespace thalweg::nic {

// The program has seen it when this returns.
bool KernelCard::start(std::uint32_t epoch, const thalweg_nic_content& own) {
  group_.enter(epoch);
  const Datagram datagram(group_.view(), THALWEG_NIC_START, epoch, own);
  return group_.send(datagram.data(), datagram.size());
}

void KernelCard::read(std::uint32_t epoch, thalweg_nic_content& result) {
  const thalweg_nic_page& page = group_.page();
  const std::uint32_t count =
      std::min<std::uint32_t>(page.counts[epoch % THALWEG_NIC_WINDOW], THALWEG_NIC_ROW);
  result.count = static_cast<std::uint16_t>(count);
  std::copy_n(count > THALWEG_NIC_WORDS ? group_.row(epoch) : page.words[epoch % THALWEG_NIC_WINDOW], count,
              result.words);
  result.last = page.last[epoch % THALWEG_NIC_WINDOW];
  result.waited_us = page.waited_us[epoch % THALWEG_NIC_WINDOW];
}

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
  THALWEG_ASSERT(normal, segments <= THALWEG_NIC_SEGMENTS);
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

thalweg_nic_desk& KernelInbox::desk() const {
  return *reinterpret_cast<thalweg_nic_desk*>(group_.entry(1 + number_here()));
}

const std::byte* KernelInbox::cell(std::uint32_t place) const {
  const thalweg_nic_group& view = group_.view();
  THALWEG_ASSERT(normal, place >= 1 && place <= std::uint32_t{view.contributors} * view.width);
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
