// SPDX-License-Identifier: BSD-3-Clause

/// Radix sort by objects that send each other keys; see README.md.

#include "common/blocks.hpp"
#include "radix_sort/digits.hpp"
#include "radix_sort/sort.hpp"
#include "radix_sort/verify.hpp"
#include "radix_sort_objects/sorter.hpp"

#include <fmt/format.h>
#include <optional>

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::radix_sort_objects;
using namespace thalweg::examples::radix_sort;

std::vector<Key> sort_by_objects(std::vector<Key> const& keys, int passes, std::int64_t objects,
                                 std::string const& strategy, Group const& world) {
  sorters = world.ranks * objects;
  thalweg::array<Sorter> all(world.communicator, {sorters});
  std::optional<thalweg::association<Sorter>> bracketed;
  if (strategy != "alone")
    bracketed.emplace(all, strategy);
  exchange = bracketed ? &*bracketed : nullptr;
  all.each([&](Sorter& sorter, auto const& at) {
    Range const part = part_of({0, static_cast<std::int64_t>(keys.size())}, objects, at[0] % objects);
    sorter.begin_with({keys.begin() + part.begin, keys.begin() + part.end});
  });
  if (world.rank == 0)
    all.broadcast<&Sorter::sort>(passes);
  all.finish();
  std::vector<std::vector<Key> const*> parts(static_cast<std::size_t>(objects));
  all.each([&](Sorter const& sorter, auto const& at) {
    parts[static_cast<std::size_t>(at[0] % objects)] = &sorter.keys();
  });
  std::vector<Key> sorted;
  sorted.reserve(keys.size() + keys.size() / 8);
  for (std::vector<Key> const* part : parts)
    sorted.insert(sorted.end(), part->begin(), part->end());
  return sorted;
}

bool run(Group const& world, Options const& options) {
  std::int64_t const keys_per_rank = options.integer("keys-per-rank", 1, 1 << 28);
  std::int64_t const objects = options.integer("objects", 1, 1 << 10);
  int const passes = static_cast<int>(options.integer("passes", 1, 4));
  auto const seed = static_cast<std::uint64_t>(options.integer("seed", 0, INT64_MAX));
  bool const by_objects = options.choice("way", {"mpi", "objects"}) == 1;
  std::vector<Key> keys = generate_keys(seed, world.rank * keys_per_rank, keys_per_rank, passes * digit_bits);
  Multiset const before = multiset_of(keys, world);
  MPI_Barrier(world.communicator);
  double const begin = MPI_Wtime();
  if (by_objects)
    keys = sort_by_objects(keys, passes, objects, options.text("exchange"), world);
  else
    sort_keys(keys, passes, world);
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, world.communicator);
  bool const right = multiset_of(keys, world) == before && is_sorted_globally(keys, world);
  std::uint64_t const hash = sequence_hash(keys, world);
  if (world.rank == 0) {
    fmt::print("answer: keys={} passes={} sorted={} hash={:016x}\n", keys_per_rank * world.ranks, passes,
               right ? "yes" : "NO", hash);
    fmt::print("time: ranks={} way={} seconds={:.6f}\n", world.ranks, options.text("way"), seconds);
  }
  return right;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("keys-per-rank", "100000", "keys on every rank")
      .add("objects", "2", "sorters of each rank")
      .add("passes", "4", "passes of 16 bits; keys have 16 bits for each")
      .add("seed", "1", "seed of the keys")
      .add("exchange", "alone",
           "how objects send keys: alone, or in brackets: direct, mesh, grid, hypercube, stream")
      .add("way", "objects", "objects, or mpi: examples/radix_sort");
  return run_example(argc, argv, options, run);
}
