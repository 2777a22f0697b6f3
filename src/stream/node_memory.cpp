#include "stream/node_memory.hpp"

#include <cassert>
#include <new>
#include <utility>

namespace thalweg::streams {

namespace {

constexpr std::size_t nothing = 64; // place 0 is no slot's

} // namespace

NodeMemory::NodeMemory(std::int32_t near_ranks, std::vector<std::uint32_t> slots, std::uint32_t slot_bytes)
    : near_ranks_(near_ranks), slots_(std::move(slots)), slot_bytes_(slot_bytes) {
  assert(slot_bytes % sizeof(Slot) == 0);
}

std::size_t NodeMemory::part_bytes() const {
  std::size_t count = 0;
  for (const std::uint32_t slots : slots_)
    count += slots;
  return slots_.size() * sizeof(SlotQueue) + sizeof(transport::Doorbell) + count * stride();
}

std::size_t NodeMemory::bytes() const {
  return nothing + static_cast<std::size_t>(near_ranks_) * part_bytes();
}

std::byte* NodeMemory::part(std::byte* base, std::int32_t near_rank) const {
  return base + nothing + static_cast<std::size_t>(near_rank) * part_bytes();
}

void NodeMemory::begin(std::byte* base, std::int32_t near_rank) const {
  std::byte* at = part(base, near_rank);
  for (std::size_t d = 0; d < slots_.size(); ++d, at += sizeof(SlotQueue))
    (new (at) SlotQueue)->begin(base);
  new (at) transport::Doorbell{};
}

SlotQueue& NodeMemory::queue(std::byte* base, std::int32_t near_rank, std::uint32_t dimension) const {
  return reinterpret_cast<SlotQueue*>(part(base, near_rank))[dimension];
}

transport::Doorbell& NodeMemory::doorbell(std::byte* base, std::int32_t near_rank) const {
  return *reinterpret_cast<transport::Doorbell*>(part(base, near_rank) + slots_.size() * sizeof(SlotQueue));
}

std::byte* NodeMemory::first_slot(std::byte* base, std::int32_t near_rank, std::uint32_t dimension) const {
  std::byte* at = part(base, near_rank) + slots_.size() * sizeof(SlotQueue) + sizeof(transport::Doorbell);
  for (std::uint32_t d = 0; d < dimension; ++d)
    at += slots_[d] * stride();
  return at;
}

} // namespace thalweg::streams
