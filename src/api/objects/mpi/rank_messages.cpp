// SPDX-License-Identifier: BSD-3-Clause
#include "objects/mpi/rank_messages.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "thalweg/error.hpp"
#include "thalweg/stream_frames.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <utility>

namespace thalweg::objects {

namespace {

// What travels along the stream. Larger ones are copied once less by MPI.
constexpr std::uint32_t max_stream_message = 16U << 10;
// What MPI counts.
constexpr std::size_t max_combined_bytes = std::size_t{INT_MAX} - sizeof(thalweg_message);

bool is_urgent(const thalweg_message& head) {
  return (head.entry & THALWEG_OBJECTS_URGENT) != 0;
}

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
        // Whoever takes a message may answer it. To wait for a buffer then would let later messages overtake.
        const std::uint32_t was_in_handler = std::exchange(view.in_handler, 1U);
        at = self.take_one(at);
        view.in_handler = was_in_handler;
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

RankMessages::RankMessages(const job::Group& group, thalweg_objects_view& view, MessageQueues& queues,
                           Listener listener)
    : group_(group), view_(view), queues_(queues), listener_(std::move(listener)),
      frames_([this](const thalweg_message& head, const char* arguments) { take(head, arguments); }),
      large_(group.communicator(),
             [this](MessageMemory memory, std::size_t bytes) { take_large(std::move(memory), bytes); }) {
  const thalweg_stream_options options{};
  const thalweg_stream_handler handler = frames_.handler();
  detail::check(thalweg_stream_create(group.communicator(), &options, &handler, &stream_));
  detail::check(thalweg_stream_set_name(stream_, "objects"));
  view_.stream = thalweg_stream_view_of(stream_);
  frames_.attach(view_.stream);
  constexpr std::uint32_t max_tag = 4;
  view_.max_bytes = std::min(max_stream_message, view_.stream->max_item_bytes - max_tag);
  view_.rank = static_cast<std::uint32_t>(group.rank());
  view_.ranks = static_cast<std::uint32_t>(group.ranks());
}

char* RankMessages::begin_large(std::size_t bytes) {
  THALWEG_ASSERT(normal, bytes >= sizeof(thalweg_message));
  open_large_ = message_memory(aligned(bytes));
  open_large_bytes_ = bytes;
  return open_large_.get();
}

void RankMessages::send_large(std::uint32_t rank) {
  THALWEG_ASSERT(normal, open_large_ != nullptr && rank != view_.rank);
  const bool is_near = view_.stream->shares_memory != 0 && group_.near_rank(static_cast<Rank>(rank)) >= 0;
  const LargeAnnouncement message = large_.send(rank, std::move(open_large_), open_large_bytes_, is_near);
  send_notice(static_cast<Rank>(rank), Notice::announcement, message);
  ++view_.sent;
}

void RankMessages::send_notice(Rank rank, Notice what, std::span<const char> said) {
  THALWEG_ASSERT(normal, rank >= 0 && rank < group_.ranks() && rank != group_.rank());
  const thalweg_message head{.bytes = static_cast<std::uint32_t>(said.size()),
                             .array = control_array,
                             .entry = static_cast<std::uint16_t>(what),
                             .element = THALWEG_OBJECTS_NOBODY,
                             .source = view_.rank};
  char* const at = frames_.place(static_cast<std::uint32_t>(rank), sizeof head + head.bytes);
  std::memcpy(at, &head, sizeof head);
  if (!said.empty())
    std::memcpy(at + sizeof head, said.data(), said.size());
  frames_.let_go(static_cast<std::uint32_t>(rank), true);
}

// A message like others: so it is counted, and may be large.
void RankMessages::send_combined(Rank rank, std::uint16_t holder_entry,
                                 std::span<const std::span<const char>> pieces) {
  std::size_t bytes = 0;
  for (const auto& piece : pieces)
    bytes += piece.size();
  if (bytes > max_combined_bytes)
    throw Error(fmt::format("a bracket has {} B for rank {}", bytes, rank), "end it more often");
  const thalweg_message head{.bytes = static_cast<std::uint32_t>(bytes),
                             .array = combined_array,
                             .entry = holder_entry,
                             .element = THALWEG_OBJECTS_NOBODY,
                             .source = view_.rank};
  const auto to = static_cast<std::uint32_t>(rank);
  THALWEG_ASSERT(normal, to != view_.rank && to < view_.ranks && bytes % message_alignment == 0);
  const bool is_large = sizeof head + bytes > view_.max_bytes;
  char* at = is_large ? begin_large(sizeof head + bytes) : frames_.place(to, sizeof head + bytes);
  std::memcpy(at, &head, sizeof head);
  at += sizeof head;
  for (const auto& piece : pieces) {
    std::memcpy(at, piece.data(), piece.size());
    at += piece.size();
  }
  if (is_large) {
    send_large(to);
    return;
  }
  ++view_.sent;
  frames_.let_go(to, false);
}

void RankMessages::take(const thalweg_message& head, const char* arguments) {
  if (head.array == control_array) {
    take_control(head, arguments);
    return;
  }
  ++taken_;
  char* const at = queues_.of(is_urgent(head)).place(sizeof head + aligned(head.bytes));
  std::memcpy(at, &head, sizeof head);
  std::memcpy(at + sizeof head, arguments, head.bytes);
}

void RankMessages::take_control(const thalweg_message& head, const char* arguments) {
  const auto from = static_cast<Rank>(head.source);
  const auto what = static_cast<Notice>(head.entry);
  switch (what) {
  case Notice::announcement: {
    LargeAnnouncement message;
    THALWEG_ASSERT(normal, head.bytes == sizeof message);
    std::memcpy(&message, arguments, sizeof message);
    const bool is_copied = large_.announced(head.source, message);
    if (message.address != 0)
      send_notice(from, is_copied ? Notice::copied : Notice::uncopied, {});
    break;
  }
  case Notice::copied:
  case Notice::uncopied:
    large_.answered(head.source, what == Notice::copied);
    break;
  case Notice::failed:
    listener_(from, std::string(arguments, head.bytes));
  }
}

void RankMessages::take_large(MessageMemory memory, std::size_t bytes) {
  thalweg_message head;
  THALWEG_ASSERT(normal, bytes >= sizeof head);
  std::memcpy(&head, memory.get(), sizeof head);
  queues_.of(is_urgent(head)).adopt(std::move(memory), aligned(bytes));
  ++taken_;
}

void RankMessages::flush() {
  detail::check(thalweg_stream_flush(stream_));
}

void RankMessages::look() {
  const auto at_once = [](void*) { return 1; };
  detail::check(thalweg_stream_wait(stream_, at_once, nullptr));
}

void RankMessages::wait_for(const std::function<bool()>& reached) {
  const auto asked = [](void* context) {
    return int{(*static_cast<const std::function<bool()>*>(context))()};
  };
  detail::check(thalweg_stream_wait(stream_, asked, const_cast<std::function<bool()>*>(&reached)));
}

void RankMessages::finish() {
  detail::check(thalweg_stream_finish(stream_));
  ++view_.quiet;
}

void RankMessages::set_remarks(const std::string& lines) {
  detail::check(thalweg_stream_set_remarks(stream_, lines.c_str()));
}

void RankMessages::add_load(std::uint64_t fence, double seconds, const thalweg_fence_outcome& outcome) {
  detail::check(thalweg_stream_add_load(stream_, fence,
                                        static_cast<std::uint64_t>(1e9 * std::max(seconds, 0.0)),
                                        outcome.left, outcome.entered));
}

} // namespace thalweg::objects
