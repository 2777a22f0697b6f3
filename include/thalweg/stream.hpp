// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Streams for C++: thalweg/stream.h describes them. Failures throw thalweg::error.
//
//   thalweg::stream<Update> updates(MPI_COMM_WORLD, [&](const Update& u) { table[u.slot] ^= u.value; });
//   for (...)
//     updates.send(rank, {slot, value});
//   updates.finish();
//
// The handler takes an item, or a std::span of const items: those that have arrived together. The compiler
// inlines it into the loop over them.

#include "thalweg/request.hpp"
#include "thalweg/stream.h"
#include "thalweg/stream_calls.hpp"
#include "thalweg/stream_senders.hpp"
#include "thalweg/stream_state.hpp"

#include <memory>
#include <mutex>
#include <source_location>
#include <string>
#include <thread>
#include <utility>

namespace thalweg {

/// 0 and "": the best by Thalweg's judgment. The same on all ranks.
struct stream_options {
  std::size_t buffer_bytes = 0;
  std::size_t memory_bytes = 0;
  /// "direct", or "4x8"
  std::string shape{};                ///< without braces compilers warn of whoever names other members only
  std::size_t max_pending_items = 0;  ///< of this rank's own, in buffers that are not sent yet
  std::size_t max_overflow_bytes = 0; ///< of items that handlers have sent while no buffer was free
  unsigned period_us = 0;             ///< after which items that wait in a buffer are sent
};

/// Several handlers in one, by the types that they take.
template <typename... Functions>
struct handlers : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
handlers(Functions...) -> handlers<Functions...>;

/// Items of these types. Each is copied byte by byte, or has a thalweg::serializer; or it is thalweg::bytes,
/// a thalweg::query or a thalweg::combined. One thread at a time.
template <typename... Entries>
class stream : private detail::stream_calls<stream<Entries...>, Entries>... {
  using state = detail::stream_state<Entries...>;
  template <typename Stream, typename Entry>
  friend class detail::stream_calls;

public:
  /// Collective. The handler is called in send(), progress() and finish(), on the rank that an item was sent
  /// to. A handler may send as well, on this stream and on others.
  template <typename Handler>
  stream(MPI_Comm communicator, Handler handler, const stream_options& options = {},
         const std::source_location& made_at = std::source_location::current())
      : sink_(make_sink(std::move(handler))) {
    const thalweg_stream_options given{.item_bytes = state::bare_bytes,
                                       .buffer_bytes = options.buffer_bytes,
                                       .memory_bytes = options.memory_bytes,
                                       .shape = options.shape.empty() ? nullptr : options.shape.c_str(),
                                       .max_pending_items = options.max_pending_items,
                                       .max_overflow_bytes = options.max_overflow_bytes,
                                       .period_us = options.period_us};
    const thalweg_stream_handler functions = sink_->functions();
    detail::check(thalweg_stream_create(communicator, &given, &functions, &stream_));
    thalweg_stream_view* const view = thalweg_stream_view_of(stream_);
    sink_->attach(view);
    state_.attach(view);
    const std::string file = made_at.file_name();
    set_name(file.substr(file.rfind('/') + 1) + ":" + std::to_string(made_at.line()));
  }
  ~stream() { thalweg_stream_free(&stream_); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  /// The rank of this process in the stream.
  int rank() const { return static_cast<int>(state_.view().rank); }
  /// The number of ranks.
  int size() const { return static_cast<int>(state_.view().ranks); }

  /// send(rank, item); send(ranks, items): item i to rank i of `ranks`; send(locator, index, item): to the
  /// rank that holds element `index` (thalweg/locators.hpp).
  using detail::stream_calls<stream, Entries>::send...;
  /// ask(rank, question, note): see thalweg::query.
  using detail::stream_calls<stream, Entries>::ask...;

  /// Of this rank's questions: those that have no answer yet.
  std::size_t unanswered() const { return state_.unanswered(); }
  /// Handles arriving items until only so many are left; not in a handler. If none arrives, other ranks may
  /// wait for the contents of buffers here: then these are sent.
  void wait_for_answers(std::size_t max_left = 0) {
    while (unanswered() > max_left) {
      const std::uint64_t before = statistics().delivered_bytes;
      progress();
      if (statistics().delivered_bytes == before)
        flush();
    }
  }

  /// Sends the contents of buffers, without waiting for their arrival.
  void flush() {
    const auto lock = shared_lock();
    detail::check(thalweg_stream_flush(stream_));
  }
  /// Handles items that have arrived, for all streams of the process; for programs that compute long.
  void progress() {
    const auto lock = shared_lock();
    detail::check(thalweg_stream_progress(stream_));
  }

  /// For threads, each of which has one, with send(), flush() and done(). As long as there are any, items are
  /// sent through them, and by handlers, which run in any of the threads, one at a time.
  auto make_sender() {
    const std::lock_guard supported(*this);
    return detail::stream_sender<stream, Entries...>(*this, senders_);
  }

  /// Collective. Exceptions of this rank's handlers are thrown here; other ranks' failures as thalweg::error.
  /// Waits until all of this rank's senders are done.
  void finish() {
    const thalweg_status status = senders_.were_any() ? finish_shared() : thalweg_stream_finish(stream_);
    // The failure may also be that of an earlier phase, which a request has reported.
    const std::exception_ptr failure = sink_->take_failure();
    if (status != thalweg_success && failure)
      std::rethrow_exception(failure);
    detail::check(status);
  }
  /// All senders have to be done.
  request start_finish() {
    const auto lock = shared_lock();
    if (const int open = senders_.open_ones(); open != 0)
      throw error(thalweg_error_invalid_argument, "start_finish", rank(),
                  std::to_string(open) + " senders are not done", "call done(), or finish(), which waits");
    thalweg_request* started = nullptr;
    detail::check(thalweg_stream_start_finish(stream_, &started));
    return request(started);
  }

  /// Since it was made.
  thalweg_stream_statistics statistics() const { return read(thalweg_stream_read_statistics); }
  /// Of the phase that has ended last.
  thalweg_stream_statistics phase_statistics() const { return read(thalweg_stream_read_phase_statistics); }
  /// For the report of `thalweg run`, which has the place where it is made else.
  void set_name(const std::string& name) { detail::check(thalweg_stream_set_name(stream_, name.c_str())); }
  /// Its mesh: "direct" or "4x8".
  std::string shape() const { return thalweg_stream_shape(stream_); }
  /// Why it is this one: a line for each mesh that could be chosen.
  std::string explain() const { return thalweg_stream_explain(stream_); }

  /// Of all streams of the process: std::lock_guard guard(stream). A thread may hold it several times.
  void lock() { detail::check(thalweg_stream_lock(stream_)); }
  /// Gives the lock back.
  void unlock() { thalweg_stream_unlock(stream_); }

private:
  template <typename Stream, typename... Types>
  friend class detail::stream_sender;

  std::unique_lock<stream> shared_lock() {
    return senders_.were_any() ? std::unique_lock(*this) : std::unique_lock<stream>();
  }
  template <typename Function>
  thalweg_stream_statistics read(Function function) const {
    thalweg_stream_statistics statistics{};
    detail::check(function(stream_, &statistics));
    return statistics;
  }
  state& open_state() { return state_; }
  [[noreturn, gnu::noinline, gnu::cold]] void no_sender_any_more() const {
    throw error(thalweg_error_invalid_argument, "send", rank(), "an item of a sender that is done",
                "make another sender for the next phase");
  }

  /// Other ranks go on meanwhile, as this rank's handlers may wait for them.
  thalweg_status finish_shared() {
    for (; senders_.open_ones() != 0; std::this_thread::yield())
      progress();
    thalweg_request* end = nullptr;
    thalweg_status status = thalweg_success;
    {
      const std::lock_guard guard(*this);
      status = thalweg_stream_start_finish(stream_, &end);
    }
    for (int finished = 0; status == thalweg_success && finished == 0; std::this_thread::yield()) {
      const std::lock_guard guard(*this);
      status = thalweg_request_test(&end, &finished);
    }
    thalweg_request_free(&end);
    return status;
  }

  void check_rank(int rank) const {
    if (static_cast<std::uint32_t>(rank) >= state_.view().ranks) [[unlikely]]
      refuse(rank);
  }
  [[gnu::noinline, gnu::cold]] void refuse(int rank) const {
    detail::check(thalweg_stream_no_rank(stream_, rank));
  }

  template <typename Handler>
  std::unique_ptr<detail::any_sink> make_sink(Handler handler) {
    if constexpr (state::is_bare)
      return std::make_unique<detail::item_sink<typename state::first_item, Handler, state>>(
          std::move(handler), &state_);
    else
      return std::make_unique<detail::frame_sink<state, Handler>>(std::move(handler), &state_);
  }

  state state_;
  detail::sender_count senders_;
  std::unique_ptr<detail::any_sink> sink_;
  thalweg_stream* stream_ = nullptr;
};

} // namespace thalweg
