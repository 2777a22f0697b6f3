// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages between ranks: short ones along a stream, large ones by MPI or by a copy. What arrives goes into
// the rank's queues, and is counted there as it is counted where it is sent. Notices of ranks to ranks travel
// beside them and are not counted.

#include "job/library/group.hpp"
#include "objects/message_queue.hpp"
#include "objects/mpi/large_messages.hpp"
#include "thalweg/objects.h"
#include "thalweg/stream.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace thalweg::objects {

/// Messages in a stream's buffers: the head, and then the arguments, one message behind the other. This is
/// where the stream has brought them, and how they go on along a mesh.
class Frames {
public:
  /// `take` is called for each message that is for this rank. It does not throw, and runs no handler.
  explicit Frames(std::function<void(const thalweg_message&, const char* arguments)> take)
      : take_(std::move(take)) {}
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  thalweg_stream_handler handler() {
    return {.context = this, .deliver = deliver, .forward = forward, .resend = resend};
  }
  void attach(thalweg_stream_view* view) { view_ = view; }
  /// Place for a message of so many bytes in the link towards `rank`. Throws thalweg::error.
  char* place(std::uint32_t rank, std::size_t bytes);
  /// What was put towards `rank` is on its way, whatever its rank does now.
  void let_go(std::uint32_t rank, bool at_once);

private:
  static int deliver(void* context, const char* items, std::size_t bytes);
  static int forward(void* context, const char* items, std::size_t bytes, std::uint32_t dimension);
  static int resend(void* context, const char* items, std::size_t bytes, std::uint32_t odd);
  const char* take_one(const char* at);

  std::function<void(const thalweg_message&, const char* arguments)> take_;
  thalweg_stream_view* view_ = nullptr;
};

/// Stands for an array in heads of messages: those of ranks to ranks, and combined ones.
inline constexpr std::uint16_t control_array = 0xFFFF;
inline constexpr std::uint16_t combined_array = 0xFFFE;

/// What ranks tell each other of large messages, and of failures.
enum class Notice : std::uint16_t { announcement, copied, uncopied, failed };

class RankMessages {
public:
  /// Hears of failures on other ranks. It throws nothing, and sends nothing.
  using Listener = std::function<void(Rank from, std::string why)>;

  /// Collective. Fills in the view's stream, sizes and ranks; the view counts what is sent.
  RankMessages(const job::Group& group, thalweg_objects_view& view, MessageQueues& queues, Listener listener);
  ~RankMessages() { thalweg_stream_free(&stream_); }
  RankMessages(const RankMessages&) = delete;
  RankMessages& operator=(const RankMessages&) = delete;

  /// Place for a message in the stream, whose sender counts it and lets it go. Throws thalweg::error.
  char* place(std::uint32_t rank, std::size_t bytes) { return frames_.place(rank, bytes); }
  /// Place for a large message, until the next one begins; and off it goes.
  char* begin_large(std::size_t bytes);
  void send_large(std::uint32_t rank);
  /// Sends a combined message of so many pieces, which the holder takes there. Throws Error where MPI cannot
  /// count its bytes.
  void send_combined(Rank rank, std::uint16_t holder_entry, std::span<const std::span<const char>> pieces);
  void send_notice(Rank rank, Notice what, std::span<const char> said);
  template <typename Said>
  void send_notice(Rank rank, Notice what, const Said& said) {
    send_notice(rank, what, std::span(reinterpret_cast<const char*>(&said), sizeof said));
  }

  /// Messages from other ranks that have come.
  std::uint64_t taken() const { return taken_; }
  /// Large ones are under way, to this rank or from it.
  bool has_large() const { return large_.are_any(); }

  /// Sends what is in links.
  void flush();
  /// MPI goes on with large messages.
  void progress_large() { large_.progress(); }
  /// Takes in what has come. Unlike thalweg_stream_progress() it never gives the core away.
  void look();
  /// Takes in what comes until `reached` says so.
  void wait_for(const std::function<bool()>& reached);
  /// Collective: no message is left, on any rank.
  void finish();
  /// What the report of `thalweg run` says of the communicator's objects.
  void set_remarks(const std::string& lines);
  void add_load(std::uint64_t fence, double seconds, const thalweg_fence_outcome& outcome);

private:
  void take(const thalweg_message& head, const char* arguments);
  void take_control(const thalweg_message& head, const char* arguments);
  void take_large(MessageMemory memory, std::size_t bytes);

  const job::Group& group_;
  thalweg_objects_view& view_;
  MessageQueues& queues_;
  Listener listener_;
  Frames frames_;
  LargeMessages large_;
  MessageMemory open_large_;
  std::size_t open_large_bytes_ = 0;
  thalweg_stream* stream_ = nullptr;
  std::uint64_t taken_ = 0;
};

} // namespace thalweg::objects
