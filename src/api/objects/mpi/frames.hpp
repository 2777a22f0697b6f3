// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages in a stream's buffers: the head, and then the arguments, one message behind the other.

#include "thalweg/objects.h"

#include <cstddef>
#include <functional>

namespace thalweg::objects {

/// Where the stream has brought messages, and how they go on along a mesh.
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

} // namespace thalweg::objects
