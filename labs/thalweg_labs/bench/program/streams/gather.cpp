// SPDX-License-Identifier: BSD-3-Clause
#include "bulk.hpp"
#include "cases.hpp"
#include "thalweg/stream.hpp"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace thalweg::bench {

namespace {

struct Pair {
  std::uint32_t rank, index;
  Word value;
};

/// A table that is spread over the ranks, and what they learn of it. They ask for values by one stream, and
/// answer by another.
class Table {
public:
  static constexpr std::size_t places = 4096; // of a rank

  Table() : values_(places) {
    std::iota(values_.begin(), values_.end(), Word{1} + static_cast<Word>(own_rank) * places);
  }

  Word at(Word place) const { return values_[place & (places - 1)]; }
  Pair answer(const Pair& request) const { return {request.rank, request.index, at(request.value)}; }
  void take(Word value, std::uint32_t index) { sum_ += value ^ index; }
  Word found() { return std::exchange(sum_, 0); }

  /// Such a number of requests, for each of which `request(random, number)` gives a rank and a pair.
  template <typename Request>
  void ask_by_streams(std::size_t items, Request request) {
    Random random(own_rank);
    for (std::size_t number = 0; number < items; ++number) {
      const auto [rank, pair] = request(random, number);
      requests_.send(rank, pair);
    }
    requests_.finish();
    replies_.finish();
  }

private:
  std::vector<Word> values_;
  Word sum_ = 0;
  thalweg::stream<Pair> replies_{MPI_COMM_WORLD,
                                 [this](const Pair& reply) { take(reply.value, reply.index); }};
  thalweg::stream<Pair> requests_{MPI_COMM_WORLD, [this](const Pair& request) {
                                    replies_.send(static_cast<int>(request.rank), answer(request));
                                  }};
};

std::pair<int, Pair> request(Random& random, std::size_t number) {
  const Word next = random.next();
  return {Random::rank_of(next),
          {static_cast<std::uint32_t>(own_rank), static_cast<std::uint32_t>(number), next}};
}

} // namespace

/// What stands in a table elsewhere: a request of 16 bytes and a reply of as many, for each.
void gather(const Options& options) {
  const std::size_t items = options.items / 4;
  Table table;
  Bulk<Pair> bulk;
  const auto ask_in_bulk = [&] {
    Random random(own_rank);
    std::size_t number = 0;
    std::vector<Pair> answered;
    bulk.run(
        items, [&] { return request(random, number++); },
        [&](const Pair& pair) { answered.push_back(table.answer(pair)); });
    std::size_t next = 0;
    const auto reply = [&] {
      const Pair& pair = answered[next++];
      return std::pair(static_cast<int>(pair.rank), pair);
    };
    bulk.run(answered.size(), reply, [&](const Pair& pair) { table.take(pair.value, pair.index); });
  };
  measure("gather/16", options.rounds, static_cast<double>(items),
          {{"stream", [&] { table.ask_by_streams(items, request); }}, {"bulk", ask_in_bulk}},
          [&] { return table.found(); });
}

/// The same by a stream of questions and answers, where the number stays with the asker.
void questions(const Options& options) {
  const std::size_t items = options.items / 4;
  Table table;
  using Lookup = thalweg::query<Word, Word, std::uint32_t>;
  thalweg::stream<Lookup> stream(
      MPI_COMM_WORLD, thalweg::handlers{[&](Word place) { return table.at(place); },
                                        [&](Word value, std::uint32_t index) { table.take(value, index); }});
  const auto ask = [&] {
    Random random(own_rank);
    for (std::size_t number = 0; number < items; ++number) {
      const auto [rank, pair] = request(random, number);
      stream.ask(rank, pair.value, pair.index);
    }
    stream.finish();
  };
  measure("ask/8", options.rounds, static_cast<double>(items),
          {{"stream", ask}, {"two-streams", [&] { table.ask_by_streams(items, request); }}},
          [&] { return table.found(); });
}

} // namespace thalweg::bench
