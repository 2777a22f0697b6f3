// SPDX-License-Identifier: BSD-3-Clause

// Each rank sends everything to the next one: one destination, whose items have to keep their order.

#include "aggregator.hpp"
#include "bulk.hpp"
#include "cases.hpp"
#include "thalweg/stream.hpp"

#include <bit>
#include <utility>

namespace thalweg::bench {

void ring(const Options& options) {
  const auto chained = [](Word chain, Word word) { return std::rotl(chain, 1) ^ word; };
  Word chain = 0, own_chain = 0;
  Random random(own_rank);
  for (std::size_t item = 0; item < options.items; ++item)
    own_chain = chained(own_chain, random.next());
  const Word expected = sum_of_ranks(own_chain);

  const int next_rank = (own_rank + 1) % all_ranks;
  const auto take = [&](const Word& word) { chain = chained(chain, word); };
  const auto send_all = [&](auto& through) {
    Random words(own_rank);
    for (std::size_t item = 0; item < options.items; ++item)
      through.send(next_rank, words.next());
    through.finish();
  };
  thalweg::stream<Word> stream(MPI_COMM_WORLD, take);
  by_hand::Aggregator<Word> aggregator(MPI_COMM_WORLD, [&](std::span<const Word> words) {
    for (const Word word : words)
      take(word);
  });
  Bulk<Word> bulk;
  measure(
      "ring/8", options.rounds, static_cast<double>(options.items),
      {{"stream", [&] { send_all(stream); }},
       {"aggregator", [&] { send_all(aggregator); }},
       {"bulk",
        [&] {
          const auto make = [&, words = Random(own_rank)]() mutable {
            return std::pair(next_rank, words.next());
          };
          bulk.run(options.items, make, take);
        }}},
      [&] { return std::exchange(chain, 0); }, &expected);
}

} // namespace thalweg::bench
