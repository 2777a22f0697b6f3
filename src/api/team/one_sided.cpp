// SPDX-License-Identifier: BSD-3-Clause
#include "team/one_sided.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <atomic>

namespace thalweg::teams {

void OneSided::serve_others(const machine::Machine& machine) {
  if (!far_)
    far_ = std::make_unique<FarMemory>(group_, memory_, operations_, eager_bytes(machine));
}

void OneSided::end() {
  if (!far_)
    return;
  far_->finish_sends();
  operations_.meet();
  far_.reset();
}

std::byte* OneSided::place_of(const void* address, std::size_t offset, std::size_t bytes, Rank rank) const {
  const Allocation* const allocation = memory_.find(address);
  if (allocation == nullptr || rank < 0 || rank >= group_.ranks())
    return nullptr;
  const auto base = static_cast<std::size_t>(static_cast<const std::byte*>(address) - allocation->begin());
  const std::size_t left = allocation->bytes() - base;
  if (offset > left || bytes > left - offset)
    return nullptr;
  std::byte* const memory = allocation->of(group_, rank);
  return memory == nullptr ? nullptr : memory + base + offset;
}

std::byte* OneSided::place_of_block(const thalweg_team_transfer& given) const {
  const bool is_usual =
      given.size == sizeof given && given.blocks == 1 && given.places == nullptr && given.data != nullptr;
  return is_usual ? place_of(given.memory, given.offset, given.bytes, given.rank) : nullptr;
}

bool OneSided::put_block(const thalweg_team_transfer& given) const noexcept {
  std::byte* const place = place_of_block(given);
  if (place == nullptr)
    return false;
  const auto* const data = static_cast<const std::byte*>(given.data);
  if (given.signal == nullptr) {
    copy_block(place, data, given.bytes);
    return true;
  }
  std::byte* const signal = place_of(given.signal, 0, sizeof *given.signal, given.rank);
  const bool is_word =
      signal != nullptr && reinterpret_cast<std::uintptr_t>(signal) % sizeof *given.signal == 0;
  if (!is_word || (given.kind != thalweg_signal_set && given.kind != thalweg_signal_add))
    return false;
  copy_block(place, data, given.bytes);
  give_signal(signal, given.value, given.kind);
  return true;
}

bool OneSided::get_block(const thalweg_team_transfer& given) const noexcept {
  const std::byte* const place = given.signal == nullptr ? place_of_block(given) : nullptr;
  if (place != nullptr)
    copy_block(static_cast<std::byte*>(given.data), place, given.bytes);
  return place != nullptr;
}

bool OneSided::put_near(const thalweg_team_transfer& given) const {
  const Transfer put = checked_put(given, group_, memory_);
  const bool has_signal = put.signal.allocation != nullptr;
  std::byte* const memory = put.allocation->of(group_, put.rank);
  std::byte* const signal = has_signal ? put.signal.allocation->of(group_, put.rank) : nullptr;
  if (memory == nullptr || (has_signal && signal == nullptr))
    return false;
  copy_blocks(memory + put.offset, put.there, put.data, put.here);
  if (has_signal)
    give_signal(signal + put.signal.offset, put.signal.value, put.signal.kind);
  return true;
}

bool OneSided::get_near(const thalweg_team_transfer& given) const {
  const Transfer get = checked_get(given, group_, memory_);
  const std::byte* const memory = get.allocation->of(group_, get.rank);
  if (memory == nullptr)
    return false;
  copy_blocks(get.data, get.here, memory + get.offset, get.there);
  return true;
}

bool OneSided::update_near(const thalweg_team_atomic& given) const {
  const Atomic atomic = checked(given, group_, memory_);
  std::byte* const memory = atomic.allocation->of(group_, atomic.rank);
  if (memory == nullptr)
    return false;
  give_word(update(memory + atomic.offset, atomic.bytes, atomic.kind, atomic.value, atomic.compare),
            atomic.bytes, atomic.result);
  return true;
}

void OneSided::put_far(const thalweg_team_transfer& given) {
  far_->put(checked_put(given, group_, memory_));
}

void OneSided::get_far(const thalweg_team_transfer& given) {
  far_->wait(*start_get(given));
}

void OneSided::update_far(const thalweg_team_atomic& given) {
  const FarOperationPointer operation = far_->start_update(checked(given, group_, memory_));
  if (operation)
    far_->wait(*operation);
}

FarOperationPointer OneSided::start_put(const thalweg_team_transfer& given) {
  return far_->start_put(checked_put(given, group_, memory_));
}

FarOperationPointer OneSided::start_get(const thalweg_team_transfer& given) {
  return far_->start_get(checked_get(given, group_, memory_));
}

FarOperationPointer OneSided::start_update(const thalweg_team_atomic& given) {
  return far_->start_update_to_land(checked(given, group_, memory_));
}

void OneSided::fence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (far_)
    far_->fence();
}

void OneSided::quiet() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (far_)
    far_->quiet();
}

bool OneSided::is_met_soon(const std::uint64_t* word, thalweg_condition condition, std::uint64_t value,
                           std::uint64_t& found) const {
  constexpr std::uint32_t polls_of_a_moment = 200;
  const std::uint32_t polls = std::min(polls_of_a_moment, operations_.policy().polls);
  for (std::uint32_t poll = 0; poll < polls; ++poll) {
    found = seen(word);
    if (holds(found, condition, value))
      return true;
  }
  return false;
}

std::uint64_t OneSided::wait(const std::uint64_t* word, thalweg_condition condition, std::uint64_t value) {
  std::uint64_t found = 0;
  if (far_)
    far_->expect();
  operations_.wait_for([&] {
    found = seen(word);
    return holds(found, condition, value);
  });
  return found;
}

void OneSided::progress() {
  if (far_)
    far_->expect();
  operations_.let_go_on();
}

} // namespace thalweg::teams
