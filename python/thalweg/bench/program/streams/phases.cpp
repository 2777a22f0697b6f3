#include "aggregator.hpp"
#include "bulk.hpp"
#include "cases.hpp"
#include "thalweg/stream.hpp"

#include <vector>

namespace thalweg::bench {

namespace {

struct Item {
  Word words[4];
};

/// So many items of 32 bytes from each rank to each, then the end.
void exchange(int rounds, int each) {
  using T = Item;
  Word sum = 0;
  const auto add = [&](const T& item) { sum += item.words[0]; };
  thalweg::stream<T> stream(MPI_COMM_WORLD, add);
  by_hand::Aggregator<T> aggregator(MPI_COMM_WORLD, [&](std::span<const T> all) {
    for (const T& item : all)
      add(item);
  });
  const auto send_all = [&](auto& through, int phase) {
    for (int item = 0; item < each; ++item)
      for (int step = 0; step < all_ranks; ++step)
        through.send((own_rank + step) % all_ranks, T{{static_cast<Word>(phase + item + own_rank)}});
    through.finish();
  };
  const auto part = static_cast<std::size_t>(each);
  std::vector<T> out(part * static_cast<std::size_t>(all_ranks)), in(out.size());
  const auto bulk = [&](int phase) {
    for (std::size_t item = 0; item < out.size(); ++item)
      out[item] = T{{static_cast<Word>(phase + own_rank) + item % part}};
    MPI_Alltoall(out.data(), static_cast<int>(part * sizeof(T)), MPI_BYTE, in.data(),
                 static_cast<int>(part * sizeof(T)), MPI_BYTE, MPI_COMM_WORLD);
    for (const T& item : in)
      add(item);
  };
  constexpr int phases = 1000;
  const auto repeat = [&](auto&& phase) {
    return [&, phase] {
      for (int number = 0; number < phases; ++number)
        phase(number);
    };
  };
  measure("everybody/" + std::to_string(each), rounds, phases,
          {{"stream", repeat([&](int phase) { send_all(stream, phase); })},
           {"aggregator", repeat([&](int phase) { send_all(aggregator, phase); })},
           {"bulk", repeat(bulk)}},
          [&] { return std::exchange(sum, 0); });
}

} // namespace

void everybody(const Options& options) {
  for (const int each : {1, 2, 4, 10, 50})
    exchange(options.rounds, each);
}

void idle(const Options& options) {
  thalweg::stream<Word> stream(MPI_COMM_WORLD, [](const Word&) {});
  constexpr int phases = 2000;
  measure("idle", options.rounds, phases,
          {{"stream",
            [&] {
              for (int phase = 0; phase < phases; ++phase)
                stream.finish();
            }},
           {"barrier",
            [&] {
              for (int phase = 0; phase < phases; ++phase)
                MPI_Barrier(MPI_COMM_WORLD);
            }}},
          [] { return Word{0}; });
}

} // namespace thalweg::bench
