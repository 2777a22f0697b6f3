// SPDX-License-Identifier: BSD-3-Clause
#include "nic/doubles/host_relay.hpp"

#include "nic/datagram.hpp"

#include <algorithm>
#include <cstring>

namespace thalweg::nic {

namespace {

struct __attribute__((packed)) Segment {
  PartHead head;
  std::byte bytes[THALWEG_NIC_SEGMENT_BYTES];
};

} // namespace

HostRelay::~HostRelay() {
  if (group_.contributors > group_.locals)
    socket_.linger([this] { return receive(); });
}

void HostRelay::join(const thalweg_nic_group& group) {
  group_ = group;
  messages_.resize(std::size_t{THALWEG_NIC_WINDOW} * THALWEG_NIC_SEGMENTS * THALWEG_NIC_SEGMENT_BYTES);
  thalweg_nic_begin(&relay_, 1);
  for (std::uint32_t epoch = 1; epoch <= THALWEG_NIC_WINDOW; ++epoch)
    taken_[epoch % THALWEG_NIC_WINDOW] = epoch - THALWEG_NIC_WINDOW;
}

std::byte* HostRelay::kept(std::uint32_t epoch, std::uint32_t segment) {
  const std::size_t number =
      epoch % THALWEG_NIC_WINDOW * std::size_t{THALWEG_NIC_SEGMENTS} + segment % THALWEG_NIC_SEGMENTS;
  return messages_.data() + number * THALWEG_NIC_SEGMENT_BYTES;
}

bool HostRelay::is_taken(std::uint32_t epoch) const {
  return taken_[epoch % THALWEG_NIC_WINDOW] == epoch - THALWEG_NIC_WINDOW;
}

bool HostRelay::has_ended(std::uint32_t epoch) {
  while (receive()) {
  }
  const thalweg_nic_message& message = relay_.messages[epoch % THALWEG_NIC_WINDOW];
  return message.epoch == epoch && thalweg_nic_is_whole(&group_, &message) != 0;
}

bool HostRelay::has_room(std::uint32_t epoch) {
  while (receive()) {
  }
  const thalweg_nic_message& message = relay_.messages[epoch % THALWEG_NIC_WINDOW];
  return message.epoch == epoch || (is_taken(epoch) && thalweg_nic_is_passed_on(&group_, &message) != 0);
}

void HostRelay::put(std::uint32_t epoch, std::span<const std::byte> message) {
  const auto bytes = static_cast<std::uint32_t>(message.size());
  for (std::uint16_t segment = 0; segment < thalweg_nic_segments(&group_, bytes); ++segment)
    offer(epoch, {.have = 0, .bytes = bytes, .segment = segment, .asks = 0},
          message.subspan(std::size_t{segment} * group_.segment_bytes,
                          thalweg_nic_segment_bytes(&group_, bytes, segment)));
}

void HostRelay::ask(std::uint32_t epoch) {
  thalweg_nic_errand errand{};
  thalweg_nic_ask(&group_, &relay_, 0, epoch, is_taken(epoch), &errand);
  run(errand, 0);
}

void HostRelay::take(std::uint32_t epoch, std::span<std::byte> message) {
  const std::size_t each = group_.segment_bytes;
  for (std::uint32_t segment = 0; segment * each < message.size(); ++segment) {
    const std::span<std::byte> to = message.subspan(segment * each);
    std::memcpy(to.data(), kept(epoch, segment), std::min(each, to.size()));
  }
  thalweg_nic_message& place = relay_.messages[epoch % THALWEG_NIC_WINDOW];
  taken_[epoch % THALWEG_NIC_WINDOW] = epoch;
  if (place.wanted != 0)
    ask(epoch + THALWEG_NIC_WINDOW);
}

void HostRelay::offer(std::uint32_t epoch, const thalweg_nic_part& part, std::span<const std::byte> bytes) {
  thalweg_nic_errand errand{};
  if (bytes.size() != thalweg_nic_segment_bytes(&group_, part.bytes, part.segment))
    return;
  if (thalweg_nic_offer(&group_, &relay_, epoch, part.bytes, part.segment, part.asks, is_taken(epoch),
                        &errand) != 0) {
    std::memcpy(kept(epoch, part.segment), bytes.data(), bytes.size());
    thalweg_nic_written(&group_, &relay_, epoch, part.segment, part.asks, &errand);
  }
  run(errand, 0);
}

// Handles one packet; false where there is none.
bool HostRelay::receive() {
  Segment segment;
  const auto received = socket_.receive(&segment, sizeof segment);
  if (!received)
    return false;
  const thalweg_nic_packet packet = segment.head.packet;
  if (received->bytes < sizeof segment.head || thalweg_nic_is_ours(&packet) == 0 ||
      thalweg_nic_admits(&group_, &packet, received->from.address, received->from.port) == 0)
    return true;
  const std::uint32_t epoch = thalweg_nic_order32(packet.epoch);
  const thalweg_nic_part part = PartHead::reordered(segment.head.part);
  if (packet.kind == THALWEG_NIC_DOWN) {
    offer(epoch, part, {segment.bytes, received->bytes - sizeof segment.head});
    return true;
  }
  const std::uint32_t contributor = packet.contributor;
  thalweg_nic_errand errand{};
  thalweg_nic_hear(&group_, &relay_, contributor, epoch, part.have, is_taken(epoch), &errand);
  run(errand, contributor);
  return true;
}

void HostRelay::run(const thalweg_nic_errand& errand, std::uint32_t contributor) {
  if ((errand.actions & THALWEG_NIC_FORWARD) != 0)
    for (std::uint32_t child = group_.locals; child < group_.contributors; ++child)
      if ((errand.to >> child & 1) != 0)
        send_segment(errand, errand.segment, child);
  if ((errand.actions & THALWEG_NIC_RESEND) != 0)
    for (std::uint32_t segment = 0; segment < THALWEG_NIC_SEGMENTS; ++segment)
      if ((errand.segments >> segment & 1) != 0)
        send_segment(errand, segment, contributor);
  if ((errand.actions & THALWEG_NIC_REPORT) != 0) {
    const PartHead report(group_, THALWEG_NIC_UP, errand.above,
                          {.have = errand.have, .bytes = 0, .segment = 0, .asks = 0});
    socket_.send(group_.parent, &report, sizeof report);
  }
}

void HostRelay::send_segment(const thalweg_nic_errand& errand, std::uint32_t segment,
                             std::uint32_t contributor) {
  const std::uint32_t bytes = thalweg_nic_segment_bytes(&group_, errand.bytes, segment);
  Segment sent;
  sent.head = PartHead(group_, THALWEG_NIC_DOWN, errand.epoch,
                       {.have = 0,
                        .bytes = errand.bytes,
                        .segment = static_cast<std::uint16_t>(segment),
                        .asks = static_cast<std::uint16_t>(errand.asks)});
  std::memcpy(sent.bytes, kept(errand.epoch, segment), bytes);
  socket_.send(group_.below[contributor], &sent, sizeof sent.head + bytes);
}

} // namespace thalweg::nic
