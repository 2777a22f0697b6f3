// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Several threads of a rank send: each through a sender of its own, which keeps items until it has some and
// the stream's lock for as long as these take. stream::make_sender() makes them.

#include "thalweg/stream_calls.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace thalweg::detail {

/// Calls send(rank, item) for each of the items that were kept, in order. An item's record: whose it is,
/// which of the stream's types it has, its bytes.
template <typename... Entries>
class kept_items {
public:
  /// False where there is no room.
  template <typename Entry>
  bool keep(std::uint32_t rank, const typename item_kind<Entry>::item& item) {
    char* const at = buffer_.data() + used_;
    const std::size_t room = buffer_.size() - used_;
    if (room < sizeof(record))
      return false;
    const std::size_t bytes = format<Entry>::write(item, at + sizeof(record), room - sizeof(record));
    if (bytes > room - sizeof(record))
      return false;
    const record head{rank, static_cast<std::uint16_t>(type<Entry>), static_cast<std::uint16_t>(bytes)};
    std::memcpy(at, &head, sizeof head);
    used_ += sizeof head + bytes;
    return true;
  }

  template <typename State>
  void put(State& state) {
    // Items of a failing call are lost, as they are with a phase.
    const std::span<const char> kept(buffer_.data(), std::exchange(used_, 0));
    for (std::size_t at = 0; at < kept.size();) {
      record head;
      std::memcpy(&head, &kept[at], sizeof head);
      at += sizeof head;
      (void)((head.type == type<Entries> &&
              (format<Entries>::read(kept.data() + at, head.bytes,
                                     [&](auto&& item) { item_kind<Entries>::send(state, head.rank, item); }),
               true)) ||
             ...);
      at += head.bytes;
    }
  }

private:
  template <typename Entry>
  using format = item_format<typename item_kind<Entry>::item>;
  template <typename Entry>
  static constexpr std::size_t type = index_of<Entry>(format_list<Entries...>());

  struct record {
    std::uint32_t rank;
    std::uint16_t type;
    std::uint16_t bytes;
  };
  std::vector<char> buffer_ = std::vector<char>(std::size_t{8} << 10);
  std::size_t used_ = 0;
};

/// A stream's record of its senders.
class sender_count {
public:
  void open() {
    were_any_ = true;
    ++open_;
  }
  void close() { --open_; }
  int open_ones() const { return open_; }
  bool were_any() const { return were_any_; }

private:
  std::atomic<int> open_ = 0;
  std::atomic<bool> were_any_ = false;
};

/// `Stream` can be locked, and has open_state() and check_rank().
template <typename Stream, typename... Entries>
class stream_sender {
  template <typename Item>
  static constexpr bool is_sent = (std::is_same_v<Item, typename item_kind<Entries>::item> || ...);
  using first_item = typename item_kind<std::tuple_element_t<0, std::tuple<Entries...>>>::item;

public:
  stream_sender(Stream& stream, sender_count& count) : stream_(&stream), count_(&count) { count.open(); }
  stream_sender(stream_sender&& other) noexcept
      : stream_(other.stream_), count_(std::exchange(other.count_, nullptr)), kept_(std::move(other.kept_)) {}
  stream_sender& operator=(stream_sender&&) = delete;
  /// A failure is lost here: done() reports it.
  ~stream_sender() {
    try {
      done();
    } catch (...) {
    }
  }

  template <typename Item = first_item>
  requires is_sent<Item>
  void send(int rank, const Item& item) {
    stream_->check_rank(rank);
    if (count_ == nullptr)
      stream_->no_sender_any_more();
    send_as<Item, Entries...>(static_cast<std::uint32_t>(rank), item);
  }
  template <locates Locator, typename Item = first_item>
  requires is_sent<Item>
  void send(const Locator& locator, std::uint64_t index, const Item& item) {
    send(static_cast<int>(locator(index)), item);
  }

  /// Puts the items that are kept here into the stream's buffers.
  void flush() {
    const std::lock_guard guard(*stream_);
    kept_.put(stream_->open_state());
  }
  /// Nothing more of this sender comes in this phase, which can end when all senders have said so.
  void done() {
    if (count_ == nullptr)
      return;
    sender_count& count = *std::exchange(count_, nullptr);
    struct closing {
      sender_count& of;
      ~closing() { of.close(); }
    } const at_the_end{count};
    flush();
  }

private:
  template <typename Item, typename Entry, typename... Others>
  void send_as(std::uint32_t rank, const Item& item) {
    if constexpr (std::is_same_v<Item, typename item_kind<Entry>::item>) {
      if (kept_.template keep<Entry>(rank, item)) [[likely]]
        return;
      const std::lock_guard guard(*stream_);
      kept_.put(stream_->open_state());
      item_kind<Entry>::send(stream_->open_state(), rank, item);
    } else {
      send_as<Item, Others...>(rank, item);
    }
  }

  Stream* stream_;
  sender_count* count_; ///< null when this sender is done
  kept_items<Entries...> kept_;
};

} // namespace thalweg::detail
