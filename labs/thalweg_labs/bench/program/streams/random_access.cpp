// SPDX-License-Identifier: BSD-3-Clause

// Random updates of a table under the rule of HPCC's RandomAccess: a rank holds back 1,024 of them at most.

#include "aggregator.hpp"
#include "bulk.hpp"
#include "cases.hpp"
#include "thalweg/stream.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace thalweg::bench {

void random_access(const Options& options) {
  constexpr std::size_t pending = 1024;
  // Four updates for each word of the table, as HPCC has it.
  std::vector<Word> table(std::bit_floor(std::max<std::size_t>(options.items / 4, 1)));
  const std::size_t updates = 4 * table.size();
  const Word mask = table.size() - 1;
  const auto update = [&](const Word& word) { table[word & mask] ^= word; };
  const auto send_all = [&](auto& through) {
    Random random(own_rank);
    for (std::size_t number = 0; number < updates; ++number) {
      const Word word = random.next();
      through.send(Random::rank_of(word), word);
    }
    through.finish();
  };
  thalweg::stream<Word> stream(MPI_COMM_WORLD, update, {.max_pending_items = pending});
  by_hand::Aggregator<Word> aggregator(MPI_COMM_WORLD,
                                       [&](std::span<const Word> words) {
                                         for (const Word word : words)
                                           update(word);
                                       },
                                       {.max_pending = pending});
  Bulk<Word> bulk(pending);
  measure("random_access/1024", options.rounds, static_cast<double>(updates),
          {{"stream", [&] { send_all(stream); }},
           {"aggregator", [&] { send_all(aggregator); }},
           {"bulk",
            [&] {
              const auto make = [random = Random(own_rank)]() mutable {
                const Word word = random.next();
                return std::pair(Random::rank_of(word), word);
              };
              bulk.run(updates, make, update);
            }}},
          [&] {
            Word sum = 0;
            for (std::size_t place = 0; place < table.size(); ++place)
              sum += mixed(std::exchange(table[place], 0) + place);
            return sum;
          });
}

} // namespace thalweg::bench
