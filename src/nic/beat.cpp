// SPDX-License-Identifier: BSD-3-Clause
#include "nic/beat.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace thalweg::nic {

namespace {

constexpr std::uint16_t magic = 0x5442;

// Numbers in network order.
struct Head {
  std::uint16_t magic;
  std::uint16_t version;
  std::uint32_t group;
  std::uint64_t key;
  char sender[sizeof(thalweg_nic_departure::host)];
  std::uint32_t newest;
  std::uint32_t kind;
  std::uint32_t rank;
  std::uint32_t after;
  char host[sizeof(thalweg_nic_departure::host)];
  std::uint32_t count;
  std::uint32_t unused;
};
struct Entry {
  std::uint32_t rank;
  std::uint32_t address;
  std::uint32_t waited_ms;
};
static_assert(sizeof(Head) == 136 && sizeof(Entry) == 12);

// What no host's name has ends it.
void copy_name(char (&name)[sizeof(thalweg_nic_departure::host)], const char* text) {
  std::size_t length = 0;
  while (length + 1 < sizeof name && (std::isalnum(static_cast<unsigned char>(text[length])) != 0 ||
                                      (text[length] != 0 && std::strchr(".-_:", text[length]) != nullptr)))
    ++length;
  std::memset(name, 0, sizeof name);
  std::memcpy(name, text, length);
}

} // namespace

std::vector<std::byte> write_beat(const Beat& beat) {
  const std::size_t count = std::min(beat.missing.size(), Beat::max_missing);
  std::vector<std::byte> datagram(sizeof(Head) + count * sizeof(Entry));
  Head head{thalweg_nic_order16(magic),
            thalweg_nic_order16(THALWEG_NIC_VERSION),
            thalweg_nic_order32(beat.group),
            thalweg_nic_order64(beat.key),
            {},
            thalweg_nic_order32(beat.newest),
            thalweg_nic_order32(beat.departure.kind),
            thalweg_nic_order32(static_cast<std::uint32_t>(beat.departure.rank)),
            thalweg_nic_order32(beat.departure.after),
            {},
            thalweg_nic_order32(static_cast<std::uint32_t>(count)),
            0};
  copy_name(head.sender, beat.host);
  copy_name(head.host, beat.departure.host);
  std::memcpy(datagram.data(), &head, sizeof head);
  for (std::size_t i = 0; i < count; ++i) {
    const Missing& one = beat.missing[i];
    const Entry entry{thalweg_nic_order32(static_cast<std::uint32_t>(one.rank)), one.address,
                      thalweg_nic_order32(one.waited_ms)};
    std::memcpy(datagram.data() + sizeof head + i * sizeof entry, &entry, sizeof entry);
  }
  return datagram;
}

std::optional<Beat> read_beat(std::span<const std::byte> datagram) {
  Head head;
  if (datagram.size() < sizeof head)
    return std::nullopt;
  std::memcpy(&head, datagram.data(), sizeof head);
  const std::uint32_t count = thalweg_nic_order32(head.count);
  if (thalweg_nic_order16(head.magic) != magic || thalweg_nic_order16(head.version) != THALWEG_NIC_VERSION ||
      count > Beat::max_missing || datagram.size() != sizeof head + count * sizeof(Entry))
    return std::nullopt;
  Beat beat;
  beat.group = thalweg_nic_order32(head.group);
  beat.key = thalweg_nic_order64(head.key);
  beat.newest = thalweg_nic_order32(head.newest);
  beat.departure.kind = thalweg_nic_order32(head.kind);
  beat.departure.rank = static_cast<std::int32_t>(thalweg_nic_order32(head.rank));
  beat.departure.after = thalweg_nic_order32(head.after);
  if (beat.departure.kind > THALWEG_NIC_DISSOLVED)
    return std::nullopt;
  copy_name(beat.host, head.sender);
  copy_name(beat.departure.host, head.host);
  for (std::uint32_t i = 0; i < count; ++i) {
    Entry entry;
    std::memcpy(&entry, datagram.data() + sizeof head + i * sizeof entry, sizeof entry);
    beat.missing.push_back({static_cast<std::int32_t>(thalweg_nic_order32(entry.rank)), entry.address,
                            thalweg_nic_order32(entry.waited_ms)});
  }
  return beat;
}

} // namespace thalweg::nic
