// SPDX-License-Identifier: BSD-3-Clause
#include "team/far_memory.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "job/library/mpi_library.hpp"
#include "team/attention.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <fmt/format.h>
#include <type_traits>

namespace thalweg::teams {

namespace {

// After so many looks in vain nothing is taken to be on the way, and one in some is enough.
constexpr std::uint32_t patience = 2048;
constexpr std::uint32_t looks_skipped = 8;

// A program that has waited until its puts have landed does so again, if within so many.
constexpr std::uint32_t puts_between_quiets = 64;

FarHead head_of(FarKind kind, const Transfer& transfer) {
  FarHead head;
  head.kind = kind;
  head.memory = transfer.allocation->number();
  head.offset = transfer.offset;
  head.block_bytes = transfer.there.bytes;
  head.blocks = transfer.there.count;
  head.stride = transfer.there.stride;
  head.is_indexed = transfer.there.places != nullptr ? 1 : 0;
  return head;
}

std::span<const std::byte> places_of(const Transfer& transfer) {
  if (transfer.there.places == nullptr)
    return {};
  return std::as_bytes(std::span(transfer.there.places, transfer.there.count));
}

/// Those that a head and the places before the data tell of.
Blocks blocks_of(const FarHead& head, std::span<const std::byte> body) {
  Blocks blocks{head.block_bytes, head.blocks, head.stride, nullptr};
  if (head.is_indexed != 0)
    blocks.places = reinterpret_cast<const std::size_t*>(body.data());
  return blocks;
}

std::size_t places_bytes(const FarHead& head) {
  return head.is_indexed != 0 ? head.blocks * sizeof(std::size_t) : 0;
}

Blocks without_gaps(const Blocks& blocks) {
  return {blocks.bytes, blocks.count, static_cast<std::ptrdiff_t>(blocks.bytes), nullptr};
}

void check_length(std::size_t bytes) {
  if (bytes > INT_MAX)
    throw Error(fmt::format("{} bytes for another node", bytes),
                fmt::format("move at most {} at once", INT_MAX), thalweg_error_unsupported);
}

} // namespace

std::size_t eager_bytes(const machine::Machine& machine) {
  constexpr std::size_t shortest = 2048; // libraries send so much without asking the receiver
  constexpr std::size_t longest = std::size_t{256} << 10;
  std::size_t eager = shortest;
  for (std::size_t bytes = shortest; bytes <= longest; bytes *= 2) {
    const auto length = static_cast<std::int64_t>(bytes);
    const machine::MessageCost& cost = machine.at(machine::Level::network).at(0);
    const double asked_for = 2 * (cost.latency.value + cost.send.value + cost.receive.value);
    if (2 * machine.copy_seconds(length) < asked_for)
      eager = bytes;
  }
  return eager;
}

FarMemory::FarMemory(const job::Group& group, const SymmetricMemory& memory, Operations& operations,
                     std::size_t eager_bytes)
    : memory_(memory), operations_(operations),
      // Teams have no mailbox: its tag is theirs.
      channel_(job::library_api(), group.shadow(), job::mailbox_tag(job::library_api(), group.communicator()),
               eager_bytes),
      eager_bytes_(eager_bytes), is_attended_(begin_attention(group.placement())) {
  operations_.accompany(this);
}

FarMemory::~FarMemory() {
  end_attention();
  operations_.accompany(nullptr);
}

// --- what this rank does to others' memory ---

// All that goes to a rank tells it what of its own has landed here.
template <typename Body>
std::uint64_t FarMemory::send(Rank to, FarHead& head, Body body) {
  head.landed = landings_.report(to);
  if constexpr (std::is_same_v<Body, std::vector<std::byte>>) {
    channel_.send(to, head, std::move(body));
    return 0;
  } else {
    return channel_.send(to, head, body);
  }
}

void FarMemory::number(FarHead& head, Rank to, bool is_awaited) {
  head.number = landings_.number(to, head.body_bytes, channel_.is_long(head.body_bytes));
  if (hurried_puts_ > 0)
    --hurried_puts_;
  if (!is_awaited && hurried_puts_ == 0)
    return;
  head.wants_report = 1;
  landings_.note_asked(to);
}

FarOperationPointer FarReplies::await(FarHead& head, std::byte* data, const Blocks& here) {
  head.number = ++asked_;
  auto operation = std::make_shared<FarOperation>();
  awaited_[asked_] = {data, here, operation};
  return operation;
}

std::byte* FarReplies::place_for(const FarHead& head) const {
  const Awaited& awaited = awaited_.at(head.number);
  return awaited.here.is_whole() ? awaited.data : nullptr;
}

void FarReplies::take(const FarHead& head, std::span<const std::byte> body) {
  const auto place = awaited_.find(head.number);
  THALWEG_ASSERT(light, place != awaited_.end());
  const Awaited& awaited = place->second;
  if (body.data() != awaited.data)
    copy_blocks(awaited.data, awaited.here, body.data(), without_gaps(awaited.here));
  awaited.operation->has_finished = true;
  awaited_.erase(place);
}

void FarMemory::wait_for_room(Rank to) {
  if (landings_.has_room(to))
    return;
  ask_for_reports();
  operations_.wait_for([&] { return landings_.has_room(to); });
}

std::uint64_t FarMemory::send_put(const Transfer& put, bool is_awaited) {
  const bool is_block = put.there.is_whole() && put.there.places == nullptr && put.here.is_whole();
  const std::size_t bytes = put.there.total();
  const bool has_parts = is_block && bytes > FarChannel::max_short_bytes && bytes <= eager_bytes_;
  return has_parts ? send_in_parts(put, is_awaited) : send_block(put, is_awaited);
}

// They land in their order, so the last one has the signal.
std::uint64_t FarMemory::send_in_parts(const Transfer& put, bool is_awaited) {
  const std::size_t bytes = put.there.total();
  for (std::size_t begin = 0; begin < bytes; begin += FarChannel::max_short_bytes) {
    const std::size_t length = std::min(bytes - begin, FarChannel::max_short_bytes);
    const bool is_last = begin + length == bytes;
    Transfer part = put;
    part.offset += begin;
    part.data += begin;
    part.there = part.here = Blocks{length};
    if (!is_last)
      part.signal = {};
    send_block(part, is_awaited && is_last);
  }
  return 0;
}

// What has gaps or places is put together first.
std::uint64_t FarMemory::send_block(const Transfer& put, bool is_awaited) {
  const std::span<const std::byte> places = places_of(put);
  check_length(places.size() + put.there.total());
  wait_for_room(put.rank);
  FarHead head = head_of(FarKind::put, put);
  head.body_bytes = places.size() + put.there.total();
  if (put.signal.allocation != nullptr) {
    head.signal = put.signal.allocation->number();
    head.signal_offset = put.signal.offset;
    head.value = put.signal.value;
    head.how = static_cast<std::uint8_t>(put.signal.kind);
  }
  number(head, put.rank, is_awaited);
  if (places.empty() && put.here.is_whole())
    return send(put.rank, head, std::span<const std::byte>(put.data, head.body_bytes));
  std::vector<std::byte> body(head.body_bytes);
  std::ranges::copy(places, body.begin());
  copy_blocks(body.data() + places.size(), without_gaps(put.here), put.data, put.here);
  return send(put.rank, head, std::move(body));
}

void FarMemory::put(const Transfer& put) {
  const std::uint64_t sent = send_put(put, false);
  if (channel_.is_sent(sent))
    return;
  expect();
  operations_.wait_for([&] { return channel_.is_sent(sent); });
}

FarOperationPointer FarMemory::start_put(const Transfer& put) {
  send_put(put, true);
  return landings_.await_last(put.rank);
}

FarOperationPointer FarMemory::start_get(const Transfer& get) {
  const std::span<const std::byte> places = places_of(get);
  check_length(std::max(places.size(), get.there.total()));
  FarHead head = head_of(FarKind::get, get);
  head.body_bytes = places.size();
  FarOperationPointer operation = replies_.await(head, get.data, get.here);
  send(get.rank, head, std::vector(places.begin(), places.end()));
  return operation;
}

FarOperationPointer FarMemory::send_update(const Atomic& atomic, bool is_awaited) {
  FarHead head;
  head.kind = FarKind::update;
  head.how = static_cast<std::uint8_t>(atomic.kind);
  head.memory = atomic.allocation->number();
  head.offset = atomic.offset;
  head.block_bytes = atomic.bytes;
  head.value = atomic.value;
  head.compare = atomic.compare;
  head.wants_reply = atomic.result != nullptr ? 1 : 0;
  FarOperationPointer operation;
  if (atomic.result != nullptr) {
    operation = replies_.await(head, static_cast<std::byte*>(atomic.result), Blocks{atomic.bytes});
  } else {
    wait_for_room(atomic.rank);
    number(head, atomic.rank, is_awaited);
  }
  send(atomic.rank, head, std::span<const std::byte>());
  return operation;
}

FarOperationPointer FarMemory::start_update(const Atomic& atomic) {
  return send_update(atomic, false);
}

FarOperationPointer FarMemory::start_update_to_land(const Atomic& atomic) {
  FarOperationPointer operation = send_update(atomic, true);
  return operation ? operation : landings_.await_last(atomic.rank);
}

void FarMemory::wait(const FarOperation& operation) {
  expect();
  operations_.wait_for([&] { return operation.has_finished; });
}

void FarMemory::fence() {
  if (landings_.have_long_ones())
    return;
  ask_for_reports();
  operations_.wait_for([this] { return landings_.have_long_ones(); });
}

void FarMemory::quiet() {
  if (have_all_landed())
    return;
  ask_for_reports();
  hurried_puts_ = puts_between_quiets;
  operations_.wait_for([this] { return have_all_landed(); });
}

// Owners tell by themselves what has landed when nothing more comes. Until then, who waits asks.
void FarMemory::ask_for_reports() {
  expect();
  for (const auto& [rank, last] : landings_.ask()) {
    FarHead head;
    head.kind = FarKind::report;
    head.wants_report = 1;
    head.number = last;
    send(rank, head, std::span<const std::byte>());
  }
}

void FarMemory::finish_sends() {
  operations_.wait_for([&] { return channel_.has_sent_all(); });
}

// --- what comes ---

// A look lets the library look at all its connections, which waits for collectives should not do twice.
bool FarMemory::progress() {
  const bool is_quiet = have_all_landed() && channel_.has_sent_all() && !landings_.has_unreported() &&
                        looks_in_vain_ >= patience;
  if (is_quiet && ++looks_in_vain_ % looks_skipped != 0)
    return false;
  const bool moved = channel_.progress(*this);
  report_landed(!moved || !is_attended_);
  looks_in_vain_ = moved ? 0 : looks_in_vain_ + 1;
  return moved;
}

void FarMemory::come(const FarHead& head, Rank from) {
  landings_.land(from, head.number);
  if (head.wants_report != 0)
    landings_.want(from, head.number);
}

std::byte* FarMemory::place_for(const FarHead& head, Rank from) {
  if (head.kind == FarKind::put) {
    landings_.begin(from, head.number);
    const bool is_whole = head.is_indexed == 0 && blocks_of(head, {}).is_whole();
    return is_whole ? memory_.place_of(head.memory, head.offset) : nullptr;
  }
  return head.kind == FarKind::reply ? replies_.place_for(head) : nullptr;
}

void FarMemory::take(const FarHead& head, Rank from, std::span<const std::byte> body) {
  landings_.hear(from, head.landed);
  switch (head.kind) {
  case FarKind::put:
    take_put(head, body);
    come(head, from);
    break;
  case FarKind::get:
    answer_get(head, from, body);
    break;
  case FarKind::update:
    take_update(head, from);
    break;
  case FarKind::reply:
    replies_.take(head, body);
    break;
  case FarKind::report:
    if (head.wants_report != 0)
      landings_.want(from, head.number);
    break;
  }
}

// A body that was received in its place is there already.
void FarMemory::take_put(const FarHead& head, std::span<const std::byte> body) {
  const Blocks there = blocks_of(head, body);
  std::byte* const to = memory_.place_of(head.memory, head.offset);
  const std::span<const std::byte> data = body.subspan(places_bytes(head));
  if (data.data() != to)
    copy_blocks(to, there, data.data(), without_gaps(there));
  if (head.signal != FarHead::no_memory)
    give_signal(memory_.place_of(head.signal, head.signal_offset), head.value,
                static_cast<thalweg_signal_kind>(head.how));
}

void FarMemory::answer_get(const FarHead& head, Rank from, std::span<const std::byte> body) {
  const Blocks there = blocks_of(head, body);
  const std::byte* const data = memory_.place_of(head.memory, head.offset);
  FarHead reply;
  reply.kind = FarKind::reply;
  reply.number = head.number;
  reply.body_bytes = there.total();
  if (there.is_whole()) {
    send(from, reply, std::span(data + there.begin_of(0), there.total()));
    return;
  }
  std::vector<std::byte> together(there.total());
  copy_blocks(together.data(), without_gaps(there), data, there);
  send(from, reply, std::move(together));
}

void FarMemory::take_update(const FarHead& head, Rank from) {
  const std::uint64_t before = update(memory_.place_of(head.memory, head.offset), head.block_bytes,
                                      static_cast<thalweg_atomic_kind>(head.how), head.value, head.compare);
  if (head.wants_reply == 0) {
    come(head, from);
    return;
  }
  FarHead reply;
  reply.kind = FarKind::reply;
  reply.number = head.number;
  std::vector<std::byte> word(head.block_bytes);
  give_word(before, word.size(), word.data());
  reply.body_bytes = word.size();
  send(from, reply, std::move(word));
}

void FarMemory::report_landed(bool has_time) {
  if (!landings_.has_unreported())
    return;
  for (const Rank rank : landings_.due(has_time)) {
    FarHead head;
    head.kind = FarKind::report;
    send(rank, head, std::span<const std::byte>());
  }
}

} // namespace thalweg::teams
