// SPDX-License-Identifier: BSD-3-Clause
#include "objects/mpi/frames.hpp"

#include "thalweg/stream_frames.hpp"

#include <cstring>
#include <exception>

namespace thalweg::objects {

namespace {

std::size_t bytes_at(const char* at) {
  thalweg_message head;
  std::memcpy(&head, at, sizeof head);
  return sizeof head + head.bytes;
}

/// What is thrown fails the stream's phase.
template <typename Work>
int guarded_frames(const thalweg_stream_view& view, Work work) noexcept {
  try {
    work();
    return 0;
  } catch (const std::exception& failed) {
    return view.fail(view.stream, failed.what());
  }
}

} // namespace

char* Frames::place(std::uint32_t rank, std::size_t bytes) {
  view_->has_sent = 1;
  const detail::frame_place place = detail::first_place(*view_, rank);
  return detail::put_tag(detail::place_in(*view_, place.next.link, place.tag_bytes + bytes), place);
}

void Frames::let_go(std::uint32_t rank, bool at_once) {
  detail::let_go(*view_, detail::first_link(*view_, rank), at_once);
}

const char* Frames::take_one(const char* at) {
  thalweg_message head;
  std::memcpy(&head, at, sizeof head);
  take_(head, at + sizeof head);
  return at + sizeof head + head.bytes;
}

int Frames::deliver(void* context, const char* items, std::size_t bytes) {
  auto& self = *static_cast<Frames*>(context);
  return guarded_frames(*self.view_, [&] {
    for (const char *at = items, *end = items + bytes; at < end;)
      at = self.take_one(at);
  });
}

int Frames::forward(void* context, const char* items, std::size_t bytes, std::uint32_t dimension) {
  auto& self = *static_cast<Frames*>(context);
  thalweg_stream_view& view = *self.view_;
  return guarded_frames(view, [&] {
    const thalweg_stream_dimension& last = view.dimension[view.dimensions - 1];
    for (const char *at = items, *end = items + bytes; at < end;) {
      const detail::hop next = detail::next_hop(view, detail::read_tag(view, at), dimension + 1);
      at += view.tag_bytes;
      if (next.is_last && next.link == last.first_link + last.own) {
        view.delivered_bytes += bytes_at(at);
        at = self.take_one(at);
      } else {
        at = detail::put_frame(view, {next, next.is_last ? 0U : view.tag_bytes}, at, bytes_at(at));
      }
    }
  });
}

int Frames::resend(void* context, const char* items, std::size_t bytes, std::uint32_t odd) {
  auto& self = *static_cast<Frames*>(context);
  return guarded_frames(*self.view_, [&] {
    for (const char *at = items, *end = items + bytes; at < end;) {
      const char* const frame = at + sizeof(std::uint32_t);
      std::memcpy(self.place(detail::deferred_rank(at, odd), bytes_at(frame)), frame, bytes_at(frame));
      at = frame + bytes_at(frame);
    }
  });
}

} // namespace thalweg::objects
