// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Streams whose items differ, in size or in kind: each is a frame, two bytes of head and then the item.
//
// An item that no buffer holds goes in parts. Parts of a rank come in order, but others' come between them,
// and so do items that handlers send while the main program's sending goes on: one of those may have parts
// too.

#include "thalweg/stream_formats.hpp"
#include "thalweg/stream_items.hpp"

#include <array>
#include <bit>
#include <limits>
#include <unordered_map>
#include <vector>

namespace thalweg::detail {

/// The number of a frame's kind in the lower bits, and its bytes above.
template <std::size_t kinds>
struct frame_head {
  using word = std::uint16_t;
  static constexpr unsigned kind_bits = std::bit_width(kinds - 1);
  static constexpr word part = std::numeric_limits<word>::max();
  static constexpr std::size_t max_bytes = (part >> kind_bits) - 1U;

  static constexpr word make(std::size_t kind, std::size_t bytes) {
    return static_cast<word>(bytes << kind_bits | kind);
  }
  static constexpr std::size_t kind(word head) { return head & ((1U << kind_bits) - 1U); }
  static constexpr std::size_t bytes(word head) { return std::size_t{head} >> kind_bits; }
};

/// Stands behind a head of `part`, before the part's bytes.
struct part_head {
  std::uint64_t left = 0; ///< of the item's bytes, this part's included
  std::uint32_t bytes = 0;
  std::uint32_t source = 0;
  std::uint16_t kind = 0;
  std::uint8_t depth = 0; ///< 1: of an item that is sent by a handler amid another one
  bool is_first = false;
};
constexpr std::size_t max_part_depth = 2;

/// The first link of an item, and the head in front of it.
struct frame_place {
  hop next;
  std::size_t tag_bytes = 0;
};

inline frame_place first_place(const thalweg_stream_view& view, std::uint32_t rank) {
  if (view.dimensions == 1) [[likely]]
    return {{rank, 0, true}, 0};
  const hop next = next_hop(view, view.cells == nullptr ? rank : view.cells[rank], 0);
  return {next, next.is_last ? 0U : view.tag_bytes};
}

inline char* put_tag(char* at, const frame_place& place) {
  const auto narrow = static_cast<std::uint16_t>(place.next.tag);
  if (place.tag_bytes == sizeof narrow)
    std::memcpy(at, &narrow, sizeof narrow);
  else if (place.tag_bytes != 0)
    std::memcpy(at, &place.next.tag, sizeof place.next.tag);
  return at + place.tag_bytes;
}

/// Puts a whole frame into its link. Returns the end of the frame.
inline const char* put_frame(thalweg_stream_view& view, const frame_place& place, const char* frame,
                             std::size_t bytes) {
  std::memcpy(put_tag(place_in(view, place.next.link, place.tag_bytes + bytes), place), frame, bytes);
  return frame + bytes;
}

inline std::uint32_t read_tag(const thalweg_stream_view& view, const char* at) {
  std::uint32_t wide = 0;
  std::uint16_t narrow = 0;
  if (view.tag_bytes == sizeof narrow) {
    std::memcpy(&narrow, at, sizeof narrow);
    return narrow;
  }
  std::memcpy(&wide, at, sizeof wide);
  return wide;
}

inline void prepare_ahead(const char* begin, std::size_t bytes) {
  prepare_to_write(begin + THALWEG_STREAM_AHEAD);
  for (std::size_t line = 64; line < bytes; line += 64)
    prepare_to_write(begin + THALWEG_STREAM_AHEAD + line);
}

/// The form in which items are passed to functions that are not inlined: see thalweg/stream_items.hpp.
template <typename Item>
using passed = std::conditional_t<std::is_trivially_copyable_v<Item>, const Item, const Item&>;

/// A rank's frames: of `kinds` kinds.
template <std::size_t kinds>
class frames {
public:
  using head = frame_head<kinds>;
  using word = typename head::word;

  void attach(thalweg_stream_view* view) { view_ = view; }

  template <typename Format, typename Item>
  [[gnu::always_inline]] void put(std::uint32_t rank, std::size_t kind, const Item& item) {
    view_->has_sent = 1;
    if (view_->dimensions != 1) [[unlikely]]
      put_routed<Format, Item>(rank, kind, item);
    else if (!put_whole<Format>({{rank, 0, true}, 0}, kind, item)) [[unlikely]]
      put_elsewhere<Format, Item>(rank, kind, item);
  }

  static word head_at(const char* at) {
    word first;
    std::memcpy(&first, at, sizeof first);
    return first;
  }
  /// Calls use(kind, item, bytes) if this is the last part of an item. Gives the part's end.
  template <typename Use>
  const char* take_part(const char* at, Use&& use) {
    part_head part;
    std::memcpy(&part, at, sizeof part);
    at += sizeof part;
    std::vector<char>& item = parts_[part.source][part.depth];
    if (part.is_first) // data of a phase that failed may still be there
      item.clear();
    item.insert(item.end(), at, at + part.bytes);
    if (part.left == part.bytes) {
      const std::vector<char> whole = std::exchange(item, {});
      use(part.kind, whole.data(), whole.size());
    }
    return at + part.bytes;
  }
  /// Of the frame at `at`, its head included.
  static std::size_t bytes_at(const char* at) {
    const word first = head_at(at);
    if (first != head::part) [[likely]]
      return sizeof first + head::bytes(first);
    part_head part;
    std::memcpy(&part, at + sizeof first, sizeof part);
    return sizeof first + sizeof part + part.bytes;
  }

private:
  /// Into the rest of the link's buffer, if that will do.
  template <typename Format, typename Item>
  [[gnu::always_inline]] bool put_whole(const frame_place place, std::size_t kind, const Item& item) {
    thalweg_stream_link& open = view_->links[place.next.link];
    char* const at = open.next;
    const std::size_t before = place.tag_bytes + sizeof(word);
    const auto room = static_cast<std::size_t>(open.end - at);
    if (room < before) [[unlikely]]
      return false;
    const std::size_t bytes = Format::write(item, at + before, room - before);
    if (bytes > std::min(room - before, head::max_bytes)) [[unlikely]]
      return false;
    open.next = at + before + bytes;
    const word word_of_head = head::make(kind, bytes);
    std::memcpy(put_tag(at, place), &word_of_head, sizeof word_of_head);
    prepare_ahead(at, before + bytes);
    return true;
  }

  template <typename Format, typename Item>
  [[gnu::noinline]] void put_routed(std::uint32_t rank, std::size_t kind, passed<Item> item) {
    if (!put_whole<Format>(first_place(*view_, rank), kind, item)) [[unlikely]]
      put_elsewhere<Format, Item>(rank, kind, item);
  }

  /// The link is full, or no buffer holds the item.
  template <typename Format, typename Item>
  [[gnu::noinline]] void put_elsewhere(std::uint32_t rank, std::size_t kind, passed<Item> item) {
    const frame_place place = first_place(*view_, rank);
    char nothing = 0; // not null, of which GCC warns at -O1 as if something were written
    std::vector<char> bytes(Format::write(item, &nothing, 0));
    Format::write(item, bytes.data(), bytes.size());
    const std::size_t before = place.tag_bytes + sizeof(word);
    if (bytes.size() > head::max_bytes || before + bytes.size() > view_->max_item_bytes) {
      put_parts(place, kind, bytes);
      return;
    }
    const word word_of_head = head::make(kind, bytes.size());
    char* at = put_tag(place_in(*view_, place.next.link, before + bytes.size()), place);
    std::memcpy(at, &word_of_head, sizeof word_of_head);
    if (!bytes.empty())
      std::memcpy(at + sizeof word_of_head, bytes.data(), bytes.size());
  }

  void put_parts(const frame_place& place, std::size_t kind, std::span<const char> item) {
    const std::size_t before = place.tag_bytes + sizeof(word) + sizeof(part_head);
    const depth_of_parts depth(depth_);
    part_head part{.kind = static_cast<std::uint16_t>(kind), .depth = depth.own, .is_first = true};
    part.source = view_->rank;
    while (!item.empty()) {
      const std::size_t bytes = std::min(item.size(), room_for_part(place, before));
      part.left = item.size();
      part.bytes = static_cast<std::uint32_t>(bytes);
      char* at = put_tag(place_in(*view_, place.next.link, before + bytes), place);
      const word mark = head::part;
      std::memcpy(at, &mark, sizeof mark);
      std::memcpy(at + sizeof mark, &part, sizeof part);
      std::memcpy(at + sizeof mark + sizeof part, item.data(), bytes);
      part.is_first = false;
      item = item.subspan(bytes);
    }
  }

  /// The rest of the buffer, or else a new one's.
  std::size_t room_for_part(const frame_place& place, std::size_t before) {
    const thalweg_stream_link& open = view_->links[place.next.link];
    const auto room = static_cast<std::size_t>(open.end - open.next);
    return (room > before ? std::min<std::size_t>(room, view_->max_item_bytes) : view_->max_item_bytes) -
           before;
  }

  struct depth_of_parts {
    explicit depth_of_parts(std::uint8_t& now) : depth(now), own(now++) {}
    ~depth_of_parts() { --depth; }
    depth_of_parts(const depth_of_parts&) = delete;
    depth_of_parts& operator=(const depth_of_parts&) = delete;
    std::uint8_t& depth;
    std::uint8_t own;
  };

  thalweg_stream_view* view_ = nullptr;
  std::uint8_t depth_ = 0;
  std::unordered_map<std::uint32_t, std::array<std::vector<char>, max_part_depth>> parts_;
};

} // namespace thalweg::detail
