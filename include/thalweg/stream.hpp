#pragma once

// Streams for C++: thalweg/stream.h says what they are. Failures throw thalweg::error.
//
//   thalweg::stream<Update> updates(MPI_COMM_WORLD, [&](const Update& u) { table[u.slot] ^= u.value; });
//   for (...)
//     updates.send(rank, {slot, value});
//   updates.finish();
//
// The handler takes an item, or a std::span of const items: those that have arrived together. It is compiled
// into the loop over them.

#include "thalweg/request.hpp"
#include "thalweg/stream.h"
#include "thalweg/stream_items.hpp"

#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace thalweg {

/// 0 and "": what Thalweg thinks best. The same on all ranks.
struct stream_options {
  std::size_t buffer_bytes = 0;
  std::size_t memory_bytes = 0;
  std::string shape;                  ///< "direct", or "4x8"
  std::size_t max_pending_items = 0;  ///< of this rank's own, in buffers that are not sent yet
  std::size_t max_overflow_bytes = 0; ///< of what handlers have sent and no buffer was free for
  unsigned period_us = 0;             ///< after which items that wait in a buffer are sent
};

/// Items of one type, which are copied byte by byte. One thread at a time.
template <typename Item>
class stream {
  static_assert(std::is_trivially_copyable_v<Item>, "a stream's items are copied byte by byte");
  static_assert(alignof(Item) <= 64, "items are aligned to cache lines at most");

public:
  /// Collective. The handler is called in send(), progress() and finish(), on the rank that an item was sent
  /// to. It may send as well, on this stream and on others.
  template <typename Handler>
  stream(MPI_Comm communicator, Handler handler, const stream_options& options = {})
      : sink_(std::make_unique<sink<Handler>>(std::move(handler))) {
    const thalweg_stream_options given{sizeof(Item),
                                       options.buffer_bytes,
                                       options.memory_bytes,
                                       options.shape.empty() ? nullptr : options.shape.c_str(),
                                       options.max_pending_items,
                                       options.max_overflow_bytes,
                                       options.period_us};
    const thalweg_stream_handler functions = sink_->functions();
    detail::check(thalweg_stream_create(communicator, &given, &functions, &stream_));
    view_ = thalweg_stream_view_of(stream_);
    sink_->attach(view_);
  }
  ~stream() { thalweg_stream_free(&stream_); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  int size() const { return static_cast<int>(view_->ranks); }

  void send(int rank, const Item& item) {
    thalweg_stream_view& view = *view_;
    if (static_cast<std::uint32_t>(rank) >= view.ranks) [[unlikely]]
      refuse(rank);
    detail::put(view, static_cast<std::uint32_t>(rank), item);
  }
  /// Item i to rank i of `ranks`.
  void send(std::span<const int> ranks, std::span<const Item> items) {
    for (std::size_t i = 0; i < items.size(); ++i)
      send(ranks[i], items[i]);
  }

  void flush() { detail::check(thalweg_stream_flush(stream_)); }
  void progress() { detail::check(thalweg_stream_progress(stream_)); }

  /// Collective. What a handler of this rank threw is thrown here; other ranks' failures as thalweg::error.
  void finish() {
    const thalweg_status status = thalweg_stream_finish(stream_);
    if (const std::exception_ptr failure = sink_->take_failure())
      std::rethrow_exception(failure);
    detail::check(status);
  }
  request start_finish() {
    thalweg_request* started = nullptr;
    detail::check(thalweg_stream_start_finish(stream_, &started));
    return request(started);
  }

  thalweg_stream_statistics statistics() const {
    thalweg_stream_statistics statistics{};
    detail::check(thalweg_stream_read_statistics(stream_, &statistics));
    return statistics;
  }
  std::string shape() const { return thalweg_stream_shape(stream_); }

private:
  [[gnu::noinline, gnu::cold]] void refuse(int rank) const {
    detail::check(thalweg_stream_no_rank(stream_, rank));
  }

  struct any_sink {
    virtual ~any_sink() = default;
    virtual thalweg_stream_handler functions() = 0;
    virtual void attach(thalweg_stream_view* view) = 0;
    virtual std::exception_ptr take_failure() = 0;
  };
  template <typename Handler>
  struct sink final : any_sink {
    explicit sink(Handler handler) : items(std::move(handler)) {}
    thalweg_stream_handler functions() override { return items.functions(); }
    void attach(thalweg_stream_view* view) override { items.attach(view); }
    std::exception_ptr take_failure() override { return items.take_failure(); }
    detail::item_sink<Item, Handler> items;
  };

  std::unique_ptr<any_sink> sink_;
  thalweg_stream* stream_ = nullptr;
  thalweg_stream_view* view_ = nullptr;
};

} // namespace thalweg
