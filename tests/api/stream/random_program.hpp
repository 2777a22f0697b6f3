// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Random programs on streams, whatever the ranks are: sends, handlers that send, several streams, phases that
// end in one or in two parts. Each item says what is known of it, and is checked where it arrives.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace random_program {

struct Item {
  std::int32_t source;
  std::int32_t destination;
  std::int32_t number; ///< of those from source to destination, or -1 of a chain
  std::int32_t hops;   ///< how often handlers send it on
  std::int32_t phase;
};

/// What a program does with a stream.
struct Stream {
  std::function<void(int rank, const Item&)> send;
  std::function<void()> flush;
  std::function<void()> progress;
  std::function<void()> finish;
  std::function<void()> start_finish;
  std::function<bool()> test_finish;
};

/// The same on all ranks.
struct Plan {
  int streams = 1;
  int phases = 1;
  int max_items = 0; ///< of a rank in a phase
  int max_hops = 0;  ///< of an item
};

inline Plan random_plan(std::mt19937& random) {
  Plan plan;
  plan.streams = 1 + static_cast<int>(random() % 2);
  plan.phases = 1 + static_cast<int>(random() % 4);
  plan.max_items = random() % 4 == 0 ? 1 : static_cast<int>(random() % 1000);
  plan.max_hops = random() % 3 == 0 ? 1 + static_cast<int>(random() % 4) : 0;
  return plan;
}

/// One rank's part.
class Program {
public:
  Program(const Plan& plan, int rank, int ranks, unsigned seed)
      : plan_(plan), rank_(rank), ranks_(ranks), random_(seed * 1009 + static_cast<unsigned>(rank)),
        numbers_(static_cast<std::size_t>(plan.streams * ranks)), seen_(numbers_.size()),
        phases_(static_cast<std::size_t>(plan.streams)) {}

  /// Its streams, whose handlers call handle().
  void use(std::vector<Stream> streams) { streams_ = std::move(streams); }

  void handle(int stream, const Item& item) {
    const int phase = phases_[static_cast<std::size_t>(stream)];
    require(item.destination == rank_, "an item is on the wrong rank");
    require(item.phase == phase, "an item of phase " + std::to_string(item.phase) + " is handled in phase " +
                                     std::to_string(phase));
    ++handled_;
    int& seen = seen_[place(stream, item.source)];
    if (item.number >= 0)
      require(item.number == seen++, "item " + std::to_string(item.number) + " is out of order");
    if (item.hops > 0) {
      // To the same stream, or to a later one, which ends later.
      const int later = stream + 1 < plan_.streams && random_() % 2 != 0 ? 1 : 0;
      send(stream + later, {rank_, random_rank(), -1, item.hops - 1, item.phase});
    }
  }

  void run() {
    for (int phase = 0; phase < plan_.phases; ++phase) {
      send_some(phase);
      // What handlers send to a stream that ends belongs to its next phase: then one ends after the other.
      if (plan_.max_hops == 0 && random_() % 2 == 0)
        finish_all_at_once();
      else
        finish_one_by_one();
    }
  }

  /// Over all ranks these sum up to nothing.
  std::int64_t sent_but_not_handled() const { return sent_ - handled_; }
  /// What was wrong first; empty where nothing was.
  const std::string& failure() const { return failure_; }

private:
  void require(bool condition, const std::string& failure) {
    if (!condition && failure_.empty())
      failure_ = failure;
  }

  void send(int stream, const Item& item) {
    ++sent_;
    streams_[static_cast<std::size_t>(stream)].send(item.destination, item);
  }

  void send_some(int phase) {
    const int count = static_cast<int>(random_() % static_cast<unsigned>(plan_.max_items + 1));
    for (int item = 0; item < count; ++item) {
      const auto stream = static_cast<int>(random_() % streams_.size());
      const int to = random_rank();
      const int hops = static_cast<int>(random_() % static_cast<unsigned>(plan_.max_hops + 1));
      send(stream, {rank_, to, numbers_[place(stream, to)]++, hops, phase});
      if (random_() % 100 == 0)
        streams_[static_cast<std::size_t>(stream)].flush();
      if (random_() % 100 == 0)
        streams_[static_cast<std::size_t>(stream)].progress();
    }
  }

  void finish_one_by_one() {
    for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
      if (random_() % 2 == 0) {
        streams_[stream].finish();
        ++phases_[stream];
      } else {
        streams_[stream].start_finish();
        look_until_it_ends(stream);
      }
    }
  }

  /// In any order, each without a look at the others.
  void finish_all_at_once() {
    for (const Stream& stream : streams_)
      stream.start_finish();
    std::vector<std::size_t> order(streams_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random_);
    for (const std::size_t stream : order)
      look_until_it_ends(stream);
  }

  void look_until_it_ends(std::size_t stream) {
    while (!streams_[stream].test_finish()) {
    }
    ++phases_[stream];
  }

  int random_rank() { return static_cast<int>(random_() % static_cast<unsigned>(ranks_)); }
  std::size_t place(int stream, int rank) const { return static_cast<std::size_t>(stream * ranks_ + rank); }

  Plan plan_;
  int rank_;
  int ranks_;
  std::mt19937 random_;
  std::vector<Stream> streams_;
  std::vector<int> numbers_;
  std::vector<int> seen_;
  std::vector<int> phases_;
  std::int64_t sent_ = 0;
  std::int64_t handled_ = 0;
  std::string failure_;
};

} // namespace random_program
