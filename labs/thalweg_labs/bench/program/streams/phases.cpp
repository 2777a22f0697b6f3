// SPDX-License-Identifier: BSD-3-Clause
#include "aggregator.hpp"
#include "bulk.hpp"
#include "cases.hpp"
#include "thalweg/stream.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace thalweg::bench {

namespace {

struct FourWords {
  Word words[4];
};

constexpr int many_phases = 1000;

/// Of many items fewer phases: on a slow network one of 500 items takes as long as ten of one.
int phases_of_shapes(int each) {
  return each < 50 ? 200 : std::max(20, 5000 / each);
}

std::function<void()> repeated(int phases, const std::function<void(int)>& phase) {
  return [phases, phase] {
    for (int number = 0; number < phases; ++number)
      phase(number);
  };
}

/// So many items of 32 bytes from each rank to each, then the end.
template <typename Through>
void send_all(Through& through, int each, int phase) {
  for (int item = 0; item < each; ++item)
    for (int step = 0; step < all_ranks; ++step)
      through.send((own_rank + step) % all_ranks, FourWords{{static_cast<Word>(phase + item + own_rank)}});
  through.finish();
}

void exchange(int rounds, int each) {
  using T = FourWords;
  Word sum = 0;
  const auto add = [&](const T& item) { sum += item.words[0]; };
  thalweg::stream<T> stream(MPI_COMM_WORLD, add);
  by_hand::Aggregator<T> aggregator(MPI_COMM_WORLD, [&](std::span<const T> all) {
    for (const T& item : all)
      add(item);
  });
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
  measure("everybody/" + std::to_string(each), rounds, many_phases,
          {{"stream", repeated(many_phases, [&](int phase) { send_all(stream, each, phase); })},
           {"aggregator", repeated(many_phases, [&](int phase) { send_all(aggregator, each, phase); })},
           {"bulk", repeated(many_phases, bulk)}},
          [&] { return std::exchange(sum, 0); });
}

/// Direct, in two dimensions by node, and as square as can be.
std::vector<std::string> usual_shapes() {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int on_node = 1;
  MPI_Comm_size(node, &on_node);
  MPI_Comm_free(&node);
  std::set<std::string> shapes{"direct"};
  const auto root = static_cast<int>(std::ceil(std::sqrt(all_ranks)));
  for (const int side : {on_node, root})
    if (side > 1 && side < all_ranks)
      shapes.insert(std::to_string(side) + "x" + std::to_string((all_ranks + side - 1) / side));
  return {shapes.begin(), shapes.end()};
}

// The stream that chooses for itself beside streams of given shapes.
void compare_shapes(int rounds, int each) {
  Word sum = 0;
  const auto add = [&](const FourWords& item) { sum += item.words[0]; };
  std::deque<thalweg::stream<FourWords>> streams;
  std::vector<Way> ways;
  const int phases = phases_of_shapes(each);
  const auto take = [&](const std::string& name, const thalweg::stream_options& options) {
    auto& stream = streams.emplace_back(MPI_COMM_WORLD, add, options);
    ways.push_back({name, repeated(phases, [&stream, each](int phase) { send_all(stream, each, phase); })});
  };
  take("stream", {});
  for (const std::string& shape : usual_shapes()) {
    thalweg::stream_options options;
    options.shape = shape;
    take(shape, options);
  }
  measure("shapes/" + std::to_string(each), rounds, phases, ways, [&] { return std::exchange(sum, 0); });
  if (own_rank == 0)
    std::fprintf(stderr, "%d items of 32 B for each rank, a phase of the stream that chooses for itself:\n%s",
                 each, streams.front().explain().c_str());
}

} // namespace

void everybody(const Options& options) {
  for (const int each : {1, 2, 4, 10, 50})
    exchange(options.rounds, each);
}

void shapes(const Options& options) {
  for (const int each : {1, 2, 4, 10, 50, 500})
    compare_shapes(options.rounds, each);
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
