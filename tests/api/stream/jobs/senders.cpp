// SPDX-License-Identifier: BSD-3-Clause

// Several threads of each rank send: everything arrives, in order from each thread to each rank, and a phase
// ends when all threads of all ranks are done.

#include "forms.hpp"
#include "thalweg/locators.hpp"

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace {

using checks::failure_of;
using checks::require;
using forms::rank_of_world;
using forms::ranks_of_world;

constexpr int threads = 3;

struct Item {
  std::int32_t thread; // of all ranks
  std::uint32_t number;
};

void run_threads(const auto& work) {
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread)
    running.emplace_back([&work, thread] { work(thread); });
  for (std::thread& one : running)
    one.join();
}

class Orders {
public:
  Orders() : next_(static_cast<std::size_t>(threads * ranks_of_world())) {}
  void take(const Item& item) {
    std::uint32_t& next = next_[static_cast<std::size_t>(item.thread)];
    require(item.number == next, "item %u of thread %d came instead of item %u", item.number, item.thread,
            next);
    ++next;
    ++come_;
  }
  long come() const { return come_; }

private:
  std::vector<std::uint32_t> next_;
  long come_ = 0;
};

void all_threads_send(const thalweg::stream_options& options) {
  constexpr std::uint32_t each = 3000;
  Orders orders;
  thalweg::stream<Item> items(
      MPI_COMM_WORLD, [&](const Item& item) { orders.take(item); }, options);
  std::vector<std::uint32_t> sent(static_cast<std::size_t>(threads * ranks_of_world()));
  for (int phase = 1; phase <= 2; ++phase) {
    std::vector<decltype(items.make_sender())> senders;
    for (int thread = 0; thread < threads; ++thread)
      senders.push_back(items.make_sender());
    std::thread end([&] {
      run_threads([&](int thread) {
        const std::int32_t whole = rank_of_world() * threads + thread;
        for (std::uint32_t i = 0; i < each; ++i) {
          const int rank = static_cast<int>(i * 7 + static_cast<std::uint32_t>(thread)) % ranks_of_world();
          std::uint32_t& next = sent[static_cast<std::size_t>(thread * ranks_of_world() + rank)];
          senders[static_cast<std::size_t>(thread)].send(rank, {whole, next++});
        }
        senders[static_cast<std::size_t>(thread)].done();
      });
    });
    items.finish(); // while they send
    end.join();
    require(forms::sum_of(orders.come()) == static_cast<long>(each) * threads * ranks_of_world() * phase,
            "%ld items have come", orders.come());
  }
}

/// Of several types, some larger than what a sender keeps, to places that a locator knows.
void any_types(const thalweg::stream_options& options) {
  Orders orders;
  std::size_t bytes = 0;
  struct Add {
    static std::uint64_t key(const std::uint64_t&) { return 1; }
    static void merge(std::uint64_t& kept, const std::uint64_t& more) { kept += more; }
  };
  std::uint64_t sum = 0;
  thalweg::stream<Item, thalweg::bytes, thalweg::combined<std::uint64_t, Add>> items(
      MPI_COMM_WORLD,
      thalweg::handlers{[&](const Item& item) { orders.take(item); },
                        [&](thalweg::bytes item) { bytes += item.size(); },
                        [&](const std::uint64_t& number) { sum += number; }},
      options);
  std::vector<decltype(items.make_sender())> senders;
  for (int thread = 0; thread < threads; ++thread)
    senders.push_back(items.make_sender());
  run_threads([&](int thread) {
    auto sender = std::move(senders[static_cast<std::size_t>(thread)]);
    const thalweg::cyclic_locator ranks(ranks_of_world());
    const std::vector<std::byte> text(20'000);
    for (std::uint32_t i = 0; i < 400; ++i) {
      const auto index = static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(ranks_of_world());
      sender.send(ranks, index, Item{rank_of_world() * threads + thread, i});
      sender.send(0, thalweg::bytes(text).first(i % 100 == 0 ? text.size() : i));
      sender.send(ranks, i, std::uint64_t{1});
    }
  });
  items.finish();
  const long all = static_cast<long>(threads) * ranks_of_world();
  require(forms::sum_of(orders.come()) == 400 * all, "%ld items have come", orders.come());
  require(forms::sum_of(static_cast<long>(sum)) == 400 * all, "a sum of %lu", sum);
  long expected = 0;
  for (long i = 0; i < 400; ++i)
    expected += i % 100 == 0 ? 20'000 : i;
  require(forms::sum_of(static_cast<long>(bytes)) == expected * all, "%zu B have come", bytes);
}

void misuses() {
  thalweg::stream<Item> items(MPI_COMM_WORLD, [](const Item&) {});
  auto sender = items.make_sender();
  require(std::string(failure_of([&] { items.start_finish(); }).what()).find("1 senders are not done") !=
              std::string::npos,
          "%s", "a phase was ended while a sender is not done");
  require(std::string(failure_of([&] {
                        sender.send(-1, {0, 0});
                      }).what())
                  .find("an item for rank -1") != std::string::npos,
          "%s", "a wrong rank was not noticed");
  sender.done();
  require(std::string(failure_of([&] {
                        sender.send(0, {0, 0});
                      }).what())
                  .find("a sender that is done") != std::string::npos,
          "%s", "an item of a sender that is done was not noticed");
  items.finish();
}

void without_threads() {
  thalweg::stream<Item> items(MPI_COMM_WORLD, [](const Item&) {});
  const std::string what = failure_of([&] { items.make_sender(); }).what();
  require(what.find("MPI_THREAD_SERIALIZED") != std::string::npos, "%s", what.c_str());
  items.finish();
}

} // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  const bool wants_threads = argc == 1;
  MPI_Init_thread(&argc, &argv, wants_threads ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED, &provided);
  if (wants_threads) {
    forms::for_each([](const thalweg::stream_options& options) {
      all_threads_send(options);
      any_types(options);
    });
    misuses();
  } else if (provided < MPI_THREAD_SERIALIZED) {
    without_threads();
  }
  std::printf("all right\n");
  MPI_Finalize();
}
