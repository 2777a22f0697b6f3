// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Items of a size that only the running program knows, for languages that cannot use
// thalweg/stream_items.hpp: whole arrays are put into links, and what comes along a mesh is sent on.

#include "stream/item_stream.hpp"
#include "thalweg/stream_items.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace thalweg::streams {

class PlainItems {
public:
  /// `program`: what becomes of the items; without `forward`, sending on is done here. Throws Error where
  /// that cannot be.
  PlainItems(const thalweg_stream_handler& program, std::size_t item_bytes);
  PlainItems(const PlainItems&) = delete;
  PlainItems& operator=(const PlainItems&) = delete;

  /// What the stream is made with. It calls this object, which has to live as long.
  thalweg_stream_handler handler();
  void attach(ItemStream& stream);

  std::size_t item_bytes() const { return item_bytes_; }
  /// Item i goes to rank i of `ranks`, which exists. Throws Error as ItemStream::refill() does: the items
  /// before have been sent then.
  void send(std::span<const int> ranks, const char* items);
  /// All go to one rank.
  void send(int rank, std::span<const char> items);

private:
  char* place(std::uint32_t link, std::size_t bytes);
  template <typename Size>
  void put_towards(const detail::hop& next, const char* item, Size size);
  void put_bare(std::uint32_t link, std::span<const char> items);
  detail::hop first_hop(int rank) const;
  template <typename Tag, typename Size>
  std::size_t route(std::span<const char> tagged, std::uint32_t dimension, Size size);
  int forward(std::span<const char> tagged, std::uint32_t dimension);
  int resend(std::span<const char> items, std::uint32_t odd);

  thalweg_stream_handler program_;
  std::size_t item_bytes_;
  ItemStream* stream_ = nullptr;
  thalweg_stream_view* view_ = nullptr;
  std::map<std::uint32_t, std::vector<char>>
      arrived_; ///< at this rank, of one slot, by the dimension that it came along
};

} // namespace thalweg::streams
