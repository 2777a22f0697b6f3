// SPDX-License-Identifier: BSD-3-Clause

// A stream may be freed in the middle of a phase, by each rank when it likes, as where an exception ends a
// program's scope. Its items are lost then. Streams that come later have theirs all the same: no message of
// the lost ones is taken for one of theirs.

#include "checks.hpp"
#include "thalweg/stream.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>

namespace {

using checks::require;

constexpr int rounds = 10;
constexpr std::uint64_t items = 3000;

struct Item {
  std::uint64_t number;
  std::uint64_t round;
};

/// Rank 0 has freed its part before the others send to it, and to each other.
void leave_unfinished(int rank, int ranks) {
  auto stream = std::make_unique<thalweg::stream<Item>>(MPI_COMM_WORLD, [](const Item&) {});
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    stream.reset();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    return;
  for (std::uint64_t number = 0; number < items; ++number)
    stream->send(static_cast<int>(number % static_cast<std::uint64_t>(ranks)), {number, rounds});
  stream->flush();
}

/// All items of the next stream come, in order, and no others.
void use_another(int rank, int ranks, std::uint64_t round) {
  std::uint64_t taken = 0;
  thalweg::stream<Item> stream(MPI_COMM_WORLD, [&](const Item& item) {
    require(item.round == round && item.number == taken, "an item of %s", "another stream");
    ++taken;
  });
  const int to = (rank + 1) % ranks;
  for (std::uint64_t number = 0; number < items; ++number)
    stream.send(to, {number, round});
  stream.finish();
  require(taken == items, "items are %s", "missing");
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    leave_unfinished(rank, ranks);
    use_another(rank, ranks, round);
  }
  if (rank == 0)
    std::puts("all right");
  MPI_Finalize();
}
