// SPDX-License-Identifier: BSD-3-Clause

// Items that are merged before they travel: what arrives comes to the same, nothing stays behind, and less
// travels where keys are few.

#include "forms.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using checks::require;
using forms::rank_of_world;
using forms::ranks_of_world;

struct Count {
  std::uint64_t bar;
  std::uint64_t number;
};
struct Add {
  static std::uint64_t key(const Count& one) { return one.bar; }
  static void merge(Count& kept, const Count& more) { kept.number += more.number; }
};

constexpr std::uint64_t bars = 1 << 14;

/// Half of all samples go to four bars.
std::uint64_t random_bar(std::mt19937_64& random) {
  return random() % 2 != 0 ? random() % 4 * 1001 : random() % bars;
}

using Combined = thalweg::combined<Count, Add, 64>;

void histogram(const thalweg::stream_options& options) {
  std::vector<std::uint64_t> own(bars);
  const auto ranks = static_cast<std::uint64_t>(ranks_of_world());
  thalweg::stream<Combined> counts(
      MPI_COMM_WORLD, [&](const Count& one) { own[one.bar] += one.number; }, options);
  std::mt19937_64 random(static_cast<unsigned>(rank_of_world()));
  std::vector<std::uint64_t> sent(bars);
  for (int phase = 0; phase < 2; ++phase) {
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t bar = random_bar(random);
      ++sent[bar];
      counts.send(static_cast<int>(bar % ranks), {bar, 1});
    }
    counts.finish();
    std::vector<std::uint64_t> expected(bars);
    MPI_Allreduce(sent.data(), expected.data(), static_cast<int>(bars), MPI_UINT64_T, MPI_SUM,
                  MPI_COMM_WORLD);
    for (std::uint64_t bar = 0; bar < bars; ++bar)
      require(own[bar] == (bar % ranks == static_cast<std::uint64_t>(rank_of_world()) ? expected[bar] : 0),
              "bar %lu has %lu samples instead of %lu", bar, own[bar], expected[bar]);
  }
  const auto delivered = static_cast<long>(counts.statistics().delivered_bytes / sizeof(Count));
  require(forms::sum_of(delivered) < 40'000L * ranks_of_world() * 3 / 4, "%ld items have come", delivered);
}

/// Distances in a random graph: handlers send, and shorter ways drive out longer ones that still wait.
struct Visit {
  std::uint32_t vertex;
  std::uint32_t distance;
};
struct Shorter {
  static std::uint32_t key(const Visit& visit) { return visit.vertex; }
  static void merge(Visit& kept, const Visit& more) {
    kept.distance = std::min(kept.distance, more.distance);
  }
};

constexpr std::uint32_t vertices = 3000;
constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();

std::uint32_t neighbor(std::uint32_t vertex, std::uint32_t edge) {
  return (vertex * 2654435761U + edge * 40503U + 12345U) % vertices;
}
std::uint32_t length(std::uint32_t vertex, std::uint32_t edge) {
  return 1 + (vertex * 31 + edge * 17) % 9;
}

std::vector<std::uint32_t> distances_alone() {
  std::vector<std::uint32_t> distances(vertices, unseen);
  std::vector<Visit> open{{0, 0}};
  for (std::size_t at = 0; at < open.size(); ++at) {
    const Visit visit = open[at];
    if (visit.distance >= distances[visit.vertex])
      continue;
    distances[visit.vertex] = visit.distance;
    for (std::uint32_t edge = 0; edge < 3; ++edge)
      open.push_back({neighbor(visit.vertex, edge), visit.distance + length(visit.vertex, edge)});
  }
  return distances;
}

/// With a kind of its own, or beside others: `Extra` are the stream's other types.
template <typename... Extra>
void search(const thalweg::stream_options& options) {
  using Stream = thalweg::stream<thalweg::combined<Visit, Shorter>, Extra...>;
  const auto ranks = static_cast<std::uint32_t>(ranks_of_world());
  std::vector<std::uint32_t> distances(vertices, unseen);
  Stream* self = nullptr;
  const auto visit = [&](const Visit& one) { self->send(static_cast<int>(one.vertex % ranks), one); };
  Stream visits(
      MPI_COMM_WORLD,
      thalweg::handlers{[&](const Visit& one) {
                          if (one.distance >= distances[one.vertex])
                            return;
                          distances[one.vertex] = one.distance;
                          for (std::uint32_t edge = 0; edge < 3; ++edge)
                            visit({neighbor(one.vertex, edge), one.distance + length(one.vertex, edge)});
                        },
                        [](const Extra&) {}...},
      options);
  self = &visits;
  if (rank_of_world() == 0)
    visit({0, 0});
  visits.finish();
  const std::vector<std::uint32_t> expected = distances_alone();
  for (std::uint32_t vertex = static_cast<std::uint32_t>(rank_of_world()); vertex < vertices; vertex += ranks)
    require(distances[vertex] == expected[vertex], "vertex %u is %u away instead of %u", vertex,
            distances[vertex], expected[vertex]);
}

/// One item to the next rank, which is waited for without a flush: also when it is a handler that sends the
/// answer, on another stream.
void nothing_waits_for_ever() {
  const int next = (rank_of_world() + 1) % ranks_of_world();
  const auto self = static_cast<std::uint64_t>(rank_of_world());
  std::uint64_t answered = 0;
  using Stream = thalweg::stream<Combined>;
  Stream* back = nullptr;
  Stream there(MPI_COMM_WORLD, [&](const Count& one) {
    back->send(static_cast<int>(one.bar), {one.bar, 7});
  });
  Stream answers(MPI_COMM_WORLD, [&](const Count& one) { answered += one.number; });
  back = &answers;
  there.send(next, {self, 1});
  while (answered == 0)
    there.progress();
  there.finish();
  answers.finish();
  require(answered == 7, "%lu was answered", answered);
}

/// A program that sends to one key for ever never fills a buffer.
void a_hot_key_arrives() {
  std::uint64_t come = 0;
  thalweg::stream<Combined> counts(MPI_COMM_WORLD, [&](const Count& one) { come += one.number; });
  std::uint64_t sent = 0;
  while (come == 0) { // to oneself
    counts.send(counts.rank(), {3, 1});
    ++sent;
  }
  counts.finish();
  require(come == sent, "%lu of %lu have come", come, sent);
}

/// What a handler has sent before it failed is lost with the phase.
void after_a_failure() {
  bool fails = true;
  std::uint64_t come = 0;
  thalweg::stream<Combined>* self = nullptr;
  thalweg::stream<Combined> counts(MPI_COMM_WORLD, [&](const Count& one) {
    if (fails) {
      self->send(0, {one.bar + 1, 100});
      throw std::runtime_error("no more bars");
    }
    come += one.number;
  });
  self = &counts;
  counts.send(0, {1, 1});
  bool has_failed = false;
  try {
    counts.finish();
  } catch (const std::runtime_error&) {
    has_failed = true;
  }
  require(has_failed, "%s", "a failing handler was not reported");
  fails = false;
  counts.send(0, {1, 1});
  counts.finish();
  require(forms::sum_of(static_cast<long>(come)) == ranks_of_world(), "%lu have come", come);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  forms::for_each([](const thalweg::stream_options& options) {
    histogram(options);
    search<>(options);
    search<int>(options);
  });
  nothing_waits_for_ever();
  a_hot_key_arrives();
  after_a_failure();
  std::printf("all right\n");
  MPI_Finalize();
}
