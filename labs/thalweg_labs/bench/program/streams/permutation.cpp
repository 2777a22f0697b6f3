// SPDX-License-Identifier: BSD-3-Clause

// A random permutation by throwing darts: at random places, of which there are twice as many. A dart whose
// place is taken is thrown again, at another one. The permutation is the order in which darts stand in the
// end.

#include "aggregator.hpp"
#include "bulk.hpp"
#include "cases.hpp"
#include "thalweg/stream.hpp"

#include <utility>
#include <vector>

namespace thalweg::bench {

namespace {

struct Dart {
  std::uint32_t place, tries;
  Word number; ///< from 1
};

class Target {
public:
  explicit Target(std::size_t darts) : places_(2 * darts) {}

  /// The `tries`-th throw of a dart: a rank and what is sent there.
  std::pair<int, Dart> thrown(Word number, std::uint32_t tries) const {
    const Word random = mixed(number + (Word{tries} << 40));
    const Word place = (random & UINT32_MAX) * places_.size() >> 32;
    return {Random::rank_of(random), {static_cast<std::uint32_t>(place), tries, number}};
  }
  std::pair<int, Dart> thrown_again(const Dart& dart) const { return thrown(dart.number, dart.tries + 1); }

  bool takes(const Dart& dart) {
    Word& place = places_[dart.place];
    if (place != 0)
      return false;
    place = dart.number;
    return true;
  }
  /// Each dart counts once, wherever it is.
  Word take_sum() {
    Word sum = 0;
    for (Word& place : places_)
      sum += place == 0 ? 0 : mixed(std::exchange(place, 0));
    return sum;
  }

private:
  std::vector<Word> places_;
};

/// Without handlers that send on their own stream it takes turns: what has missed is thrown again together.
template <typename Throw>
void throw_until_all_stick(const Target& target, std::vector<Dart>& missed, Throw throw_all) {
  for (Word left = 1; left != 0; left = sum_of_ranks(missed.size())) {
    const std::vector<Dart> again = std::exchange(missed, {});
    throw_all(again.size(),
              [&, next = std::size_t{0}]() mutable { return target.thrown_again(again[next++]); });
  }
}

} // namespace

void permutation(const Options& options) {
  const Word first = static_cast<Word>(own_rank) * options.items + 1;
  Target target(options.items);
  Word own_sum = 0;
  for (std::size_t dart = 0; dart < options.items; ++dart)
    own_sum += mixed(first + dart);
  const Word expected = sum_of_ranks(own_sum);

  std::vector<Dart> missed;
  const auto take = [&](const Dart& dart) {
    if (!target.takes(dart))
      missed.push_back(dart);
  };
  thalweg::stream<Dart>* again = nullptr;
  thalweg::stream<Dart> stream(MPI_COMM_WORLD, [&](const Dart& dart) {
    if (!target.takes(dart)) {
      const auto [rank, thrown] = target.thrown_again(dart);
      again->send(rank, thrown);
    }
  });
  again = &stream;
  by_hand::Aggregator<Dart> aggregator(MPI_COMM_WORLD, [&](std::span<const Dart> darts) {
    for (const Dart& dart : darts)
      take(dart);
  });
  Bulk<Dart> bulk;
  const auto first_throw = [&](std::size_t dart) { return target.thrown(first + dart, 0); };
  const auto send_all = [&](auto& through, std::size_t count, auto make) {
    for (std::size_t dart = 0; dart < count; ++dart) {
      const auto [rank, thrown] = make();
      through.send(rank, thrown);
    }
    through.finish();
  };
  const auto firsts = [&] { return [&, dart = std::size_t{0}]() mutable { return first_throw(dart++); }; };
  measure(
      "permutation/16", options.rounds, static_cast<double>(options.items),
      {{"stream", [&] { send_all(stream, options.items, firsts()); }},
       {"aggregator",
        [&] {
          const auto send = [&](std::size_t count, auto make) { send_all(aggregator, count, make); };
          send(options.items, firsts());
          throw_until_all_stick(target, missed, send);
        }},
       {"bulk",
        [&] {
          const auto send = [&](std::size_t count, auto make) { bulk.run(count, make, take); };
          send(options.items, firsts());
          throw_until_all_stick(target, missed, send);
        }}},
      [&] { return target.take_sum(); }, &expected);
}

} // namespace thalweg::bench
