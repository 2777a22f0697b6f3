// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The program's side of a stream: its handler, and the view through which it puts items into links. The
// handler is called here alone, so that the other streams of the process know of it. And why a phase fails: a
// handler has.

#include "base/rank.hpp"
#include "stream/stream_set.hpp"
#include "thalweg/stream_links.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace thalweg::streams {

class Handler {
public:
  /// `functions`: of which release may be null, and the others may not.
  Handler(const thalweg_stream_handler& functions, Membership& membership)
      : functions_(functions), membership_(membership) {}

  thalweg_stream_view& view() { return view_; }
  const thalweg_stream_view& view() const { return view_; }
  /// A handler of this stream runs.
  bool runs() const { return view_.in_handler != 0; }

  /// Items that have come to their end.
  void deliver(std::span<const char> items);
  /// Items that have come along a dimension, and have others before them.
  void forward(std::span<const char> items, std::uint32_t dimension);
  /// The program puts into links what it holds back. As in a handler, it does not wait.
  void release();
  /// Of a phase before: items for the ranks 2 n + `odd`, behind their n, go into links. Nor does this wait.
  void resend(std::span<const char> items, std::uint32_t odd);

  /// In this phase, those included that forwarding has delivered.
  std::uint64_t delivered_bytes() const { return delivered_bytes_ + view_.delivered_bytes; }
  void begin_phase() { delivered_bytes_ = view_.delivered_bytes = 0; }

private:
  template <typename Work>
  void without_waiting(Work work);

  thalweg_stream_handler functions_;
  Membership& membership_;
  thalweg_stream_view view_{};
  std::uint64_t delivered_bytes_ = 0;
};

/// The first failure of a phase that this rank knows of. All ranks know of one when the phase ends.
class Failure {
public:
  /// `rank`: this one.
  explicit Failure(Rank rank) : own_rank_(rank) {}

  bool is_known() const { return failed_rank_ >= 0; }
  Rank rank() const { return failed_rank_; }
  const std::string& text() const { return text_; }

  /// A handler fails here.
  void happened(std::string why);
  /// One has failed on that rank.
  void learned(Rank rank, std::span<const char> why);
  /// Has one failed here since this was asked last?
  bool take_news() { return std::exchange(is_new_, false); }
  /// The phase has ended. Throws Error where it has failed; the next one may succeed.
  void end_phase();

private:
  Rank own_rank_;
  Rank failed_rank_ = -1;
  std::string text_;
  bool is_new_ = false;
};

} // namespace thalweg::streams
