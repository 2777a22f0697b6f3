// SPDX-License-Identifier: BSD-3-Clause

/// Counts keys in a hash table that is spread over all ranks, and looks them up; see README.md.

#include "common/blocks.hpp"
#include "common/mpi_session.hpp"
#include "hash_table/table.hpp"

#include <fmt/format.h>

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::hash_table;

/// Small keys are drawn more often than large ones, as words of a text are.
Key drawn(std::uint64_t seed, std::int64_t index, std::uint64_t distinct) {
  std::uint64_t const number = random_word(seed, static_cast<std::uint64_t>(index));
  std::uint64_t const among = (number >> 32U) % distinct + 1;
  return mix((number & 0xffffffffU) % among + 1); // a bijection, so that no key is 0
}

/// What the ranks have summed up, modulo 2^64.
std::uint64_t sum_of(std::uint64_t mine, Group const& world) {
  std::uint64_t total = 0;
  MPI_Allreduce(&mine, &total, 1, MPI_UINT64_T, MPI_SUM, world.communicator);
  return total;
}

/// A sum over the table, which is the same sum over the keys that were counted.
struct Sums {
  std::uint64_t hash = 0;    ///< of each key, as often as it was counted
  std::uint64_t squares = 0; ///< of counts: what looking up all keys finds
  std::uint64_t keys = 0;
};

Sums sums_of(std::span<Slot const> slots, Group const& world) {
  Sums sums;
  for (Slot const& slot : slots) {
    sums.hash += mix(slot.key + 1) * slot.count;
    sums.squares += slot.count * slot.count;
    sums.keys += slot.key != 0 ? 1 : 0;
  }
  return {sum_of(sums.hash, world), sum_of(sums.squares, world), sum_of(sums.keys, world)};
}

template <typename Work>
double slowest_seconds(Group const& world, Work const& work) {
  MPI_Barrier(world.communicator);
  double const begin_s = MPI_Wtime();
  work();
  double const mine_s = MPI_Wtime() - begin_s;
  double slowest_s = 0;
  MPI_Allreduce(&mine_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, world.communicator);
  return slowest_s;
}

bool run(Group const& world, Options const& options) {
  std::int64_t const total = options.integer("keys", 0, INT32_MAX);
  auto const distinct = static_cast<std::uint64_t>(options.integer("distinct", 1, INT32_MAX));
  auto const room = static_cast<std::uint64_t>(options.integer("room", 1, 1000));
  auto const batch = static_cast<std::size_t>(options.integer("batch", 1, 1'000'000));
  auto const seed = static_cast<std::uint64_t>(options.integer("seed", 0, INT64_MAX));
  bool const on_team = options.choice("on", {"team", "window"}) == 0;

  Range const mine = part_of({0, total}, world.ranks, world.rank);
  std::vector<Key> keys;
  std::uint64_t hash = 0;
  for (std::int64_t i = mine.begin; i < mine.end; ++i) {
    keys.push_back(drawn(seed, i, distinct));
    hash += mix(keys.back() + 1);
  }
  auto const slots = static_cast<std::size_t>(room * distinct / static_cast<std::uint64_t>(world.ranks) + 64);
  std::unique_ptr<Slots> const memory =
      on_team ? slots_of_team(world.communicator, slots) : slots_of_window(world.communicator, slots);
  Table table(*memory, world.ranks, slots, batch);
  double const count_s = slowest_seconds(world, [&] { table.count(keys); });
  std::vector<Count> counts(keys.size());
  double const look_up_s = slowest_seconds(world, [&] { table.look_up(keys, counts); });
  memory->settle(); // all have looked

  std::uint64_t found = 0;
  for (Count const count : counts)
    found += count;
  Sums const sums = sums_of(memory->own(), world);
  bool const right = sum_of(hash, world) == sums.hash && sum_of(found, world) == sums.squares;
  if (world.rank == 0) {
    fmt::print("answer: keys={} distinct={} right={} hash={:016x}\n", total, sums.keys, right ? "yes" : "NO",
               sums.hash);
    fmt::print("time: ranks={} on={} count_s={:.6f} look_up_s={:.6f}\n", world.ranks, options.text("on"),
               count_s, look_up_s);
  }
  return right;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("keys", "200000", "keys that all ranks together count, and then look up")
      .add("distinct", "20000", "there are so many different ones at most")
      .add("room", "2", "slots for each of these")
      .add("batch", "256", "keys that a rank works on at a time")
      .add("on", "team", "team, or window: the same program on MPI's one-sided calls")
      .add("seed", "1", "of the keys");
  return run_example(argc, argv, options, run);
}
