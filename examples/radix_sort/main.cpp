// SPDX-License-Identifier: BSD-3-Clause

/// Sorts 64-bit keys over all ranks, again and again, and checks the result; see README.md.

#include "radix_sort/digits.hpp"
#include "radix_sort/sort.hpp"
#include "radix_sort/verify.hpp"

#include <fmt/format.h>

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::radix_sort;

double slowest_rank(double seconds, Group const& world) {
  double slowest = 0;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, world.communicator);
  return slowest;
}

bool run(Group const& world, Options const& options) {
  // Positions and counts of one rank must fit MPI's int.
  std::int64_t const keys_per_rank = options.integer("keys-per-rank", 1, 1 << 28);
  int const passes = static_cast<int>(options.integer("passes", 1, 4));
  auto const seed = static_cast<std::uint64_t>(options.integer("seed", 0, INT64_MAX));
  std::int64_t const repeats = options.integer("repeat", 1, 1'000'000);

  bool right = true;
  std::uint64_t hash = 0;
  SortTime time;
  for (std::int64_t i = 0; i < repeats; ++i) {
    std::vector<Key> keys = generate_keys(seed + static_cast<std::uint64_t>(i), world.rank * keys_per_rank,
                                          keys_per_rank, passes * digit_bits);
    Multiset const before = multiset_of(keys, world);
    SortTime const once = sort_keys(keys, passes, world);
    time.total_s += once.total_s;
    time.exchange_s += once.exchange_s;
    right = right && multiset_of(keys, world) == before && is_sorted_globally(keys, world);
    hash += sequence_hash(keys, world);
  }

  double const total_s = slowest_rank(time.total_s, world);
  double const exchange_s = slowest_rank(time.exchange_s, world);
  if (world.rank == 0) {
    fmt::print("answer: keys={} passes={} sorted={} hash={:016x}\n", keys_per_rank * world.ranks, passes,
               right ? "yes" : "NO", hash);
    fmt::print("time: ranks={} repeats={} sort_s={:.6f} exchange_s={:.6f}\n", world.ranks, repeats, total_s,
               exchange_s);
  }
  return right;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("keys-per-rank", "100000", "keys on every rank")
      .add("passes", "4", "passes of 16 bits; keys have 16 bits for each")
      .add("seed", "1", "seed of the keys")
      .add("repeat", "1", "sorts, each of fresh keys");
  return run_example(argc, argv, options, run);
}
