// Streams beside what a program does without them, in one job, in turns.
//
//   streams ROUNDS ITEMS
//
// ITEMS of each rank, ROUNDS times. Rank 0 prints for each case, round and way
//
//   CASE ROUND WAY WALL_NANOSECONDS CPU_NANOSECONDS
//
// an item of a rank; CPU time is the mean of the ranks. For cases of few items they are those of a whole
// phase. Ways: `stream`, `aggregator` (by hand over MPI, aggregator.hpp), `bulk` (MPI_Alltoallv of 256 Ki
// items, or MPI_Alltoall where each pair has as many), `barrier` (MPI_Barrier, beside phases of next to
// nothing). All ways have the same random numbers, and have to come to the same sum.

#include "aggregator.hpp"
#include "thalweg/stream.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace {

using thalweg::by_hand::Aggregator;
using Word = std::uint64_t;

int own_rank, all_ranks;

struct Random {
  Word state;
  explicit Random(int seed) : state(88172645463325252U + static_cast<Word>(seed) * 7919) {}
  Word next() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
  }
  static int rank_of(Word random) {
    return static_cast<int>((random >> 40) * static_cast<Word>(all_ranks) >> 24);
  }
};

template <std::size_t bytes>
struct Item {
  Word words[bytes / sizeof(Word)];
};

double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Way {
  std::string name;
  std::function<void()> run;
};

/// What the ways have come to; the same for all.
Word found_sum(Word own) {
  Word sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// `sum` tells what a way has done, and forgets it.
void measure(const std::string& name, int rounds, double items, const std::vector<Way>& ways,
             const std::function<Word()>& sum) {
  Word expected = 0;
  for (int round = -1; round < rounds; ++round) // the first one warms up
    for (std::size_t turn = 0; turn < ways.size(); ++turn) {
      const Way& way = ways[(turn + static_cast<std::size_t>(round + 1)) % ways.size()];
      sum();
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      const double begin_cpu = cpu_s();
      way.run();
      const double own[2] = {cpu_s() - begin_cpu, MPI_Wtime() - begin};
      double total_cpu = 0, max_wall = 0;
      MPI_Allreduce(&own[0], &total_cpu, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      MPI_Allreduce(&own[1], &max_wall, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      const Word found = found_sum(sum());
      if (round < 0 && turn == 0)
        expected = found;
      if (found != expected) {
        std::fprintf(stderr, "streams: %s by %s came to %llx, not %llx\n", name.c_str(), way.name.c_str(),
                     static_cast<unsigned long long>(found), static_cast<unsigned long long>(expected));
        MPI_Abort(MPI_COMM_WORLD, 2);
      }
      if (own_rank == 0 && round >= 0)
        std::printf("%s %d %s %.4f %.4f\n", name.c_str(), round, way.name.c_str(), max_wall / items * 1e9,
                    total_cpu / items / all_ranks * 1e9);
      std::fflush(stdout);
    }
}

/// Items in parts: those for each rank behind one another, by MPI_Alltoallv.
template <typename T>
class Bulk {
public:
  static constexpr std::size_t part = std::size_t{256} << 10;

  Bulk() : piles_(static_cast<std::size_t>(all_ranks), std::vector<T>(part)), used_(piles_.size()) {}

  template <typename Make, typename Handle>
  void run(std::size_t items, Make make, Handle handle) {
    for (std::size_t done = 0; done < items; done += part)
      run_part(std::min(items - done, part), make, handle);
  }
  /// Collective, also for no items.
  template <typename Make, typename Handle>
  void run_part(std::size_t items, Make& make, Handle& handle) {
    std::ranges::fill(used_, 0);
    for (std::size_t item = 0; item < items; ++item) {
      const auto [rank, value] = make();
      const auto pile = static_cast<std::size_t>(rank);
      piles_[pile][used_[pile]++] = value;
    }
    exchange();
    for (const T& item : in_)
      handle(item);
  }

private:
  void exchange() {
    const auto ranks = static_cast<std::size_t>(all_ranks);
    std::vector<int> out(ranks), out_at(ranks), in(ranks), in_at(ranks);
    out_.clear();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      out[rank] = static_cast<int>(used_[rank] * sizeof(T));
      out_at[rank] = static_cast<int>(out_.size() * sizeof(T));
      out_.insert(out_.end(), piles_[rank].begin(),
                  piles_[rank].begin() + static_cast<std::ptrdiff_t>(used_[rank]));
    }
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::exclusive_scan(in.begin(), in.end(), in_at.begin(), 0);
    in_.resize(static_cast<std::size_t>(in_at.back() + in.back()) / sizeof(T));
    MPI_Alltoallv(out_.data(), out.data(), out_at.data(), MPI_BYTE, in_.data(), in.data(), in_at.data(),
                  MPI_BYTE, MPI_COMM_WORLD);
  }

  std::vector<std::vector<T>> piles_;
  std::vector<std::size_t> used_;
  std::vector<T> out_, in_;
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
  Aggregator<T> aggregator(MPI_COMM_WORLD, [&](std::span<const T> all) {
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

/// What stands in a table elsewhere: a request of 16 bytes and a reply of as many, for each.
void gather(int rounds, std::size_t items) {
  struct Pair {
    std::uint32_t rank, index;
    Word value;
  };
  constexpr std::size_t places = 4096;
  std::vector<Word> table(places);
  std::iota(table.begin(), table.end(), Word{1} + static_cast<Word>(own_rank) * places);
  Word sum = 0;
  const auto take = [&](const Pair& reply) { sum += reply.value; };
  thalweg::stream<Pair>* answers = nullptr;
  const auto answer = [&](const Pair& request) {
    return Pair{request.rank, request.index, table[request.value & (places - 1)]};
  };
  thalweg::stream<Pair> requests(MPI_COMM_WORLD, [&](const Pair& request) {
    answers->send(static_cast<int>(request.rank), answer(request));
  });
  thalweg::stream<Pair> replies(MPI_COMM_WORLD, take);
  answers = &replies;
  Bulk<Pair> bulk;
  const auto request = [](Random& random, std::size_t number) {
    const Word next = random.next();
    return std::pair(Random::rank_of(next),
                     Pair{static_cast<std::uint32_t>(own_rank), static_cast<std::uint32_t>(number), next});
  };
  measure("gather/16", rounds, static_cast<double>(items),
          {{"stream",
            [&] {
              Random random(own_rank);
              for (std::size_t number = 0; number < items; ++number) {
                const auto [rank, pair] = request(random, number);
                requests.send(rank, pair);
              }
              requests.finish();
              replies.finish();
            }},
           {"bulk",
            [&] {
              Random random(own_rank);
              std::size_t number = 0;
              std::vector<Pair> answered;
              bulk.run(
                  items, [&] { return request(random, number++); },
                  [&](const Pair& pair) { answered.push_back(answer(pair)); });
              // Ranks are given different numbers of requests: all send back as many parts.
              Word own = answered.size(), max = 0;
              MPI_Allreduce(&own, &max, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
              std::size_t next = 0;
              const auto reply = [&] {
                const Pair& pair = answered[next++];
                return std::pair(static_cast<int>(pair.rank), pair);
              };
              for (std::size_t part = 0; part < max; part += Bulk<Pair>::part)
                bulk.run_part(std::min(answered.size() - next, Bulk<Pair>::part), reply, take);
            }}},
          [&] { return std::exchange(sum, 0); });
}

/// So many items of 32 bytes from each rank to each, then the end.
void everybody(int rounds, int each) {
  using T = Item<32>;
  Word sum = 0;
  const auto add = [&](const T& item) { sum += item.words[0]; };
  thalweg::stream<T> stream(MPI_COMM_WORLD, add);
  Aggregator<T> aggregator(MPI_COMM_WORLD, [&](std::span<const T> all) {
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

void idle(int rounds) {
  thalweg::stream<Item<8>> stream(MPI_COMM_WORLD, [](const Item<8>&) {});
  constexpr int phases = 2000;
  measure("idle", rounds, phases,
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

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &all_ranks);
  if (argc != 3) {
    if (own_rank == 0)
      std::fprintf(stderr, "streams ROUNDS ITEMS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int rounds = std::atoi(argv[1]);
  const auto items = static_cast<std::size_t>(std::atoll(argv[2]));
  constexpr std::size_t small = 4096, large = std::size_t{4} << 20; // 32 KiB, 32 MiB
  histogram<8>("8/small", rounds, items, small);
  histogram<8>("8/large", rounds, items, large);
  histogram<32>("32/small", rounds, items, small);
  histogram<32>("32/large", rounds, items, large);
  gather(rounds, items / 4);
  for (const int each : {1, 2, 4, 10, 50})
    everybody(rounds, each);
  idle(rounds);
  MPI_Finalize();
}
