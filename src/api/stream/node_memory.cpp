// SPDX-License-Identifier: BSD-3-Clause
#include "stream/node_memory.hpp"

#include "base/assertion.hpp"

#include <cstring>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace thalweg::streams {

namespace {

constexpr std::size_t nothing = 64; // place 0 is no slot's

} // namespace

NodeMemory::NodeMemory(std::int32_t near_ranks, std::vector<std::uint32_t> slots, std::uint32_t slot_bytes)
    : near_ranks_(near_ranks), slots_(std::move(slots)), slot_bytes_(slot_bytes) {
  THALWEG_ASSERT(light, near_ranks > 0 && slot_bytes % sizeof(Slot) == 0);
}

// One line more than its words have, for the window. Without it those that a receiver looks at would meet in
// few sets of its cache.
std::size_t NodeMemory::mailbox_bytes(std::uint32_t dimension) const {
  const std::size_t bytes = mailbox_words(slots_[dimension]) * sizeof(MailboxWord);
  return (bytes + sizeof(Slot) - 1) / sizeof(Slot) * sizeof(Slot) + sizeof(Slot);
}

std::size_t NodeMemory::mailboxes_bytes() const {
  std::size_t bytes = 0;
  for (std::uint32_t d = 0; d < slots_.size(); ++d)
    bytes += static_cast<std::size_t>(near_ranks_) * mailbox_bytes(d);
  return bytes;
}

std::size_t NodeMemory::part_bytes() const {
  std::size_t count = 0;
  for (const std::uint32_t slots : slots_)
    count += slots;
  return mailboxes_bytes() + sizeof(transport::Doorbell) + count * stride();
}

std::size_t NodeMemory::bytes() const {
  return nothing + static_cast<std::size_t>(near_ranks_) * part_bytes();
}

std::byte* NodeMemory::part(std::byte* base, std::int32_t near_rank) const {
  THALWEG_ASSERT(normal, near_rank >= 0 && near_rank < near_ranks_);
  return base + nothing + static_cast<std::size_t>(near_rank) * part_bytes();
}

// Zeros are empty mailboxes.
void NodeMemory::begin(std::byte* base, std::int32_t near_rank) const {
  new (&doorbell(base, near_rank)) transport::Doorbell{};
}

void NodeMemory::renew(std::byte* base, std::int32_t near_rank) const {
  constexpr std::size_t page = 4096;
  std::byte* const first = part(base, near_rank);
  const std::size_t bytes = part_bytes();
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(first) % page) % page;
  const std::size_t whole = bytes > before ? (bytes - before) / page * page : 0;
  // Pages become zeros by being given back, if they are of a file in memory, as a segment's are.
  if (whole > 0 && ::madvise(first + before, whole, MADV_REMOVE) == 0) {
    std::memset(first, 0, before);
    std::memset(first + before + whole, 0, bytes - before - whole);
  } else {
    std::memset(first, 0, bytes);
  }
  begin(base, near_rank);
}

std::byte* NodeMemory::mailbox_at(std::byte* base, std::int32_t receiver, std::int32_t sender,
                                  std::uint32_t dimension) const {
  THALWEG_ASSERT(normal, sender >= 0 && sender < near_ranks_ && dimension < slots_.size());
  std::byte* at = part(base, receiver);
  for (std::uint32_t d = 0; d < dimension; ++d)
    at += static_cast<std::size_t>(near_ranks_) * mailbox_bytes(d);
  return at + static_cast<std::size_t>(sender) * mailbox_bytes(dimension);
}

MailboxEnd NodeMemory::mailbox(std::byte* base, std::int32_t receiver, std::int32_t sender,
                               std::uint32_t dimension) const {
  return {reinterpret_cast<MailboxWord*>(mailbox_at(base, receiver, sender, dimension)),
          mailbox_words(slots_[dimension])};
}

std::atomic<std::uint64_t>& NodeMemory::window(std::byte* base, std::int32_t receiver, std::int32_t sender,
                                               std::uint32_t dimension) const {
  std::byte* const last_line =
      mailbox_at(base, receiver, sender, dimension) + mailbox_bytes(dimension) - sizeof(Slot);
  return *reinterpret_cast<std::atomic<std::uint64_t>*>(last_line);
}

transport::Doorbell& NodeMemory::doorbell(std::byte* base, std::int32_t near_rank) const {
  return *reinterpret_cast<transport::Doorbell*>(part(base, near_rank) + mailboxes_bytes());
}

std::byte* NodeMemory::first_slot(std::byte* base, std::int32_t near_rank, std::uint32_t dimension) const {
  std::byte* at = part(base, near_rank) + mailboxes_bytes() + sizeof(transport::Doorbell);
  for (std::uint32_t d = 0; d < dimension; ++d)
    at += slots_[d] * stride();
  return at;
}

} // namespace thalweg::streams
