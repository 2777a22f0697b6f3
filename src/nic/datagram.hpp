// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A packet with its words, as it is on the wire.

#include "base/assertion.hpp"
#include "nic/inbox.h"
#include "nic/relay.h"

#include <cstddef>
#include <cstdint>

namespace thalweg::nic {

class Datagram {
public:
  Datagram() = default;
  Datagram(const thalweg_nic_group& group, std::uint8_t kind, std::uint32_t epoch,
           const thalweg_nic_content& content) {
    THALWEG_ASSERT(normal, content.count <= THALWEG_NIC_ROW);
    thalweg_nic_write(&layout_.packet, &group, kind, epoch, &content);
    layout_.last = thalweg_nic_order32(content.last);
    layout_.waited_us = thalweg_nic_order32(content.waited_us);
    for (std::uint32_t i = 0; i < content.count; ++i)
      layout_.words[i] = thalweg_nic_order64(content.words[i]);
  }

  const void* data() const { return &layout_; }
  std::size_t size() const { return offsetof(Layout, words) + layout_.packet.words * sizeof(std::uint64_t); }
  /// To receive into.
  void* room() { return &layout_; }
  static constexpr std::size_t room_bytes() { return sizeof(Layout); }

  const thalweg_nic_packet& packet() const { return layout_.packet; }
  /// Whether that many bytes are a whole packet of ours.
  bool is_whole(std::size_t bytes) const {
    return bytes >= offsetof(Layout, words) && thalweg_nic_is_ours(&layout_.packet) != 0 && bytes == size();
  }
  thalweg_nic_content content() const {
    thalweg_nic_content content{};
    thalweg_nic_read(&layout_.packet, &content);
    content.last = thalweg_nic_order32(layout_.last);
    content.waited_us = thalweg_nic_order32(layout_.waited_us);
    for (std::uint32_t i = 0; i < content.count; ++i)
      content.words[i] = thalweg_nic_order64(layout_.words[i]);
    return content;
  }

private:
  struct __attribute__((packed)) Layout {
    thalweg_nic_packet packet{};
    std::uint32_t last = 0;
    std::uint32_t waited_us = 0;
    std::uint64_t words[THALWEG_NIC_ROW] = {};
  };
  Layout layout_;
};

/// A packet with a part of a broadcast, but for the segment's bytes; as it is on the wire.
struct __attribute__((packed)) PartHead {
  thalweg_nic_packet packet{};
  thalweg_nic_part part{}; ///< in network order

  PartHead() = default;
  PartHead(const thalweg_nic_group& group, std::uint8_t kind, std::uint32_t epoch,
           const thalweg_nic_part& own)
      : part(reordered(own)) {
    const thalweg_nic_content none{};
    thalweg_nic_packet written{};
    thalweg_nic_write(&written, &group, kind, epoch, &none);
    packet = written;
  }
  /// From the host's order to the network's, or back.
  static thalweg_nic_part reordered(const thalweg_nic_part& part) {
    return {.have = thalweg_nic_order64(part.have),
            .bytes = thalweg_nic_order32(part.bytes),
            .segment = thalweg_nic_order16(part.segment),
            .asks = thalweg_nic_order16(part.asks)};
  }
};

/// A packet of an inbox, but for its message's bytes; as it is on the wire.
struct __attribute__((packed)) EnvelopeHead {
  thalweg_nic_packet packet{};
  thalweg_nic_envelope envelope{}; ///< in network order

  EnvelopeHead() = default;
  EnvelopeHead(const thalweg_nic_group& group, std::uint8_t kind, std::uint32_t number, std::uint16_t speaker,
               const thalweg_nic_envelope& own)
      : envelope(reordered(own)) {
    const thalweg_nic_content none{};
    thalweg_nic_packet written{};
    thalweg_nic_write(&written, &group, kind, number, &none);
    written.contributor = static_cast<std::uint8_t>(speaker);
    packet = written;
  }
  /// From the host's order to the network's, or back.
  static thalweg_nic_envelope reordered(const thalweg_nic_envelope& envelope) {
    return {thalweg_nic_order32(envelope.tag), thalweg_nic_order32(envelope.bytes),
            thalweg_nic_order16(envelope.to), thalweg_nic_order16(envelope.what)};
  }
};

} // namespace thalweg::nic
