// SPDX-License-Identifier: BSD-3-Clause

/// HPCC RandomAccess: random updates of a table that is spread over all ranks; see README.md.

#include "common/mpi_session.hpp"
#include "common/ways.hpp"
#include "random_access/table.hpp"

#include <fmt/format.h>

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::random_access;

/// Sends each update to the rank of its word. Gives this rank's seconds.
template <typename Sender>
double send_updates(Sender& updates, Range mine, Owners owners, Group const& world) {
  MPI_Barrier(world.communicator);
  double const begin_s = MPI_Wtime();
  Word word = starts(mine.begin);
  for (std::int64_t i = mine.begin; i < mine.end; ++i) {
    word = next(word);
    updates.send(owners.of(word), word);
  }
  updates.finish();
  return MPI_Wtime() - begin_s;
}

double update(Table& table, Range mine, Owners const& owners, Way const& way, Group const& world) {
  auto const apply = [&table](std::span<Word const> words) {
    for (Word const word : words)
      table.apply(word);
  };
  if (way.is_stream) {
    thalweg::stream<Word> updates(world.communicator, apply, way.stream);
    return send_updates(updates, mine, owners, world);
  }
  Aggregator<Word> updates(world.communicator, apply, way.by_hand);
  return send_updates(updates, mine, owners, world);
}

bool run(Group const& world, Options const& options) {
  int const bits = static_cast<int>(options.integer("bits", 1, 40));
  Table table(bits, world);
  std::int64_t const asked = options.integer("updates", 0, INT64_MAX / 2);
  std::int64_t const updates = asked == 0 ? 4 * table.size() : asked;
  auto const pending = static_cast<std::size_t>(options.integer("pending", 0, INT32_MAX));
  bool const verifies = options.choice("verify", {"no", "yes"}) == 1;

  double const mine_s = update(table, table.part_of_updates(updates), Owners(bits, world.ranks),
                               way_of(options, pending), world);
  double slowest_s = 0;
  MPI_Reduce(&mine_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, 0, world.communicator);
  Word const hash = table.hash();
  std::int64_t const errors = verifies ? table.undo(updates) : 0;
  if (world.rank == 0) {
    fmt::print("answer: words={} updates={} errors={} hash={:016x}\n", table.size(), updates,
               verifies ? std::to_string(errors) : "?", hash);
    fmt::print("time: ranks={} way={} pending={} seconds={:.6f} gups={:.6f}\n", world.ranks,
               options.text("way"), pending, slowest_s, static_cast<double>(updates) / slowest_s * 1e-9);
  }
  return errors == 0;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("bits", "20", "the table has 2 to this power words of 64 bits")
      .add("updates", "0", "of all ranks together; 0: four for each word, as HPCC has it")
      .add("pending", "1024", "updates that wait in a rank's buffers at most, HPCC's rule; 0: no rule")
      .add("verify", "yes", "do all updates again and look for words that are wrong, or no");
  add_way_options(options);
  return run_example(argc, argv, options, run);
}
