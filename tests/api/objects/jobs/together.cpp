// SPDX-License-Identifier: BSD-3-Clause

// Objects beside the program's own MPI: messages from any source with any tag and a nonblocking collective
// are under way while entry methods run, which send by MPI themselves. Nothing takes what is another's.

#include "checks.hpp"
#include "thalweg/objects.hpp"

#include <numeric>
#include <random>

namespace {

using checks::mixed;
using checks::require;

constexpr std::size_t words_of_long = 5000; // no message of a stream any more

struct Cell : thalweg::element<Cell> {
  std::uint64_t got = 0;
  static inline std::vector<MPI_Request>* sends = nullptr;
  static inline std::vector<std::unique_ptr<std::vector<std::uint64_t>>>* sent = nullptr;

  /// Calls another one with as many words as it sends a rank by MPI.
  void go(std::uint64_t seed, int hops) {
    const std::size_t words = mixed(seed + 1) % 8 == 0 ? words_of_long : 1 + seed % 100;
    sent->push_back(std::make_unique<std::vector<std::uint64_t>>(words, seed));
    sends->push_back(MPI_REQUEST_NULL);
    MPI_Isend(sent->back()->data(), static_cast<int>(words), MPI_UINT64_T,
              static_cast<int>(seed % static_cast<std::uint64_t>(array().ranks())),
              static_cast<int>(seed % 3), MPI_COMM_WORLD, &sends->back());
    array()[{static_cast<std::int64_t>(mixed(seed) % array().size())}].call<&Cell::take>(*sent->back());
    if (hops > 0)
      array()[{static_cast<std::int64_t>(mixed(seed + 2) % array().size())}].call<&Cell::go>(mixed(seed + 3),
                                                                                             hops - 1);
  }
  void take(std::span<const std::uint64_t> words) {
    require(words.front() == words.back(), "%s", "a call has another message's words");
    got += words.front();
  }
};

/// What a walk sends each rank by MPI, and calls with.
struct Expected {
  std::vector<int> messages;
  std::uint64_t sum = 0;
  void follow(std::uint64_t seed, int hops) {
    for (; hops >= 0; --hops, seed = mixed(seed + 3)) {
      ++messages[static_cast<std::size_t>(seed % messages.size())];
      sum += seed;
    }
  }
};

void run_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<MPI_Request> sends;
  std::vector<std::unique_ptr<std::vector<std::uint64_t>>> sent;
  Cell::sends = &sends;
  Cell::sent = &sent;
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {static_cast<std::int64_t>(1 + random() % 20)});
  const int ranks = cells.ranks();
  Expected expected{std::vector<int>(static_cast<std::size_t>(ranks))};
  for (int walk = 0; walk < 10; ++walk) {
    const std::uint64_t first = random();
    const int hops = static_cast<int>(random() % 10);
    expected.follow(first, hops);
    if (walk % ranks == cells.rank())
      cells[{static_cast<std::int64_t>(first % cells.size())}].call<&Cell::go>(first, hops);
  }
  const int mine = expected.messages[static_cast<std::size_t>(cells.rank())];
  std::vector<std::vector<std::uint64_t>> arrived(static_cast<std::size_t>(mine),
                                                  std::vector<std::uint64_t>(words_of_long));
  std::vector<MPI_Request> receives(arrived.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < arrived.size(); ++i)
    MPI_Irecv(arrived[i].data(), static_cast<int>(words_of_long), MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG,
              MPI_COMM_WORLD, &receives[i]);
  int highest = cells.rank();
  MPI_Request collective = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &collective);
  random() % 2 == 0 ? cells.finish() : (void)cells.fence();
  MPI_Wait(&collective, MPI_STATUS_IGNORE);
  MPI_Waitall(mine, receives.data(), MPI_STATUSES_IGNORE);
  MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
  require(highest == ranks - 1, "seed %d: a collective differs", static_cast<int>(seed));
  std::uint64_t sums[2] = {0, 0}; // of messages, and of calls
  for (const auto& one : arrived)
    sums[0] += one.front();
  cells.each([&](const Cell& cell, const auto&) { sums[1] += cell.got; });
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  require(sums[0] == expected.sum && sums[1] == expected.sum, "seed %d: messages or calls differ",
          static_cast<int>(seed));
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    run_program(seed);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::puts("all right");
  MPI_Finalize();
}
