// SPDX-License-Identifier: BSD-3-Clause
#include "stream/plain_items.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace thalweg::streams {

namespace {

/// Does the work with the usual sizes as constants: then an item is copied by an instruction or a few.
template <typename Work>
auto with_size(std::size_t bytes, Work work) {
  switch (bytes) {
  case 4:
    return work(std::integral_constant<std::size_t, 4>());
  case 8:
    return work(std::integral_constant<std::size_t, 8>());
  case 16:
    return work(std::integral_constant<std::size_t, 16>());
  case 24:
    return work(std::integral_constant<std::size_t, 24>());
  case 32:
    return work(std::integral_constant<std::size_t, 32>());
  default:
    return work(bytes);
  }
}

} // namespace

PlainItems::PlainItems(const thalweg_stream_handler& program, std::size_t item_bytes)
    : program_(program), item_bytes_(item_bytes) {
  if (program.deliver == nullptr)
    throw Error("the handler has no function deliver", "give one: it gets the items that have arrived");
  if (program.forward == nullptr && item_bytes == 0)
    throw Error("a handler without a function forward, for items that differ in size",
                "give item_bytes, or a function that knows where items end");
  if ((program.forward == nullptr) != (program.resend == nullptr))
    throw Error("a handler with only one of the functions forward and resend", "give both, or none");
}

thalweg_stream_handler PlainItems::handler() {
  if (program_.forward != nullptr)
    return program_;
  return {.context = this,
          .deliver =
              [](void* context, const char* items, std::size_t bytes) {
                const thalweg_stream_handler& program = static_cast<PlainItems*>(context)->program_;
                return program.deliver(program.context, items, bytes);
              },
          .forward =
              [](void* context, const char* items, std::size_t bytes, std::uint32_t dimension) {
                return static_cast<PlainItems*>(context)->forward({items, bytes}, dimension);
              },
          .release =
              [](void* context) {
                const thalweg_stream_handler& program = static_cast<PlainItems*>(context)->program_;
                return program.release == nullptr ? 0 : program.release(program.context);
              },
          .resend =
              [](void* context, const char* items, std::size_t bytes, std::uint32_t odd) {
                return static_cast<PlainItems*>(context)->resend({items, bytes}, odd);
              }};
}

void PlainItems::attach(ItemStream& stream) {
  stream_ = &stream;
  view_ = stream.view();
}

char* PlainItems::place(std::uint32_t link, std::size_t bytes) {
  THALWEG_ASSERT(normal, view_ != nullptr && bytes > 0);
  if (const thalweg_stream_link& open = view_->links[link];
      static_cast<std::size_t>(open.end - open.next) < bytes) [[unlikely]]
    stream_->refill(link, bytes);
  thalweg_stream_link& open = view_->links[link]; // refilling may have changed where links are
  char* const at = open.next;
  open.next = at + bytes;
  detail::prepare_to_write(at + THALWEG_STREAM_AHEAD);
  return at;
}

template <typename Size>
void PlainItems::put_towards(const detail::hop& next, const char* item, Size size) {
  if (next.is_last) {
    std::memcpy(place(next.link, size), item, size);
    return;
  }
  char* const at = place(next.link, view_->tag_bytes + size);
  if (const auto narrow = static_cast<std::uint16_t>(next.tag); view_->tag_bytes == sizeof narrow)
    std::memcpy(at, &narrow, sizeof narrow);
  else
    std::memcpy(at, &next.tag, sizeof next.tag);
  std::memcpy(at + view_->tag_bytes, item, size);
}

// As many at a time as the link has place for.
void PlainItems::put_bare(std::uint32_t link, std::span<const char> items) {
  while (!items.empty()) {
    char* const at = place(link, item_bytes_);
    thalweg_stream_link& open = view_->links[link];
    const std::size_t more = static_cast<std::size_t>(open.end - open.next) / item_bytes_ * item_bytes_;
    const std::size_t bytes = std::min(item_bytes_ + more, items.size());
    std::memcpy(at, items.data(), bytes);
    open.next = at + bytes;
    items = items.subspan(bytes);
  }
}

detail::hop PlainItems::first_hop(int rank) const {
  const auto number = static_cast<std::uint32_t>(rank);
  return detail::next_hop(*view_, view_->cells == nullptr ? number : view_->cells[number], 0);
}

void PlainItems::send(std::span<const int> ranks, const char* items) {
  view_->has_sent = 1;
  with_size(item_bytes_, [&](auto size) {
    const char* item = items;
    if (view_->dimensions == 1)
      for (const int rank : ranks) {
        std::memcpy(place(static_cast<std::uint32_t>(rank), size), item, size);
        item += size;
      }
    else
      for (const int rank : ranks) {
        put_towards(first_hop(rank), item, size);
        item += size;
      }
  });
}

void PlainItems::send(int rank, std::span<const char> items) {
  view_->has_sent = 1;
  const detail::hop next = first_hop(rank);
  if (next.is_last)
    put_bare(next.link, items);
  else
    for (std::size_t at = 0; at < items.size(); at += item_bytes_)
      put_towards(next, items.data() + at, item_bytes_);
}

/// Gives how many bytes of items have arrived.
template <typename Tag, typename Size>
std::size_t PlainItems::route(std::span<const char> tagged, std::uint32_t dimension, Size size) {
  const thalweg_stream_dimension& last = view_->dimension[view_->dimensions - 1];
  const std::uint32_t own_link = last.first_link + last.own;
  std::vector<char>& arrived = arrived_[dimension]; // others may be made meanwhile
  if (arrived.size() < tagged.size())
    arrived.resize(tagged.size());
  THALWEG_ASSERT(normal, tagged.size() % (sizeof(Tag) + size) == 0); // slots hold whole items
  char* end = arrived.data();
  for (std::size_t at = 0; at < tagged.size(); at += sizeof(Tag) + size) {
    Tag tag = 0;
    std::memcpy(&tag, tagged.data() + at, sizeof tag);
    const char* const item = tagged.data() + at + sizeof tag;
    const detail::hop next = detail::next_hop(*view_, tag, dimension + 1);
    if (next.is_last && next.link == own_link) {
      std::memcpy(end, item, size);
      end += size;
    } else {
      put_towards(next, item, size);
    }
  }
  return static_cast<std::size_t>(end - arrived.data());
}

// Who waits for a place here takes in what comes along later dimensions, so this may be called within itself
// for one of those.
int PlainItems::forward(std::span<const char> tagged, std::uint32_t dimension) {
  try {
    const std::size_t bytes = with_size(item_bytes_, [&](auto size) {
      return view_->tag_bytes == sizeof(std::uint16_t) ? route<std::uint16_t>(tagged, dimension, size)
                                                       : route<std::uint32_t>(tagged, dimension, size);
    });
    if (bytes == 0)
      return 0;
    view_->delivered_bytes += bytes;
    view_->in_handler = 1;
    const int status = program_.deliver(program_.context, arrived_[dimension].data(), bytes);
    view_->in_handler = 0;
    return status;
  } catch (const std::exception& failed) {
    return view_->fail(view_->stream, failed.what());
  }
}

int PlainItems::resend(std::span<const char> items, std::uint32_t odd) {
  try {
    THALWEG_ASSERT(normal, items.size() % (sizeof(std::uint32_t) + item_bytes_) == 0);
    for (std::size_t at = 0; at < items.size(); at += sizeof(std::uint32_t) + item_bytes_) {
      const char* const tagged = items.data() + at;
      send(static_cast<int>(detail::deferred_rank(tagged, odd)),
           {tagged + sizeof(std::uint32_t), item_bytes_});
    }
    return 0;
  } catch (const std::exception& failed) {
    return view_->fail(view_->stream, failed.what());
  }
}

} // namespace thalweg::streams
