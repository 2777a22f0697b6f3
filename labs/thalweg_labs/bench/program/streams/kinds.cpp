// SPDX-License-Identifier: BSD-3-Clause

// Streams of more than items that are all alike, beside plain streams that do the same.
//
// Ways: `stream`; `padded` (all items as large as the largest), `unmerged` (each item travels).

#include "cases.hpp"
#include "thalweg/stream.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mpi.h>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::bench {

namespace {

struct Padded {
  Word words[5];
};

struct Count {
  Word bar, number;
};
struct Add {
  static Word key(const Count& one) { return one.bar; }
  static void merge(Count& kept, const Count& more) { kept.number += more.number; }
};

/// A histogram whose bars have about 1 / (their number) of the samples, or of which 64 have nearly all.
void histogram_of_keys(const std::string& name, int rounds, std::size_t items, bool is_hot) {
  constexpr Word bars = Word{1} << 22; // of a rank
  std::vector<Word> table(bars);
  const auto count = [&](const Count& one) { table[one.bar] += one.number; };
  thalweg::stream<thalweg::combined<Count, Add>> stream(MPI_COMM_WORLD, count);
  thalweg::stream<Count> unmerged(MPI_COMM_WORLD, count);
  struct Sample {
    int rank;
    std::uint32_t bar;
  };
  std::vector<Sample> samples; // made before, as powers cost more than what is measured
  Random random(own_rank);
  const Word all = bars * static_cast<Word>(all_ranks);
  for (std::size_t number = 0; number < std::min<std::size_t>(items, 1 << 20); ++number) {
    const double part = static_cast<double>(random.next() >> 11) * 0x1p-53;
    const double hot = number % 64 == 0 ? static_cast<double>(all) : 64;
    const double bar = is_hot ? part * hot : std::pow(static_cast<double>(all), part) - 1;
    const auto whole = static_cast<std::uint64_t>(bar);
    const auto ranks = static_cast<std::uint64_t>(all_ranks);
    samples.push_back({static_cast<int>(whole % ranks), static_cast<std::uint32_t>(whole / ranks)});
  }
  const auto send_all = [&](auto& through) {
    for (std::size_t left = items; left > 0; left -= std::min(left, samples.size()))
      for (const Sample& one : std::span(samples).first(std::min(left, samples.size())))
        through.send(one.rank, Count{one.bar, 1});
    through.finish();
  };
  measure(name, rounds, static_cast<double>(items),
          {{"stream", [&] { send_all(stream); }}, {"unmerged", [&] { send_all(unmerged); }}}, [&] {
            Word sum = 0;
            for (Word bar = 0; bar < bars; ++bar)
              sum += std::exchange(table[bar], 0) * (bar | 1);
            return sum;
          });
}

} // namespace

/// Items of 8 to 40 bytes, at random.
void any_bytes(const Options& options) {
  constexpr std::size_t bars = 4096;
  std::vector<Word> table(bars);
  const auto count = [&](Word word) { table[word % bars] += word | 1; };
  thalweg::stream<thalweg::bytes> stream(MPI_COMM_WORLD, [&](thalweg::bytes item) {
    Word word = 0;
    std::memcpy(&word, item.data(), sizeof word);
    count(word);
  });
  thalweg::stream<Padded> padded(MPI_COMM_WORLD, [&](const Padded& item) { count(item.words[0]); });
  const auto send_all = [&](auto& through, auto send) {
    Random random(own_rank);
    Padded item{};
    for (std::size_t number = 0; number < options.items; ++number) {
      item.words[0] = random.next();
      send(Random::rank_of(item.words[0]), item);
    }
    through.finish();
  };
  measure(
      "bytes/8-40", options.rounds, static_cast<double>(options.items),
      {{"stream",
        [&] {
          send_all(stream, [&](int rank, const Padded& item) {
            const std::size_t bytes = 8 + (item.words[0] >> 20) % 33;
            stream.send(rank, std::as_bytes(std::span(item.words)).first(bytes));
          });
        }},
       {"padded", [&] { send_all(padded, [&](int rank, const Padded& item) { padded.send(rank, item); }); }}},
      [&] {
        const Word sum = std::accumulate(table.begin(), table.end(), Word{0});
        std::ranges::fill(table, 0);
        return sum;
      });
}

void merged(const Options& options) {
  histogram_of_keys("combined/hot", options.rounds, options.items, true);
  histogram_of_keys("combined/skewed", options.rounds, options.items, false);
}

} // namespace thalweg::bench
