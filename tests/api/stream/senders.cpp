// SPDX-License-Identifier: BSD-3-Clause

// Several threads of a rank send, as thalweg::stream lets them, without MPI: what sanitizers look at.

#include "fabric.hpp"
#include "thalweg/stream_senders.hpp"

#include <gtest/gtest.h>
#include <mutex>
#include <stdexcept>

namespace thalweg::streams {
namespace {

struct SentItem {
  std::int32_t thread; // of all ranks
  std::uint32_t number;
};

/// What thalweg::stream has for its senders.
template <typename Stream>
class Shared {
public:
  explicit Shared(Stream& stream) : stream_(stream) { state_.attach(stream.stream().view()); }

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  auto& open_state() { return state_; }
  void check_rank(int) const {}
  [[noreturn]] void no_sender_any_more() const { throw std::logic_error("a sender that is done"); }

  void finish() {
    while (count.open_ones() != 0) {
      {
        const std::lock_guard guard(*this);
        stream_.stream().progress();
      }
      std::this_thread::yield();
    }
    const std::lock_guard guard(*this);
    stream_.finish();
  }

  detail::sender_count count;

private:
  Stream& stream_;
  detail::stream_state<SentItem> state_;
  std::recursive_mutex mutex_;
};

constexpr int threads = 3;
constexpr int items = 4000; // of a thread in a phase

/// Counts what comes, which has to be in order from each thread.
struct Received {
  std::vector<std::uint32_t> next;
  long count = 0;

  void take(const SentItem& item) {
    ASSERT_EQ(item.number, next[static_cast<std::size_t>(item.thread)]++);
    ++count;
  }
};

template <typename Stream>
void send_from_threads(Shared<Stream>& shared, Rank rank, std::int32_t ranks,
                       std::vector<std::uint32_t>& sent) {
  std::vector<detail::stream_sender<Shared<Stream>, SentItem>> senders;
  for (int thread = 0; thread < threads; ++thread)
    senders.emplace_back(shared, shared.count);
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread)
    running.emplace_back([&, thread,
                          sender = std::move(senders[static_cast<std::size_t>(thread)])]() mutable {
      for (int i = 0; i < items; ++i) {
        const Rank to = (i + thread) % ranks;
        sender.send(to,
                    SentItem{rank * threads + thread, sent[static_cast<std::size_t>(thread * ranks + to)]++});
      }
      sender.done();
      EXPECT_THROW(sender.send(0, SentItem{}), std::logic_error);
    });
  shared.finish();
  for (std::thread& one : running)
    one.join();
}

void run_rank(const World& world, Rank rank, Memories& memories, Wires& wires, std::atomic<long>& count) {
  Received received{std::vector<std::uint32_t>(static_cast<std::size_t>(threads * world.ranks)), 0};
  const auto handler = [&](const SentItem& item) { received.take(item); };
  using Stream = TestStream<SentItem, InlinedSink<SentItem, decltype(handler)>>;
  Stream stream(world, rank, 0, memories, wires, std::make_shared<StreamSet>(), handler);
  Shared<Stream> shared(stream);
  std::vector<std::uint32_t> sent(received.next.size());
  for (int phase = 0; phase < 2; ++phase)
    send_from_threads(shared, rank, world.ranks, sent);
  count += received.count;
}

TEST(Senders, ThreadsOfAllRanksSendInOrder) {
  for (const Shape& shape : {Shape{1}, Shape{3}, Shape{2, 2}}) {
    World world;
    world.ranks = shape.size() == 1 ? shape.front() : 4;
    world.per_node = world.ranks > 2 ? 2 : world.ranks;
    world.shapes = {shape};
    Memories memories(world);
    Wires wires(1);
    std::atomic<long> count = 0;
    on_all_ranks(world.ranks, [&](Rank rank) { run_rank(world, rank, memories, wires, count); });
    EXPECT_EQ(count, 2L * threads * items * world.ranks);
  }
}

} // namespace
} // namespace thalweg::streams
