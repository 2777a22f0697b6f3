// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// An array's messages to ranks: written where they go first, into a queue of this rank, a buffer of the
// stream, memory of their own where they are large, or a bracket. Programs include thalweg/objects.hpp.

#include "thalweg/error.hpp"
#include "thalweg/objects.h"
#include "thalweg/objects_entries.hpp"
#include "thalweg/objects_places.hpp"
#include "thalweg/stream_items.hpp"

#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace thalweg::detail {

/// Open as long as it lives: all arrays of a communicator share it.
class array_messages {
public:
  array_messages(const array_messages&) = delete;
  array_messages& operator=(const array_messages&) = delete;

  int rank() const { return static_cast<int>(view_->rank); }
  int ranks() const { return static_cast<int>(view_->ranks); }
  thalweg_objects* objects() const { return objects_; }
  /// The array's, once it has one.
  std::uint16_t number() const { return number_; }

  /// Calls an entry on a rank, for an element, or for THALWEG_OBJECTS_NOBODY or _ALL. `Traveling`: its
  /// arguments.
  template <typename Traveling, typename... Values>
  void send_to(std::uint32_t rank, std::uint32_t number, const entry& what, std::uint16_t flags,
               const Values&... values) {
    const std::size_t bytes = Traveling::bytes(values...);
    const thalweg_message head{static_cast<std::uint32_t>(bytes), number_,
                               static_cast<std::uint16_t>(what.number | flags), number, view_->rank};
    put(rank, head, [&](char* at) { Traveling::write(at, values...); });
  }
  /// The same in an open bracket of an element of this rank, for another rank: it may wait there for others.
  template <typename Traveling, typename... Values>
  void deposit(std::uint16_t association, std::uint32_t from, std::uint32_t rank, std::uint32_t number,
               const entry& what, const Values&... values);
  /// The same for several other ranks. False: each has to get its own.
  template <typename Traveling, typename... Values>
  bool deposit_multicast(std::uint16_t association, std::uint32_t from, const elements_by_rank& by_rank,
                         const entry& what, const Values&... values);
  /// Sends all calls made so far, also during an entry method.
  void flush() { check(thalweg_objects_flush(objects_)); }

protected:
  array_messages(MPI_Comm communicator, std::uint64_t elements);
  ~array_messages() { thalweg_objects_close(&objects_); }

  /// Writes a message of a known size where it goes first.
  template <typename Write>
  void put(std::uint32_t rank, const thalweg_message& head, Write&& write);

  thalweg_objects* objects_ = nullptr;
  thalweg_objects_view* view_ = nullptr;
  std::uint16_t number_ = std::numeric_limits<std::uint16_t>::max();

private:
  void sample(const thalweg_message& head);
};

inline array_messages::array_messages(MPI_Comm communicator, std::uint64_t elements) {
  if (elements >= THALWEG_OBJECTS_ALL)
    throw error(thalweg_error_invalid_argument, "array", -1, std::to_string(elements) + " elements",
                "make fewer than 2^32 - 2");
  check(thalweg_objects_open(communicator, &objects_));
  view_ = thalweg_objects_view_of(objects_);
}

template <typename Write>
void array_messages::put(std::uint32_t rank, const thalweg_message& head, Write&& write) {
  const std::size_t bytes = sizeof head + head.bytes;
  char* at = nullptr;
  if (view_->sampled != 0) [[unlikely]]
    sample(head);
  const bool is_urgent = (head.entry & THALWEG_OBJECTS_URGENT) != 0;
  if (rank == view_->rank) {
    const int queue = is_urgent ? 0 : 1;
    thalweg_objects_room& room = view_->queue[queue];
    const std::size_t whole = align_up(bytes, sizeof head);
    if (static_cast<std::size_t>(room.end - room.next) < whole) [[unlikely]]
      check(thalweg_objects_refill(objects_, queue, whole));
    at = room.next;
    room.next += whole;
  } else if (bytes > view_->max_bytes) [[unlikely]] {
    check(thalweg_objects_begin_large(objects_, bytes, &at));
    std::memcpy(at, &head, sizeof head);
    write(at + sizeof head);
    check(thalweg_objects_send_large(objects_, rank));
    return;
  } else {
    ++view_->sent;
    view_->stream->has_sent = 1;
    if (view_->stream->dimensions == 1) [[likely]]
      at = place_in(*view_->stream, rank, bytes);
    else
      check(thalweg_objects_place(objects_, rank, bytes, &at));
  }
  std::memcpy(at, &head, sizeof head);
  write(at + sizeof head);
  // Whoever calls may compute for long.
  if (rank != view_->rank)
    let_go(*view_->stream, first_link(*view_->stream, rank), is_urgent);
}

/// Calls of elements by elements. (Forwarded messages, and those to oneself, do not count.)
inline void array_messages::sample(const thalweg_message& head) {
  if (view_->load == nullptr || head.element >= THALWEG_OBJECTS_ALL || ++view_->unsampled < view_->sampled)
    return;
  view_->unsampled = 0;
  thalweg_objects_sample(objects_, number_, head.element, sizeof head + head.bytes);
}

template <typename Traveling, typename... Values>
void array_messages::deposit(std::uint16_t association, std::uint32_t from, std::uint32_t rank,
                             std::uint32_t number, const entry& what, const Values&... values) {
  const std::size_t bytes = Traveling::bytes(values...);
  const thalweg_message head{static_cast<std::uint32_t>(bytes), number_, what.number, number, view_->rank};
  char* at = nullptr;
  check(thalweg_objects_deposit(objects_, association, from, rank, align_up(sizeof head + bytes, sizeof head),
                                &at));
  if (at == nullptr) {
    put(rank, head, [&](char* to) { Traveling::write(to, values...); });
    return;
  }
  if (view_->sampled != 0) [[unlikely]]
    sample(head);
  std::memcpy(at, &head, sizeof head);
  Traveling::write(at + sizeof head, values...);
}

template <typename Traveling, typename... Values>
bool array_messages::deposit_multicast(std::uint16_t association, std::uint32_t from,
                                       const elements_by_rank& by_rank, const entry& what,
                                       const Values&... values) {
  using numbers = arguments<std::span<const std::uint32_t>>;
  constexpr std::size_t alignment = sizeof(thalweg_message);
  const std::size_t bytes = align_up(Traveling::bytes(values...), alignment);
  std::vector<thalweg_multicast_part> parts;
  std::size_t all = 0;
  for (const auto& [rank, elements] : by_rank)
    if (rank != view_->rank) {
      const std::size_t own = alignment + align_up(numbers::bytes(elements), alignment);
      parts.push_back({rank, static_cast<std::uint32_t>(own), nullptr});
      all += own;
    }
  std::vector<char> prefixes(all);
  char* at = prefixes.data();
  for (thalweg_multicast_part& part : parts) {
    const thalweg_message head{static_cast<std::uint32_t>(part.bytes - alignment + bytes), number_,
                               what.number, THALWEG_OBJECTS_NOBODY, view_->rank};
    std::memcpy(at, &head, sizeof head);
    numbers::write(at + sizeof head, by_rank.at(part.rank));
    part.prefix = at;
    at += part.bytes;
  }
  char* place = nullptr;
  check(thalweg_objects_deposit_multicast(objects_, association, from, parts.data(), parts.size(), bytes,
                                          &place));
  if (place != nullptr)
    Traveling::write(place, values...);
  return place != nullptr;
}

} // namespace thalweg::detail
