// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a program does by hand where it has no streams: a buffer for each destination over MPI's
// point-to-point messages. Streams are measured against it, so it has what pays: sends are inlined and
// copy an item once, handlers get whole batches in place, any-source receives wait for what comes, buffers
// are used again.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mpi.h>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace thalweg::by_hand {

struct AggregatorOptions {
  std::size_t buffer_bytes = 16384; ///< of a message; one item goes at least
  std::size_t max_pending = 0;      ///< items in all buffers together: then the fullest is sent. 0: no limit
};

/// Items of one type to handlers of other ranks. A phase is what is sent until finish(); a rank's closing
/// mark ends what it has sent to another. Handlers may send on other aggregators at any time. On their own
/// they may do so only while this rank has not begun to finish, as one round of marks ends the phase.
template <typename Item>
class Aggregator {
  static_assert(std::is_trivially_copyable_v<Item> && sizeof(Item) > 1);

public:
  /// Collective. The handler takes a std::span of const items.
  template <typename Handler>
  Aggregator(MPI_Comm communicator, Handler handler, AggregatorOptions const& options = {})
      : handler_(std::move(handler)),
        capacity_(std::max<std::size_t>(options.buffer_bytes / sizeof(Item), 1)),
        max_pending_(options.max_pending == 0 ? SIZE_MAX : options.max_pending) {
    MPI_Comm_dup(communicator, &communicator_);
    MPI_Comm_rank(communicator_, &world_.rank);
    MPI_Comm_size(communicator_, &world_.ranks);
    open_.resize(static_cast<std::size_t>(world_.ranks));
    receives_.resize(capacity_ * sizeof(Item) < 1024 ? 64 : 16);
    for (Message& receive : receives_) {
      receive.items = new_buffer();
      post(receive);
    }
  }
  ~Aggregator() {
    for (Message& receive : receives_) {
      MPI_Cancel(&receive.request);
      MPI_Wait(&receive.request, MPI_STATUS_IGNORE);
    }
    for (Message& sent : sent_)
      MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&communicator_);
  }
  Aggregator(Aggregator const&) = delete;
  Aggregator& operator=(Aggregator const&) = delete;

  void send(int rank, Item const& item) {
    Open& open = open_[static_cast<std::size_t>(rank)];
    if (open.next == open.end) [[unlikely]]
      renew(rank);
    *open.next++ = item;
    if (++pending_ >= max_pending_) [[unlikely]]
      send_fullest();
  }

  /// Sends what is in buffers, to the next rank first: all do so at about the same time.
  void flush() {
    for (int step = 1; step <= world_.ranks; ++step)
      if (int const rank = (world_.rank + step) % world_.ranks; filled(rank) != 0)
        dispatch(rank, false);
  }

  /// Handles what has come. Gives whether anything has; does nothing in a handler.
  bool progress() {
    reap();
    bool moved = false;
    for (std::size_t row = 0; row < receives_.size() && !in_handler_ && take_one(); ++row)
      moved = true;
    return moved;
  }

  struct Ending {
    Aggregator* of;
    bool test() { return of->test_finish(); }
  };
  /// Nothing more is sent in this phase. The others' items are handled until test() finds their marks.
  Ending start_finish() {
    for (int step = 1; step <= world_.ranks; ++step)
      dispatch((world_.rank + step) % world_.ranks, true);
    return {this};
  }
  void finish() {
    Ending ending = start_finish();
    while (!ending.test())
      ;
  }

private:
  using Items = std::unique_ptr<Item[]>;
  struct Open { // a buffer that is filled
    Item* next = nullptr;
    Item* end = nullptr;
    Items items;
  };
  struct Message { // on its way, or awaited
    MPI_Request request = MPI_REQUEST_NULL;
    Items items;
  };
  struct Batch { // that was not handled when it came
    Items items;
    std::size_t bytes;
    int phase;
  };

  // A mark is one byte behind the last items: a message of no whole number of items.
  Items new_buffer() { return std::make_unique_for_overwrite<Item[]>(capacity_ + 1); }
  std::size_t filled(int rank) const {
    Open const& open = open_[static_cast<std::size_t>(rank)];
    return static_cast<std::size_t>(open.next - open.items.get());
  }

  // Messages meet receives in the order in which these were posted, so the first one is looked at alone.
  void post(Message& receive) {
    MPI_Irecv(receive.items.get(), static_cast<int>(capacity_ * sizeof(Item) + 1), MPI_BYTE, MPI_ANY_SOURCE,
              MPI_ANY_TAG, communicator_, &receive.request);
  }

  /// A buffer with place for `rank`. Outside of handlers it waits until not too many are on their way.
  [[gnu::noinline]] void renew(int rank) {
    Open& open = open_[static_cast<std::size_t>(rank)];
    while (open.next == open.end) { // handlers may have filled it again
      if (open.items != nullptr)
        dispatch(rank, false);
      do
        progress();
      while (!in_handler_ && sent_.size() > 64 + 4 * open_.size());
      if (open.items == nullptr) {
        open.items = take_buffer();
        open.next = open.items.get();
        open.end = open.next + capacity_;
      }
    }
  }

  Items take_buffer() {
    if (free_.empty())
      return new_buffer();
    Items items = std::move(free_.back());
    free_.pop_back();
    return items;
  }

  [[gnu::noinline]] void send_fullest() {
    int fullest = 0;
    for (int rank = 1; rank < world_.ranks; ++rank)
      if (filled(rank) > filled(fullest))
        fullest = rank;
    dispatch(fullest, false);
    progress();
  }

  void dispatch(int rank, bool closes) {
    std::size_t const count = filled(rank);
    Items items = std::exchange(open_[static_cast<std::size_t>(rank)], {}).items;
    pending_ -= count;
    if (rank == world_.rank) {
      if (count != 0)
        waiting_.push_back({std::move(items), count * sizeof(Item), phase_});
      return;
    }
    if (items == nullptr)
      items = take_buffer();
    sent_.push_back({MPI_REQUEST_NULL, std::move(items)});
    MPI_Isend(sent_.back().items.get(), static_cast<int>(count * sizeof(Item) + (closes ? 1 : 0)), MPI_BYTE,
              rank, phase_, communicator_, &sent_.back().request);
  }

  void reap() {
    for (int has_gone = 1; !sent_.empty();) {
      MPI_Test(&sent_.front().request, &has_gone, MPI_STATUS_IGNORE);
      if (has_gone == 0)
        return;
      free_.push_back(std::move(sent_.front().items));
      sent_.pop_front();
    }
  }

  void handle(Item const* items, std::size_t bytes) {
    in_handler_ = true;
    if (std::size_t const count = bytes / sizeof(Item); count != 0)
      handler_({items, count});
    in_handler_ = false;
    marks_ += bytes % sizeof(Item) != 0 ? 1 : 0;
  }

  bool take_one() {
    if (!waiting_.empty() && waiting_.front().phase == phase_) {
      Batch batch = std::move(waiting_.front());
      waiting_.pop_front();
      handle(batch.items.get(), batch.bytes);
      free_.push_back(std::move(batch.items));
      return true;
    }
    Message& receive = receives_[first_];
    int has_come = 0;
    MPI_Status status;
    MPI_Test(&receive.request, &has_come, &status);
    if (has_come == 0)
      return false;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (status.MPI_TAG == phase_)
      handle(receive.items.get(), static_cast<std::size_t>(bytes));
    else // its sender has ended this phase already
      waiting_.push_back(
          {std::exchange(receive.items, take_buffer()), static_cast<std::size_t>(bytes), status.MPI_TAG});
    post(receive);
    first_ = (first_ + 1) % receives_.size();
    return true;
  }

  bool test_finish() {
    if (!progress())
      std::this_thread::yield(); // ranks may be more than cores
    bool const has_own = !waiting_.empty() && waiting_.front().phase == phase_;
    if (marks_ < world_.ranks - 1 || has_own)
      return false;
    marks_ = 0;
    phase_ ^= 1;
    return true;
  }

  std::function<void(std::span<Item const>)> handler_;
  std::size_t capacity_;
  std::size_t max_pending_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  struct {
    int rank = 0;
    int ranks = 1;
  } world_;
  std::vector<Open> open_;
  std::size_t pending_ = 0;
  std::deque<Message> sent_;
  std::deque<Batch> waiting_; // to oneself, then from the next phase
  std::vector<Items> free_;
  std::vector<Message> receives_;
  std::size_t first_ = 0;
  int phase_ = 0;
  int marks_ = 0;
  bool in_handler_ = false;
};

} // namespace thalweg::by_hand
