// SPDX-License-Identifier: BSD-3-Clause
#include "team/transfer.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>

namespace thalweg::teams {

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

void check_rank(int rank, const job::Group& group) {
  if (rank < 0 || rank >= group.ranks())
    throw Error(fmt::format("rank {}", rank), fmt::format("the team has ranks 0 to {}", group.ranks() - 1));
}

const Allocation& allocation_of(const SymmetricMemory& memory, const void* address) {
  const Allocation* const found = memory.find(address);
  if (found == nullptr)
    throw Error(fmt::format("no symmetric memory at {}, or no longer", address),
                "give an address in what allocate() gave with this team, and has not been released");
  return *found;
}

bool is_aligned(const void* address, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

// In which no product of two sizes is too large.
__extension__ using Wide = __int128;

// From the first to behind the last byte of blocks, around where they begin.
struct Range {
  Wide begin = 0;
  Wide end = 0;
};

Range range_of(const Blocks& blocks) {
  if (blocks.total() == 0)
    return {};
  Range range{0, static_cast<Wide>(blocks.bytes)};
  if (blocks.places != nullptr) {
    const std::span places(blocks.places, blocks.count);
    const auto [low, high] = std::ranges::minmax(places);
    return {static_cast<Wide>(low), static_cast<Wide>(high) + static_cast<Wide>(blocks.bytes)};
  }
  const Wide last = static_cast<Wide>(blocks.stride) * static_cast<Wide>(blocks.count - 1);
  range.begin += std::min<Wide>(last, 0);
  range.end += std::max<Wide>(last, 0);
  return range;
}

void check_blocks(const thalweg_team_transfer& given) {
  const Wide total = static_cast<Wide>(given.blocks) * static_cast<Wide>(given.bytes);
  if (total > PTRDIFF_MAX)
    throw Error(fmt::format("{} blocks of {} bytes", given.blocks, given.bytes),
                "that many do not fit into memory");
  if (given.bytes * given.blocks != 0 && given.data == nullptr)
    throw Error(fmt::format("no data for {} bytes", given.bytes * given.blocks),
                "give the address of memory");
}

std::int64_t shown(Wide offset) {
  return static_cast<std::int64_t>(std::clamp<Wide>(offset, INT64_MIN, INT64_MAX));
}

/// Where in its memory an address and an offset from there are, if bytes around it are in that memory.
std::size_t checked_offset(const Allocation& allocation, const void* address, std::size_t offset,
                           const Range& range) {
  const Wide place = static_cast<const std::byte*>(address) - allocation.begin() + static_cast<Wide>(offset);
  const Wide begin = range.begin + place;
  const Wide end = range.end + place;
  if (begin < 0 || end > static_cast<Wide>(allocation.bytes()))
    throw Error(
        fmt::format("bytes {} to {} of symmetric memory of {}", shown(begin), shown(end), allocation.bytes()),
        "stay inside: allocate more, or give a smaller offset, fewer bytes or nearer blocks");
  return static_cast<std::size_t>(place);
}

Transfer checked(const thalweg_team_transfer& given, const job::Group& group, const SymmetricMemory& memory) {
  check_rank(given.rank, group);
  check_blocks(given);
  const Allocation& allocation = allocation_of(memory, given.memory);
  Transfer transfer;
  transfer.rank = given.rank;
  transfer.allocation = &allocation;
  transfer.data = static_cast<std::byte*>(given.data);
  const auto whole = static_cast<std::ptrdiff_t>(given.bytes);
  transfer.there = {given.bytes, given.blocks, given.memory_stride == 0 ? whole : given.memory_stride,
                    given.places};
  transfer.here = {given.bytes, given.blocks, given.data_stride == 0 ? whole : given.data_stride, nullptr};
  transfer.offset = checked_offset(allocation, given.memory, given.offset, range_of(transfer.there));
  return transfer;
}

template <typename Word>
std::uint64_t updated(std::byte* place, thalweg_atomic_kind kind, std::uint64_t value,
                      std::uint64_t compare) {
  std::atomic_ref<Word> word(*reinterpret_cast<Word*>(place));
  const auto given = static_cast<Word>(value);
  if (kind == thalweg_atomic_add)
    return word.fetch_add(given);
  if (kind == thalweg_atomic_swap)
    return word.exchange(given);
  auto expected = static_cast<Word>(compare);
  word.compare_exchange_strong(expected, given);
  return expected; // what was there, in either case
}

// A word that somebody may look at while it is written lands whole.
template <typename Word>
void copy_word(std::byte* to, const std::byte* from) {
  Word word{};
  std::memcpy(&word, from, sizeof word);
  std::atomic_ref<Word>(*reinterpret_cast<Word*>(to)).store(word, std::memory_order_relaxed);
}

} // namespace

void copy_block(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == sizeof(std::uint64_t) && is_aligned(to, bytes))
    copy_word<std::uint64_t>(to, from);
  else if (bytes == sizeof(std::uint32_t) && is_aligned(to, bytes))
    copy_word<std::uint32_t>(to, from);
  else if (bytes > 0)
    std::memmove(to, from, bytes); // which may be the same memory, of this rank
}

Transfer checked_put(const thalweg_team_transfer& given, const job::Group& group,
                     const SymmetricMemory& memory) {
  Transfer transfer = checked(given, group, memory);
  if (given.signal == nullptr)
    return transfer;
  if (given.kind != thalweg_signal_set && given.kind != thalweg_signal_add)
    throw Error(fmt::format("signal number {}", static_cast<int>(given.kind)), "choose a thalweg_signal_...");
  check_word(given.signal);
  const Allocation& allocation = allocation_of(memory, given.signal);
  const std::size_t offset = checked_offset(allocation, given.signal, 0, {0, word_bytes});
  transfer.signal = {&allocation, offset, given.value, given.kind};
  return transfer;
}

Transfer checked_get(const thalweg_team_transfer& given, const job::Group& group,
                     const SymmetricMemory& memory) {
  if (given.signal != nullptr)
    throw Error("a get with a signal", "only puts give one: leave `signal` NULL");
  return checked(given, group, memory);
}

Atomic checked(const thalweg_team_atomic& given, const job::Group& group, const SymmetricMemory& memory) {
  check_rank(given.rank, group);
  if (given.bytes != sizeof(std::uint32_t) && given.bytes != sizeof(std::uint64_t))
    throw Error(fmt::format("an atomic operation on {} bytes", given.bytes), "words have 4 or 8 bytes");
  const auto kind = static_cast<int>(given.kind);
  if (kind < thalweg_atomic_add || kind > thalweg_atomic_compare_swap)
    throw Error(fmt::format("there is no atomic operation number {}", kind), "choose a thalweg_atomic_...");
  const Allocation& allocation = allocation_of(memory, given.memory);
  const std::size_t offset =
      checked_offset(allocation, given.memory, given.offset, {0, static_cast<Wide>(given.bytes)});
  if (offset % given.bytes != 0)
    throw Error(fmt::format("an atomic operation on {} bytes at {} of symmetric memory", given.bytes, offset),
                "align words to their size");
  return {given.rank, &allocation, offset, given.bytes, given.kind, given.value, given.compare, given.result};
}

void check_word(const void* word) {
  if (word == nullptr || !is_aligned(word, word_bytes))
    throw Error(fmt::format("a word at {}", word), "give one of 8 bytes that is aligned to them");
}

void check_condition(thalweg_condition condition) {
  const auto number = static_cast<int>(condition);
  if (number < thalweg_condition_equal || number > thalweg_condition_less_equal)
    throw Error(fmt::format("there is no condition number {}", number), "choose a thalweg_condition_...");
}

void copy_blocks(std::byte* to, const Blocks& there, const std::byte* from, const Blocks& here) {
  THALWEG_ASSERT(normal, there.total() == here.total() && there.count == here.count);
  if (there.is_whole() && here.is_whole()) {
    copy_block(to + there.begin_of(0), from + here.begin_of(0), there.total());
    return;
  }
  for (std::size_t block = 0; block < there.count; ++block)
    copy_block(to + there.begin_of(block), from + here.begin_of(block), there.bytes);
}

void give_signal(std::byte* word, std::uint64_t value, thalweg_signal_kind kind) {
  const std::atomic_ref<std::uint64_t> signal(*reinterpret_cast<std::uint64_t*>(word));
  if (kind == thalweg_signal_add)
    signal.fetch_add(value, std::memory_order_release);
  else
    signal.store(value, std::memory_order_release);
}

std::uint64_t update(std::byte* word, std::size_t bytes, thalweg_atomic_kind kind, std::uint64_t value,
                     std::uint64_t compare) {
  THALWEG_ASSERT(normal, is_aligned(word, bytes));
  return bytes == sizeof(std::uint32_t) ? updated<std::uint32_t>(word, kind, value, compare)
                                        : updated<std::uint64_t>(word, kind, value, compare);
}

void give_word(std::uint64_t found, std::size_t bytes, void* result) {
  if (result == nullptr)
    return;
  const auto half = static_cast<std::uint32_t>(found);
  if (bytes == sizeof half)
    std::memcpy(result, &half, sizeof half);
  else
    std::memcpy(result, &found, sizeof found);
}

} // namespace thalweg::teams
