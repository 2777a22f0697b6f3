// SPDX-License-Identifier: BSD-3-Clause
#include "aggregator.hpp"
#include "bulk.hpp"
#include "cases.hpp"
#include "thalweg/stream.hpp"

#include <numeric>
#include <vector>

namespace thalweg::bench {

namespace {

template <std::size_t bytes>
struct Item {
  Word words[bytes / sizeof(Word)];
};

template <std::size_t bytes>
void histogram(const std::string& name, int rounds, std::size_t items, std::size_t bars) {
  using T = Item<bytes>;
  std::vector<Word> table(bars);
  const Word mask = bars - 1;
  const auto count = [&](const T& item) { table[item.words[0] & mask] += item.words[0] | 1; };
  const auto make = [random = Random(own_rank)]() mutable {
    T item{};
    item.words[0] = random.next();
    return std::pair(Random::rank_of(item.words[0]), item);
  };
  const auto send_all = [&](auto& through) {
    Random random(own_rank);
    for (std::size_t number = 0; number < items; ++number) {
      T item{};
      item.words[0] = random.next();
      through.send(Random::rank_of(item.words[0]), item);
    }
    through.finish();
  };
  thalweg::stream<T> stream(MPI_COMM_WORLD, count);
  by_hand::Aggregator<T> aggregator(MPI_COMM_WORLD, [&](std::span<const T> all) {
    for (const T& item : all)
      count(item);
  });
  Bulk<T> bulk;
  measure("histogram/" + name, rounds, static_cast<double>(items),
          {{"stream", [&] { send_all(stream); }},
           {"aggregator", [&] { send_all(aggregator); }},
           {"bulk", [&] { bulk.run(items, make, count); }}},
          [&] {
            const Word sum = std::accumulate(table.begin(), table.end(), Word{0});
            std::ranges::fill(table, 0);
            return sum;
          });
}

} // namespace

void histograms(const Options& options) {
  constexpr std::size_t small = 4096, large = std::size_t{4} << 20; // 32 KiB, 32 MiB
  histogram<8>("8/small", options.rounds, options.items, small);
  histogram<8>("8/large", options.rounds, options.items, large);
  histogram<32>("32/small", options.rounds, options.items, small);
  histogram<32>("32/large", options.rounds, options.items, large);
}

} // namespace thalweg::bench
