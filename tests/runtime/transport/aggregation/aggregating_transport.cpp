// SPDX-License-Identifier: BSD-3-Clause

// Short messages put together: all arrive, whatever the order in which they are awaited, and few messages of
// the transport below carry them.

#include "transport/aggregation/aggregating_transport.hpp"

#include "transport/doubles/loopback.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <thread>

namespace thalweg::transport {
namespace {

/// Counts what is sent.
class CountingBatch final : public Batch {
public:
  CountingBatch(std::unique_ptr<Batch> batch, std::size_t& sends) : batch_(std::move(batch)), sends_(sends) {}
  void reserve(std::size_t count) override { batch_->reserve(count); }
  void start_receive(std::uint32_t id, const Message& message) override {
    batch_->start_receive(id, message);
  }
  void start_send(std::uint32_t id, const Message& message) override {
    ++sends_;
    batch_->start_send(id, message);
  }
  std::span<const int> poll() override { return batch_->poll(); }
  std::span<const int> wait() override { return batch_->wait(); }
  bool all_finished() override { return batch_->all_finished(); }

private:
  std::unique_ptr<Batch> batch_;
  std::size_t& sends_;
};

class CountingTransport final : public Transport {
public:
  CountingTransport(std::unique_ptr<Transport> transport, std::size_t& sends)
      : transport_(std::move(transport)), sends_(sends) {}
  Rank rank() const override { return transport_->rank(); }
  std::int32_t ranks() const override { return transport_->ranks(); }
  std::int32_t tag_limit() const override { return transport_->tag_limit(); }
  std::unique_ptr<Batch> make_batch() override {
    return std::make_unique<CountingBatch>(transport_->make_batch(), sends_);
  }

private:
  std::unique_ptr<Transport> transport_;
  std::size_t& sends_;
};

std::vector<std::byte> content(Rank from, Rank to, std::size_t number, std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<std::byte>(static_cast<std::size_t>(from) * 31 + static_cast<std::size_t>(to) * 7 +
                                     number * 13 + i);
  return data;
}

void run_ranks(Rank ranks, const std::function<void(AggregatingTransport&, std::size_t& sends)>& work) {
  auto below = make_loopback(ranks, Protocol::eager);
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      std::size_t sends = 0;
      wait::Policy waiting;
      waiting.polls = 5;
      AggregatingTransport transport(
          std::make_unique<CountingTransport>(std::move(below[static_cast<std::size_t>(rank)]), sends),
          waiting);
      work(transport, sends);
    });
  for (std::thread& thread : threads)
    thread.join();
}

// The receiver of such a message gives a place that is longer than what is put together.
TEST(Aggregation, SendsAloneWhatReceiversDoNotKnowTheSizeOf) {
  run_ranks(2, [](AggregatingTransport& transport, std::size_t& sends) {
    const auto batch = transport.make_batch();
    const Rank peer = 1 - transport.rank();
    std::vector<std::byte> sent = content(transport.rank(), peer, 0, 100);
    std::vector<std::byte> came(2 * max_aggregated_bytes);
    const std::vector<Message> receives{
        {.peer = peer, .tag = 3, .data = came.data(), .bytes = came.size(), .at_most = true}};
    const std::vector<Message> messages{
        {.peer = peer, .tag = 3, .data = sent.data(), .bytes = sent.size(), .at_most = true}};
    batch->transfer(receives, messages);
    came.resize(sent.size());
    EXPECT_EQ(came, content(peer, transport.rank(), 0, sent.size()));
    EXPECT_EQ(sends, 1U);
  });
}

// Random sizes around the limits; receives begin in another order than sends.
TEST(Aggregation, AllArriveInAnyOrder) {
  constexpr Rank ranks = 4;
  constexpr std::size_t count = 300;
  std::mt19937 random(5);
  std::vector<std::size_t> sizes;
  for (std::size_t number = 0; number < count; ++number)
    sizes.push_back(std::uniform_int_distribution<std::size_t>(0, number % 3 == 0 ? 3000 : 200)(random));
  sizes[7] = max_aggregated_bytes;
  sizes[8] = max_aggregated_bytes + 1;
  run_ranks(ranks, [&](AggregatingTransport& transport, std::size_t&) {
    const auto batch = transport.make_batch();
    const Rank rank = transport.rank();
    const Rank to = (rank + 1) % ranks;
    const Rank from = (rank + ranks - 1) % ranks;
    std::vector<std::vector<std::byte>> in(count);
    std::vector<std::vector<std::byte>> out(count);
    batch->reserve(2 * count);
    for (std::size_t number = 0; number < count; ++number) {
      out[number] = content(rank, to, number, sizes[number]);
      batch->start_send(static_cast<std::uint32_t>(number), {.peer = to,
                                                             .tag = static_cast<std::int32_t>(number),
                                                             .data = out[number].data(),
                                                             .bytes = sizes[number]});
    }
    for (std::size_t number = count; number-- > 0;) {
      in[number].resize(sizes[number]);
      batch->start_receive(static_cast<std::uint32_t>(count + number),
                           {.peer = from,
                            .tag = static_cast<std::int32_t>(number),
                            .data = in[number].data(),
                            .bytes = sizes[number]});
    }
    for (std::size_t left = 2 * count; left > 0;)
      left -= batch->wait().size();
    EXPECT_TRUE(batch->all_finished());
    for (std::size_t number = 0; number < count; ++number)
      EXPECT_EQ(in[number], content(from, rank, number, sizes[number])) << number;
  });
}

TEST(Aggregation, MessagesBeforeAWaitTravelTogether) {
  run_ranks(2, [](AggregatingTransport& transport, std::size_t& sends) {
    const auto batch = transport.make_batch();
    constexpr std::uint32_t count = 10;
    std::uint64_t words[count] = {};
    batch->reserve(count);
    const Rank other = 1 - transport.rank();
    for (std::uint32_t number = 0; number < count; ++number) {
      const Message message{
          .peer = other, .tag = 3, .data = reinterpret_cast<std::byte*>(&words[number]), .bytes = 8};
      if (transport.rank() == 0) {
        words[number] = number + 1;
        batch->start_send(number, message);
      } else {
        batch->start_receive(number, message);
      }
    }
    for (std::size_t left = count; left > 0;)
      left -= batch->wait().size();
    transport.flush();
    if (transport.rank() == 0) {
      EXPECT_LE(sends, 2U) << "one, unless the thread stood still in between";
    }
    for (std::uint32_t number = 0; number < count; ++number)
      EXPECT_EQ(words[number], number + 1);
  });
}

TEST(Aggregation, TooLongAMessageIsRefused) {
  run_ranks(2, [](AggregatingTransport& transport, std::size_t&) {
    const auto batch = transport.make_batch();
    std::byte data[16] = {};
    batch->reserve(1);
    const Rank other = 1 - transport.rank();
    if (transport.rank() == 0) {
      batch->start_send(0, {.peer = other, .tag = 1, .data = data, .bytes = 16});
      transport.flush();
    } else {
      batch->start_receive(0, {.peer = other, .tag = 1, .data = data, .bytes = 8});
      EXPECT_THROW(batch->wait(), TruncationError);
    }
  });
}

} // namespace
} // namespace thalweg::transport
