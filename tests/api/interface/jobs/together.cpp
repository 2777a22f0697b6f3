// SPDX-License-Identifier: BSD-3-Clause

// All public headers in one file, and what they have in one program: names of one are not another's, and what
// is under way in one lets the others go on.

#include "checks.hpp"
#include "thalweg/balance.hpp"
#include "thalweg/balance_tasks.hpp"
#include "thalweg/control.h"
#include "thalweg/interposer.h"
#include "thalweg/locators.hpp"
#include "thalweg/nic.h"
#include "thalweg/nic_operator.h"
#include "thalweg/objects.hpp"
#include "thalweg/place.hpp"
#include "thalweg/stream.hpp"
#include "thalweg/stream_serialized.hpp"
#include "thalweg/team.hpp"
#include "thalweg/thalweg.h"

namespace {

using checks::require;

struct Cell : thalweg::element<Cell> {
  std::uint64_t sum = 0;
  void add(std::uint64_t value) { sum += value; }
};

void run_program(int rank, int ranks) {
  std::uint64_t items = 0;
  thalweg::stream<std::uint64_t> stream(MPI_COMM_WORLD, [&](std::uint64_t value) { items += value; });
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {ranks});
  thalweg::team team(MPI_COMM_WORLD);
  const std::uint64_t own = static_cast<std::uint64_t>(rank) + 1;
  std::uint64_t all = 0;
  for (int to = 0; to < ranks; ++to) {
    stream.send(to, own);
    cells[{to}].call<&Cell::add>(own);
  }
  thalweg::request sum = team.start().allreduce(std::span(&own, 1), std::span(&all, 1), MPI_SUM);
  cells.finish();
  stream.finish();
  sum.wait();
  const auto expected = static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(ranks + 1) / 2;
  require(items == expected, "%s", "the stream has lost items");
  require(all == expected, "%s", "the team has another sum");
  cells.each([&](Cell& cell, auto) { require(cell.sum == expected, "%s", "the array has lost calls"); });
  team.free();
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  run_program(rank, ranks);
  if (rank == 0)
    std::puts("all right");
  MPI_Finalize();
}
