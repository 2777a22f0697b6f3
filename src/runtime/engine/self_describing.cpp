// SPDX-License-Identifier: BSD-3-Clause
#include "engine/self_describing.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <unordered_map>

namespace thalweg::engine {

namespace {

using schedule::Buffer;
using schedule::Step;
using schedule::StepKind;

using Size = std::uint64_t; ///< a message begins with its own

// Lengths are written seven bits a byte, the lowest first; all bytes but the last have the highest bit set.
constexpr unsigned digit_bits = 7;
constexpr std::uint64_t digit = (1U << digit_bits) - 1;

std::size_t written_bytes(std::uint64_t length) {
  std::size_t bytes = 1;
  for (; length > digit; length >>= digit_bits)
    ++bytes;
  return bytes;
}

std::byte* write(std::uint64_t length, std::byte* to) {
  for (; length > digit; length >>= digit_bits)
    *to++ = static_cast<std::byte>(length | (digit + 1));
  *to++ = static_cast<std::byte>(length);
  return to;
}

} // namespace

std::byte* SelfDescribingExecution::Memory::grow(std::size_t wanted, std::size_t kept) {
  if (bytes < wanted) {
    auto larger = std::make_unique_for_overwrite<std::byte[]>(wanted);
    std::copy_n(data.get(), kept, larger.get());
    data = std::move(larger);
    bytes = wanted;
  }
  return data.get();
}

SelfDescribingExecution::SelfDescribingExecution(const schedule::Schedule& schedule, transport::Batch& batch)
    : schedule_(schedule), batch_(batch), successors_(schedule), states_(schedule.steps.size()),
      scratch_(static_cast<std::size_t>(schedule.scratch_blocks)) {
  std::unordered_map<std::int64_t, std::int32_t> messages_with;
  for (std::size_t s = 0; s < states_.size(); ++s) {
    const Step& step = schedule.steps[s];
    THALWEG_ASSERT(light, step.kind != StepKind::receive_combine && step.kind != StepKind::combine);
    if (is_message(step))
      states_[s].sequence = messages_with[std::int64_t{step.peer} * 2 + (is_receive(step) ? 1 : 0)]++;
  }
  std::uint32_t widest = 0;
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage)
    widest = std::max(widest, schedule.stage_end(stage) - schedule.stages[stage]);
  batch_.reserve(std::size_t{2} * widest);
}

std::span<const schedule::BlockRange> SelfDescribingExecution::blocks_of(std::uint32_t s) const {
  const Step& step = schedule_.steps[s];
  return step.kind == StepKind::send ? schedule_.source(step) : schedule_.target(step);
}

SelfDescribingExecution::Place SelfDescribingExecution::place(Buffer buffer, std::int32_t block) const {
  if (buffer == Buffer::scratch)
    return scratch_[static_cast<std::size_t>(block)];
  const Side& side = buffer == Buffer::input ? input_ : output_;
  return {side.data + side.layout.begin(block), side.layout.bytes(block)};
}

std::byte* SelfDescribingExecution::home(std::uint32_t s, std::int32_t block, std::int64_t bytes) const {
  const Place place = this->place(Buffer::output, block);
  if (bytes > place.bytes)
    throw transport::TruncationError(fmt::format("rank {} brought {} bytes of output block {}, which has {}",
                                                 schedule_.steps[s].peer, bytes, block, place.bytes),
                                     "give the same counts on all ranks");
  return place.data;
}

/// A message has two tags, one for each of its parts.
transport::Message SelfDescribingExecution::part(std::uint32_t s, int number, std::byte* data,
                                                 std::size_t bytes) const {
  return {.peer = schedule_.steps[s].peer,
          .tag = tags_.first + ((2 * states_[s].sequence + number) & (tags_.count - 1)),
          .data = data,
          .bytes = bytes,
          .at_most = number == 0};
}

void SelfDescribingExecution::start(Side input, Side output, Tags tags) {
  THALWEG_ASSERT(normal, tags.count > 1 && (tags.count & (tags.count - 1)) == 0); // a message has two
  THALWEG_ASSERT(normal, unfinished_ == 0);
  input_ = std::move(input);
  output_ = std::move(output);
  tags_ = tags;
  stage_ = 0;
  stage_started_ = false;
}

bool SelfDescribingExecution::progress() {
  for (; stage_ < schedule_.stages.size(); ++stage_) {
    if (!stage_started_)
      start_stage();
    stage_started_ = true;
    while (unfinished_ > 0) {
      const std::span<const int> ids = batch_.poll();
      if (ids.empty())
        return false;
      finish_messages(ids);
    }
    stage_started_ = false;
  }
  return true;
}

void SelfDescribingExecution::run() {
  while (!progress())
    finish_messages(batch_.wait());
}

void SelfDescribingExecution::start_stage() {
  const std::uint32_t begin = schedule_.stages[stage_];
  const std::uint32_t end = schedule_.stage_end(stage_);
  unfinished_ = end - begin;
  for (std::uint32_t s = begin; s < end; ++s) {
    states_[s].predecessors_left = schedule_.steps[s].predecessors.size;
    if (states_[s].predecessors_left == 0)
      ready_.push_back(s);
  }
  drain_ready();
}

void SelfDescribingExecution::drain_ready() {
  for (std::size_t next = 0; next < ready_.size(); ++next) {
    const std::uint32_t s = ready_[next];
    if (!start_step(s))
      continue;
    --unfinished_;
    for (const std::uint32_t successor : successors_.of(s))
      if (--states_[successor].predecessors_left == 0)
        ready_.push_back(successor);
  }
  ready_.clear();
}

bool SelfDescribingExecution::start_step(std::uint32_t s) {
  const Step& step = schedule_.steps[s];
  if (step.kind == StepKind::copy) {
    copy(s);
    return true;
  }
  if (step.kind == StepKind::send) {
    send(s);
    return false;
  }
  StepState& state = states_[s];
  state.awaits_beginning = true;
  state.parts_in_flight = 1;
  batch_.start_receive(2 * (s - schedule_.stages[stage_]),
                       part(s, 0, state.memory.grow(beginning_bytes), beginning_bytes));
  return false;
}

/// What goes to scratch is copied too, though it could stay where it is: in place, that is written later.
void SelfDescribingExecution::copy(std::uint32_t s) {
  const Step& step = schedule_.steps[s];
  std::size_t total = 0;
  places_.clear();
  for_each_block(schedule_.source(step), [&](Buffer buffer, std::int32_t block) {
    places_.push_back(place(buffer, block));
    total += static_cast<std::size_t>(places_.back().bytes);
  });
  std::byte* kept = states_[s].memory.grow(total);
  std::size_t next = 0;
  for_each_block(schedule_.target(step), [&](Buffer buffer, std::int32_t block) {
    const Place from = places_[next++];
    if (buffer == Buffer::scratch)
      scratch_[static_cast<std::size_t>(block)] = {kept, from.bytes};
    std::byte* const to = buffer == Buffer::scratch ? kept : home(s, block, from.bytes);
    if (from.bytes > 0 && from.data != to)
      std::memmove(to, from.data, static_cast<std::size_t>(from.bytes));
    kept += from.bytes;
  });
  THALWEG_ASSERT(normal, next == places_.size()); // as many blocks on both sides
}

SelfDescribingExecution::MessageSize SelfDescribingExecution::measure_message(std::uint32_t s) {
  MessageSize size{.head_bytes = sizeof(Size)};
  const std::byte* neighbor = nullptr;
  bool are_neighbors = true;
  places_.clear();
  for_each_block(blocks_of(s), [&](Buffer buffer, std::int32_t block) {
    const Place found = places_.emplace_back(place(buffer, block));
    size.head_bytes += written_bytes(static_cast<std::uint64_t>(found.bytes));
    if (found.bytes == 0)
      return;
    are_neighbors &= size.block_bytes == 0 || found.data == neighbor;
    if (size.block_bytes == 0)
      size.begin = found.data;
    size.block_bytes += static_cast<std::size_t>(found.bytes);
    neighbor = found.data + found.bytes;
  });
  if (!are_neighbors)
    size.begin = nullptr;
  return size;
}

void SelfDescribingExecution::write_message(std::uint32_t s, const MessageSize& size) {
  StepState& state = states_[s];
  const Size total = size.total();
  std::byte* const begin = state.memory.grow(size.is_direct() ? beginning_bytes : total);
  std::memcpy(begin, &total, sizeof total);
  std::byte* to = begin + sizeof total;
  for (const Place& found : places_)
    to = write(static_cast<std::uint64_t>(found.bytes), to);
  THALWEG_ASSERT(normal, to == begin + size.head_bytes);
  if (size.is_direct()) {
    const std::size_t before = beginning_bytes - size.head_bytes;
    std::memcpy(to, size.begin, before);
    state.rest = size.begin + before;
    return;
  }
  for (const Place& found : places_)
    to = std::copy_n(found.data, found.bytes, to);
  state.rest = begin + beginning_bytes;
}

void SelfDescribingExecution::send(std::uint32_t s) {
  const MessageSize size = measure_message(s);
  write_message(s, size);
  StepState& state = states_[s];
  const std::uint32_t id = 2 * (s - schedule_.stages[stage_]);
  const bool is_long = size.total() > beginning_bytes;
  state.parts_in_flight = is_long ? 2 : 1;
  batch_.start_send(id, part(s, 0, state.memory.data.get(), std::min(size.total(), beginning_bytes)));
  if (is_long)
    batch_.start_send(id + 1, part(s, 1, state.rest, size.total() - beginning_bytes));
}

void SelfDescribingExecution::finish_messages(std::span<const int> ids) {
  finished_.assign(ids.begin(), ids.end());
  for (const int id : finished_) {
    const std::uint32_t s = schedule_.stages[stage_] + static_cast<std::uint32_t>(id) / 2;
    StepState& state = states_[s];
    --state.parts_in_flight;
    THALWEG_ASSERT(normal, state.parts_in_flight >= 0 && unfinished_ > 0);
    if (state.awaits_beginning) {
      state.awaits_beginning = false;
      Size total = 0;
      std::memcpy(&total, state.memory.data.get(), sizeof total);
      state.rest = nullptr;
      if (total > beginning_bytes)
        receive_rest(s, total);
    }
    if (state.parts_in_flight > 0)
      continue;
    if (is_receive(schedule_.steps[s]))
      take_message(s);
    --unfinished_;
    for (const std::uint32_t successor : successors_.of(s))
      if (--states_[successor].predecessors_left == 0)
        ready_.push_back(successor);
  }
  drain_ready();
}

void SelfDescribingExecution::receive_rest(std::uint32_t s, std::size_t total) {
  THALWEG_ASSERT(normal, total > beginning_bytes);
  StepState& state = states_[s];
  std::byte* const blocks = read_lengths(s, beginning_bytes) ? common_home(s) : nullptr;
  if (blocks != nullptr)
    state.rest = blocks + (beginning_bytes - state.head_bytes);
  else
    state.memory.grow(total, beginning_bytes);
  std::byte* const to = blocks != nullptr ? state.rest : state.memory.data.get() + beginning_bytes;
  state.parts_in_flight = 1;
  batch_.start_receive(2 * (s - schedule_.stages[stage_]) + 1, part(s, 1, to, total - beginning_bytes));
}

bool SelfDescribingExecution::read_lengths(std::uint32_t s, std::size_t here) {
  const std::byte* const begin = states_[s].memory.data.get();
  const std::byte* at = begin + sizeof(Size);
  lengths_.clear();
  for (std::int64_t left = schedule::block_count(blocks_of(s)); left > 0; --left) {
    std::uint64_t length = 0;
    for (unsigned shift = 0;; shift += digit_bits) {
      if (at == begin + here)
        return false;
      const auto byte = static_cast<std::uint64_t>(*at++);
      length |= (byte & digit) << shift;
      if (byte <= digit)
        break;
    }
    lengths_.push_back(static_cast<std::int64_t>(length));
  }
  states_[s].head_bytes = static_cast<std::size_t>(at - begin);
  return true;
}

std::byte* SelfDescribingExecution::common_home(std::uint32_t s) {
  std::byte* first = nullptr;
  const std::byte* neighbor = nullptr;
  bool is_common = true;
  auto length = lengths_.begin();
  for_each_block(blocks_of(s), [&](Buffer buffer, std::int32_t block) {
    const std::int64_t bytes = *length++;
    is_common &= buffer == Buffer::output; // empty blocks of scratch have to be known, too
    if (bytes == 0 || !is_common)
      return;
    std::byte* const place = home(s, block, bytes);
    is_common = first == nullptr || place == neighbor;
    first = first == nullptr ? place : first;
    neighbor = place + bytes;
  });
  return is_common ? first : nullptr;
}

void SelfDescribingExecution::take_message(std::uint32_t s) {
  StepState& state = states_[s];
  std::byte* const begin = state.memory.data.get();
  if (state.rest != nullptr) {
    const std::size_t came_before = beginning_bytes - state.head_bytes;
    std::memcpy(state.rest - came_before, begin + state.head_bytes, came_before);
    return;
  }
  Size total = 0;
  std::memcpy(&total, begin, sizeof total);
  if (!read_lengths(s, total))
    throw transport::TruncationError(
        fmt::format("rank {} sent a message of fewer blocks than were awaited", schedule_.steps[s].peer),
        "give the same counts on all ranks");
  std::byte* at = begin + state.head_bytes;
  auto length = lengths_.begin();
  for_each_block(blocks_of(s), [&](Buffer buffer, std::int32_t block) {
    const std::int64_t bytes = *length++;
    if (buffer == Buffer::scratch)
      scratch_[static_cast<std::size_t>(block)] = {at, bytes};
    else if (bytes > 0)
      std::memcpy(home(s, block, bytes), at, static_cast<std::size_t>(bytes));
    at += bytes;
  });
}

} // namespace thalweg::engine
