// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The way of items into links and out of slots, inlined into the program. Programs include
// thalweg/stream.hpp; thalweg/stream_links.h describes links.

#include "thalweg/error.hpp"
#include "thalweg/stream_links.h"

#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <type_traits>
#include <utility>

namespace thalweg::detail {

// Items are passed by value to functions that are not inlined: if no function takes their address, the
// program's compiler keeps them in registers. (With 8 B items, two ranks and a small table this made 6.0 ns
// an item 5.4.)

/// A link that is full: gives the place after it has been refilled.
[[gnu::noinline, gnu::cold]] inline char* refilled(thalweg_stream_view& view, std::uint32_t link,
                                                   std::size_t bytes) {
  if (view.refill(view.stream, link, bytes) != 0)
    throw error(*thalweg_last_error());
  return view.links[link].next;
}

/// Asks for the cache line of `at`, to be written. The rank on another core that has read the earlier
/// contents has the line too: a store would wait until that core has given it up, and the next stores behind
/// it.
inline void prepare_to_write(const char* at) {
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(*at));
#else
  __builtin_prefetch(at, 1);
#endif
}

/// Place for `bytes` in a link.
inline char* place_in(thalweg_stream_view& view, std::uint32_t link, std::size_t bytes) {
  thalweg_stream_link& open = view.links[link];
  char* at = open.next;
  if (static_cast<std::size_t>(open.end - at) < bytes) [[unlikely]]
    at = refilled(view, link, bytes);
  open.next = at + bytes;
  prepare_to_write(at + THALWEG_STREAM_AHEAD);
  return at;
}

/// Lets the link's peer take the contents so far, before the buffer is sent. False: hurry() is needed for
/// that.
inline bool show(const thalweg_stream_view& view, std::uint32_t link) {
  const thalweg_stream_window& window = view.windows[link];
  if (window.seen == nullptr) [[unlikely]]
    return false;
  __atomic_store_n(window.seen, window.origin + reinterpret_cast<std::uintptr_t>(view.links[link].next),
                   __ATOMIC_RELEASE);
  return __atomic_load_n(window.sleepers, __ATOMIC_RELAXED) == 0;
}

/// Starts the link's items on their way, though its buffer is not full and no call of the stream follows.
inline void let_go(const thalweg_stream_view& view, std::uint32_t link, bool at_once = false) {
  if ((!show(view, link) || at_once) && view.hurry(view.stream, link, at_once ? 1 : 0) != 0) [[unlikely]]
    throw error(*thalweg_last_error());
}

template <typename Item>
void put_bare(thalweg_stream_view& view, std::uint32_t link, const Item& item) {
  std::memcpy(place_in(view, link, sizeof(Item)), &item, sizeof(Item));
}

template <typename Item>
void put_tagged(thalweg_stream_view& view, std::uint32_t link, std::uint32_t tag, const Item& item) {
  char* const at = place_in(view, link, view.tag_bytes + sizeof(Item));
  if (view.tag_bytes == sizeof(std::uint16_t)) [[likely]] {
    const auto narrow = static_cast<std::uint16_t>(tag);
    std::memcpy(at, &narrow, sizeof narrow);
    std::memcpy(at + sizeof narrow, &item, sizeof(Item));
  } else {
    std::memcpy(at, &tag, sizeof tag);
    std::memcpy(at + sizeof tag, &item, sizeof(Item));
  }
}

/// The next hop of an item whose coordinates before `dimension` are this rank's own.
struct hop {
  std::uint32_t link = 0;
  std::uint32_t tag = 0;
  bool is_last = false; ///< it travels bare
};

__extension__ using uint128 = unsigned __int128;

inline hop next_hop(const thalweg_stream_view& view, std::uint32_t cell, std::uint32_t dimension) {
  for (; dimension + 1 < view.dimensions; ++dimension) {
    const thalweg_stream_dimension& along = view.dimension[dimension];
    const auto left = static_cast<std::uint32_t>((uint128{along.reciprocal} * cell) >> 64);
    const std::uint32_t coordinate = cell - left * along.side;
    if (coordinate != along.own)
      return {along.first_link + coordinate, left, false};
    cell = left;
  }
  return {view.dimension[dimension].first_link + cell, 0, true};
}

/// The first link of an item.
inline std::uint32_t first_link(const thalweg_stream_view& view, std::uint32_t rank) {
  if (view.dimensions == 1) [[likely]]
    return rank;
  return next_hop(view, view.cells == nullptr ? rank : view.cells[rank], 0).link;
}

/// Along a mesh.
template <typename Item>
[[gnu::noinline]] void put_routed(thalweg_stream_view& view, std::uint32_t rank, Item item) {
  const hop next = next_hop(view, view.cells == nullptr ? rank : view.cells[rank], 0);
  if (next.is_last)
    put_bare(view, next.link, item);
  else
    put_tagged(view, next.link, next.tag, item);
}

template <typename Item>
void put(thalweg_stream_view& view, std::uint32_t rank, const Item& item) {
  view.has_sent = 1;
  if (view.dimensions == 1) [[likely]]
    put_bare(view, rank, item); // cells are for meshes
  else
    put_routed<Item>(view, rank, item);
}

/// Whom an item is for that thalweg_stream_handler's `resend` is given.
inline std::uint32_t deferred_rank(const char* item, std::uint32_t odd) {
  std::uint32_t tag;
  std::memcpy(&tag, item, sizeof tag);
  return 2 * tag + odd;
}

/// The common part of all sinks of a rank: the handler's failures, and the end of a batch of arrivals.
class any_sink {
public:
  any_sink() = default;
  any_sink(const any_sink&) = delete;
  any_sink& operator=(const any_sink&) = delete;
  virtual ~any_sink() = default;

  virtual thalweg_stream_handler functions() = 0;
  void attach(thalweg_stream_view* view) { view_ = view; }
  /// The last exception of a handler of this rank.
  std::exception_ptr take_failure() { return std::exchange(failure_, nullptr); }

protected:
  template <typename Work>
  int guarded(Work work) noexcept {
    try {
      work();
      return 0;
    } catch (const std::exception& failed) {
      return fail(failed.what());
    } catch (...) {
      return fail("it threw what is no std::exception");
    }
  }

  /// Drops items that are held back, as their phase fails.
  virtual void discard() = 0;

  thalweg_stream_view* view_ = nullptr;

private:
  [[gnu::noinline, gnu::cold]] int fail(const char* why) {
    failure_ = std::current_exception();
    view_->in_handler = 0;
    discard();
    return view_->fail(view_->stream, why);
  }

  std::exception_ptr failure_;
};

/// Handlers' sends hold nothing back here: see combining_cache.
struct nothing_held {
  static constexpr bool may_hold = false;
};

/// Items that are all alike. The handler takes one at a time, or all that have come together. `Held`: items
/// that handlers have sent and that are not in links yet.
template <typename Item, typename Handler, typename Held = nothing_held>
class item_sink final : public any_sink {
  static constexpr bool takes_spans = std::is_invocable_v<Handler&, std::span<const Item>>;
  static_assert(takes_spans || std::is_invocable_v<Handler&, const Item&>,
                "a handler takes a const item&, or a std::span of const items");

public:
  explicit item_sink(Handler handler, Held* held = nullptr) : handler_(std::move(handler)), held_(held) {}
  thalweg_stream_handler functions() override {
    return {.context = this,
            .deliver = deliver,
            .forward = forward,
            .release = Held::may_hold ? release : nullptr,
            .resend = resend};
  }

private:
  void discard() override {
    if constexpr (Held::may_hold)
      held_->discard();
  }

  void handle(std::span<const Item> items) {
    if constexpr (takes_spans)
      handler_(items);
    else
      for (const Item& item : items)
        handler_(item);
  }

  void handle_one(const Item& item) {
    view_->delivered_bytes += sizeof(Item);
    view_->in_handler = 1;
    handle(std::span<const Item>(&item, 1));
    view_->in_handler = 0;
  }

  /// Items stand as the sender has put them: aligned, since slots are, one after the other.
  static int deliver(void* context, const char* items, std::size_t bytes) {
    auto& sink = *static_cast<item_sink*>(context);
    return sink.guarded([&] {
      sink.handle({reinterpret_cast<const Item*>(items), bytes / sizeof(Item)});
      if constexpr (Held::may_hold)
        sink.held_->release_handlers();
    });
  }

  static int forward(void* context, const char* items, std::size_t bytes, std::uint32_t dimension) {
    auto& sink = *static_cast<item_sink*>(context);
    return sink.guarded([&] {
      if (sink.view_->tag_bytes == sizeof(std::uint16_t))
        sink.template route<std::uint16_t>(items, bytes, dimension + 1);
      else
        sink.template route<std::uint32_t>(items, bytes, dimension + 1);
      if constexpr (Held::may_hold)
        sink.held_->release_handlers();
    });
  }

  static int release(void* context) {
    auto& sink = *static_cast<item_sink*>(context);
    return sink.guarded([&] {
      if constexpr (Held::may_hold)
        sink.held_->release();
    });
  }

  static int resend(void* context, const char* items, std::size_t bytes, std::uint32_t odd) {
    auto& sink = *static_cast<item_sink*>(context);
    return sink.guarded([&] {
      for (std::size_t at = 0; at < bytes; at += sizeof(std::uint32_t) + sizeof(Item)) {
        alignas(Item) char bytes_of_item[sizeof(Item)];
        std::memcpy(bytes_of_item, items + at + sizeof(std::uint32_t), sizeof(Item));
        put(*sink.view_, deferred_rank(items + at, odd), *reinterpret_cast<const Item*>(bytes_of_item));
      }
    });
  }

  template <typename Tag>
  void route(const char* at, std::size_t bytes, std::uint32_t dimension) {
    thalweg_stream_view& view = *view_;
    const thalweg_stream_dimension& last = view.dimension[view.dimensions - 1];
    const std::uint32_t own_link = last.first_link + last.own;
    constexpr std::size_t stride = sizeof(Tag) + sizeof(Item);
    for (const char* const end = at + bytes; at < end; at += stride) {
      Tag tag;
      std::memcpy(&tag, at, sizeof tag);
      const hop next = next_hop(view, tag, dimension);
      alignas(Item) char bytes_of_item[sizeof(Item)];
      std::memcpy(bytes_of_item, at + sizeof tag, sizeof(Item));
      const Item& item = *reinterpret_cast<const Item*>(bytes_of_item);
      if (!next.is_last)
        put_tagged(view, next.link, next.tag, item);
      else if (next.link != own_link)
        put_bare(view, next.link, item);
      else
        handle_one(item);
    }
  }

  Handler handler_;
  Held* held_;
};

} // namespace thalweg::detail
