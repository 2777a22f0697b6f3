// SPDX-License-Identifier: BSD-3-Clause

// Messages between ranks that share memory, here one process's: matching, order and what goes wrong.

#include "transport/shm/shm_transport.hpp"

#include "random_bytes.hpp"
#include "shared_group.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <thread>

namespace thalweg::transport {
namespace {

Message to(Rank peer, std::int32_t tag, std::vector<std::byte>& data) {
  return {peer, tag, data.data(), data.size()};
}

TEST(ShmTransport, MatchesByTagWhateverTheOrderOfArrival) {
  const SharedGroup group(2);
  const auto sender = group.transport(0)->make_batch();
  const auto receiver = group.transport(1)->make_batch();
  auto first = bytes_of(20, 1);
  auto second = bytes_of(3000, 2);
  std::vector<std::byte> got_first(20);
  std::vector<std::byte> got_second(3000);
  sender->reserve(2);
  receiver->reserve(2);
  sender->start_send(0, to(1, 5, first));
  sender->start_send(1, to(1, 6, second));
  receiver->start_receive(1, to(0, 6, got_second));
  ASSERT_EQ(receiver->wait().front(), 1);
  EXPECT_EQ(got_second, second);
  receiver->start_receive(0, to(0, 5, got_first)); // came before, and was put aside
  EXPECT_TRUE(receiver->all_finished());
  EXPECT_EQ(got_first, first);
  EXPECT_TRUE(sender->all_finished());
}

TEST(ShmTransport, AwaitsARestThatIsStillComing) {
  const SharedGroup group(2);
  const auto sender = group.transport(0)->make_batch();
  const auto receiver = group.transport(1)->make_batch();
  auto large = bytes_of(1'200'000, 3); // more than the channel holds
  auto other = bytes_of(8, 4);
  std::vector<std::byte> got(large.size());
  std::vector<std::byte> got_other(8);
  sender->reserve(2);
  receiver->reserve(2);
  receiver->start_receive(0, to(0, 9, got_other));
  sender->start_send(0, to(1, 1, large));
  EXPECT_TRUE(receiver->poll().empty()); // puts the beginning of the large one aside
  receiver->start_receive(1, to(0, 1, got));
  sender->start_send(1, to(1, 9, other));
  std::size_t left = 2;
  while (left > 0) {
    sender->poll();
    left -= receiver->poll().size();
  }
  EXPECT_EQ(got, large);
  EXPECT_EQ(got_other, other);
}

TEST(ShmTransport, ExchangesMessagesOfAnySize) {
  const SharedGroup group(2);
  const auto exchange_all = [&group](Rank rank) {
    const auto batch = group.transport(rank)->make_batch();
    for (const std::size_t size :
         {1, 48, 49, 32'768, 32'769, 49'152, 65'536, 65'537, 262'145, 524'288, 524'289, 1'200'000})
      for (int turn = 0; turn < 5; ++turn) {
        auto out = bytes_of(size, static_cast<std::uint32_t>(rank));
        std::vector<std::byte> in(size);
        const Message send = to(1 - rank, turn, out);
        const Message receive = to(1 - rank, turn, in);
        batch->transfer({&receive, 1}, {&send, 1});
        ASSERT_TRUE(are_bytes_of(in, static_cast<std::uint32_t>(1 - rank))) << size;
      }
  };
  std::thread other(exchange_all, 1);
  exchange_all(0);
  other.join();
}

TEST(ShmTransport, SendsAtOnceUpToWhatDoesNotFit) {
  const SharedGroup group(2);
  std::vector<std::vector<std::byte>> out;
  std::vector<std::vector<std::byte>> in;
  for (const std::size_t size : {8, 20'000, 100'000, 8}) {
    out.push_back(bytes_of(size, static_cast<std::uint32_t>(out.size())));
    in.emplace_back(size);
  }
  std::vector<Message> sends;
  std::vector<Message> receives;
  for (std::size_t number = 0; number < out.size(); ++number) {
    sends.push_back(to(1, static_cast<std::int32_t>(number), out[number]));
    receives.push_back(to(0, static_cast<std::int32_t>(number), in[number]));
  }
  const auto sender = group.transport(0)->make_batch();
  EXPECT_EQ(sender->send_at_once(sends), 2U); // the third has several chunks
  sender->transfer({}, std::span(sends).subspan(2));
  group.transport(1)->make_batch()->transfer(receives, {});
  EXPECT_EQ(in, out);
  std::size_t sent = 0;
  while (sender->send_at_once(std::span(sends).first(1)) == 1)
    ++sent;
  EXPECT_GE(sent, 32U); // until there is no slot
  EXPECT_LE(sent, 128U);
}

TEST(ShmTransport, SendsToSeveralAndItself) {
  const SharedGroup group(3);
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < 3; ++rank)
    threads.emplace_back([&group, rank] {
      const auto batch = group.transport(rank)->make_batch();
      for (int turn = 0; turn < 200; ++turn) {
        std::vector<std::vector<std::byte>> out;
        std::vector<std::vector<std::byte>> in(3, std::vector<std::byte>(100'000));
        std::vector<Message> sends;
        std::vector<Message> receives;
        for (Rank peer = 0; peer < 3; ++peer)
          out.push_back(bytes_of(100'000, static_cast<std::uint32_t>(turn * 9 + rank * 3 + peer)));
        for (Rank peer = 0; peer < 3; ++peer) {
          sends.push_back(to(peer, turn, out[static_cast<std::size_t>(peer)]));
          receives.push_back(to(peer, turn, in[static_cast<std::size_t>(peer)]));
        }
        batch->transfer(receives, sends);
        for (Rank peer = 0; peer < 3; ++peer)
          ASSERT_TRUE(are_bytes_of(in[static_cast<std::size_t>(peer)],
                                   static_cast<std::uint32_t>(turn * 9 + peer * 3 + rank)));
      }
    });
  for (std::thread& thread : threads)
    thread.join();
}

struct Adder : Combiner {
  void combine(std::byte* arrived, const std::byte* own, std::byte* target, std::size_t bytes,
               bool /*spent*/) override {
    ASSERT_EQ(bytes % sizeof(std::uint64_t), 0U);
    auto* const from = reinterpret_cast<std::uint64_t*>(arrived);
    auto* const with = reinterpret_cast<const std::uint64_t*>(own);
    auto* const sum = reinterpret_cast<std::uint64_t*>(target);
    for (std::size_t word = 0; word < bytes / sizeof *from; ++word)
      sum[word] = with[word] + from[word];
  }
};

void combine_as_bytes_arrive(bool in_place) {
  const SharedGroup group(2);
  for (const std::size_t words : {1, 6, 7, 1000, 100'000}) {
    std::vector<std::uint64_t> given(words);
    std::vector<std::uint64_t> own(words);
    std::vector<std::uint64_t> apart(words);
    for (std::size_t word = 0; word < words; ++word) {
      given[word] = word * word;
      own[word] = word;
    }
    std::vector<std::uint64_t>& sums = in_place ? own : apart;
    Adder adder;
    const Message send{.peer = 1,
                       .tag = 2,
                       .data = reinterpret_cast<std::byte*>(given.data()),
                       .bytes = words * 8,
                       .granule = 8};
    const Message receive{.peer = 0,
                          .tag = 2,
                          .data = reinterpret_cast<std::byte*>(sums.data()),
                          .bytes = words * 8,
                          .combiner = &adder,
                          .own = in_place ? nullptr : reinterpret_cast<const std::byte*>(own.data()),
                          .granule = 8};
    std::thread sending([&] { group.transport(0)->make_batch()->transfer({}, {&send, 1}); });
    group.transport(1)->make_batch()->transfer({&receive, 1}, {});
    sending.join();
    for (std::size_t word = 0; word < words; ++word) {
      ASSERT_EQ(sums[word], word * word + word) << words;
      ASSERT_TRUE(in_place || own[word] == word) << words;
    }
  }
}

TEST(ShmTransport, CombinesAsBytesArrive) {
  combine_as_bytes_arrive(true);
}

TEST(ShmTransport, CombinesWithWhatLiesElsewhere) {
  combine_as_bytes_arrive(false);
}

TEST(ShmTransport, RefusesAMessageThatIsTooLong) {
  const SharedGroup group(2);
  auto data = bytes_of(9, 1);
  std::vector<std::byte> place(8);
  const Message send = to(1, 0, data);
  const Message receive = to(0, 0, place);
  group.transport(0)->make_batch()->transfer({}, {&send, 1});
  EXPECT_THROW(group.transport(1)->make_batch()->transfer({&receive, 1}, {}), TruncationError);
  // The transport is good for other batches' messages afterwards.
  auto next = bytes_of(8, 2);
  const Message good = to(1, 1, next);
  const Message awaited = to(0, 1, place);
  group.transport(0)->make_batch()->transfer({}, {&good, 1});
  group.transport(1)->make_batch()->transfer({&awaited, 1}, {});
  EXPECT_EQ(place, next);
}

TEST(ShmTransport, LeavesMemoryToBatchesThatOutliveIt) {
  std::unique_ptr<Batch> sender;
  std::unique_ptr<Batch> receiver;
  auto data = bytes_of(1'200'000, 5); // more than the channel holds
  std::vector<std::byte> got(data.size());
  {
    const SharedGroup group(2);
    sender = group.transport(0)->make_batch();
    receiver = group.transport(1)->make_batch();
    sender->reserve(1);
    receiver->reserve(1);
    sender->start_send(0, to(1, 0, data));
    receiver->start_receive(0, to(0, 0, got));
  }
  while (!receiver->all_finished())
    sender->poll();
  EXPECT_EQ(got, data);
}

/// One that may run only where its batch is looked at.
struct LibraryAdder final : Adder {
  bool calls_library() const override { return true; }
};

// The program's thread may call the library; a progress thread that looks at a batch of its own may not.
TEST(ShmTransport, LeavesWhatCallsTheLibraryToThoseWhoLookAtItsBatch) {
  for (const std::size_t words : {std::size_t{1}, std::size_t{100'000}}) {
    const SharedGroup group(2);
    const auto sender = group.transport(0)->make_batch();
    const auto receiver = group.transport(1)->make_batch();
    const auto other = group.transport(1)->make_batch();
    std::vector<std::uint64_t> given(words, 3);
    std::vector<std::uint64_t> sums(words, 4);
    auto short_data = bytes_of(8, 1);
    std::vector<std::byte> got(8);
    LibraryAdder adder;
    for (Batch* batch : {sender.get(), receiver.get(), other.get()})
      batch->reserve(2);
    receiver->start_receive(0, {.peer = 0,
                                .tag = 2,
                                .data = reinterpret_cast<std::byte*>(sums.data()),
                                .bytes = words * 8,
                                .combiner = &adder,
                                .granule = 8});
    other->start_receive(0, to(0, 3, got));
    sender->start_send(0, {.peer = 1,
                           .tag = 2,
                           .data = reinterpret_cast<std::byte*>(given.data()),
                           .bytes = words * 8,
                           .granule = 8});
    sender->start_send(1, to(1, 3, short_data));
    for (int look = 0; look < 10; ++look) {
      EXPECT_FALSE(other->all_finished());
      sender->poll();
      EXPECT_EQ(std::ranges::count(sums, 4U), std::ssize(sums));
    }
    while (!receiver->all_finished())
      sender->poll();
    EXPECT_EQ(std::ranges::count(sums, 7U), std::ssize(sums));
    while (!other->all_finished())
      sender->poll();
    EXPECT_EQ(got, short_data);
  }
}

/// What the batches of one thread of a rank send and receive: messages of all lengths in a random order.
void exchange(const SharedGroup& group, Rank rank, int thread, int rounds) {
  const auto batch = group.transport(rank)->make_batch();
  const Rank peer = 1 - rank;
  std::mt19937 random(static_cast<unsigned>(thread)); // the same on both ranks
  for (int round = 0; round < rounds; ++round) {
    constexpr std::size_t lengths[] = {0, 8, 500, 5000, 200'000, 1'200'000};
    std::vector<std::vector<std::byte>> out;
    std::vector<std::vector<std::byte>> in;
    std::vector<Message> sends;
    std::vector<Message> receives;
    const std::size_t count = 1 + random() % 4;
    out.reserve(count);
    in.reserve(count);
    for (std::size_t number = 0; number < count; ++number) {
      const std::size_t bytes = lengths[random() % std::size(lengths)];
      const auto seed = static_cast<unsigned>(round * 10) + static_cast<unsigned>(number);
      const auto tag = thread * 100 + static_cast<std::int32_t>(number);
      out.push_back(bytes_of(bytes, seed));
      in.emplace_back(bytes);
      sends.push_back(to(peer, tag, out.back()));
      receives.push_back(to(peer, tag, in.back()));
    }
    if (random() % 2 == 0) {
      batch->transfer(receives, sends);
    } else {
      batch->reserve(2 * count);
      for (std::size_t number = 0; number < count; ++number)
        batch->start_receive(static_cast<std::uint32_t>(number), receives[number]);
      for (std::size_t number = 0; number < count; ++number)
        batch->start_send(static_cast<std::uint32_t>(count + number), sends[number]);
      while (!batch->all_finished())
        std::this_thread::yield();
    }
    ASSERT_EQ(in, out) << "rank " << rank << ", thread " << thread << ", round " << round;
  }
}

/// Before there are further threads.
void exchange_alone(const SharedGroup& group) {
  std::thread other([&group] { exchange(group, 1, 0, 10); });
  exchange(group, 0, 0, 10);
  other.join();
}

TEST(ShmTransport, ServesSeveralThreadsThatHaveABatchEach) {
  const SharedGroup group(2, SharedGroup::Threads::join_later);
  exchange_alone(group);
  for (const auto rank : {0, 1})
    group.transport(rank)->share_among_threads();
  std::vector<std::thread> threads;
  for (const auto rank : {0, 1})
    for (const auto thread : {0, 1})
      threads.emplace_back([&group, rank, thread] { exchange(group, rank, thread, 15); });
  for (std::thread& thread : threads)
    thread.join();
}

class Visits : public testing::TestWithParam<bool> {};

TEST_P(Visits, AreMadeWhileARankWaits) {
  const bool sleeps = GetParam();
  SharedGroup group(2);
  struct Late {
    const SharedGroup* group;
    int visits = 0;
  } late{&group};
  NodeUse use;
  wait::Policy& waiting = use.waiting;
  waiting.polls = 1;
  waiting.context = &late;
  if (sleeps)
    waiting.settings.yield_us = 0;
  else
    waiting.pauses_per_visit = 1;
  use.sleeps = sleeps;
  waiting.progress_others = [](void* with) {
    auto& self = *static_cast<Late*>(with);
    if (++self.visits == 3) {
      std::byte byte{};
      const Message send{1, 0, &byte, 1};
      self.group->transport(0)->make_batch()->transfer({}, {&send, 1});
    }
    return wait::Visit::idle;
  };
  const auto transport = make_shm_transport(group.memory(), 1, 2, use);
  std::byte byte{};
  const Message receive{0, 0, &byte, 1};
  transport->make_batch()->transfer({&receive, 1}, {});
  EXPECT_EQ(late.visits, 3);
}

INSTANTIATE_TEST_SUITE_P(Ways, Visits, testing::Bool());

} // namespace
} // namespace thalweg::transport
