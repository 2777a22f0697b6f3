// SPDX-License-Identifier: BSD-3-Clause

// A team learns while it runs: results stay right whatever is tried, with calls of several kinds in turns,
// and sums of floating-point numbers keep all their bits. The report says what was tried
// (test_learning_teams.py).

#include "checks.hpp"
#include "thalweg/team.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

constexpr int calls = 400;

void check_sums(thalweg::team& team, int call) {
  const std::vector<std::int64_t> mine(100, team.rank() + call);
  std::vector<std::int64_t> sums(mine.size());
  team.allreduce(std::span(mine), std::span(sums), MPI_SUM); // learned
  const std::int64_t expected = team.size() * (team.size() - 1) / 2 + std::int64_t{team.size()} * call;
  for (const std::int64_t sum : sums)
    checks::require(sum == expected, "call %d: a sum", call);
}

// What is rounded comes out alike each time.
void check_bits(thalweg::team& team, std::vector<double>& before) {
  const std::vector<double> mine(33, std::sqrt(2.0 + team.rank()));
  std::vector<double> sums(mine.size());
  team.allreduce(std::span(mine), std::span(sums), MPI_SUM); // not learned
  checks::require(before.empty() || std::memcmp(before.data(), sums.data(), 33 * sizeof(double)) == 0, "%s",
                  "other bits than before");
  before = sums;
}

void check_gathered(thalweg::team& team, int call) {
  const std::int32_t mine = 1000 * call + team.rank();
  std::vector<std::int32_t> all(static_cast<std::size_t>(team.size()));
  team.allgather(std::span(&mine, 1), std::span(all), thalweg::strict);
  for (int rank = 0; rank < team.size(); ++rank)
    checks::require(all[static_cast<std::size_t>(rank)] == 1000 * call + rank, "call %d: gathered", call);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  thalweg::team all(MPI_COMM_WORLD);
  thalweg::team part = all.split(all.rank() % 2);
  std::vector<double> before;
  std::vector<double> before_in_part;
  for (int call = 0; call < calls; ++call) {
    check_sums(all, call);
    check_bits(all, before);
    check_gathered(all, call);
    check_sums(part, call);
    check_bits(part, before_in_part);
    if (call % 50 == 0)
      all.broadcast(std::span(before), call % all.size(), thalweg::loose);
    all.barrier();
  }
  if (all.rank() == 0)
    std::printf("all right\n");
  part.free();
  all.free();
  MPI_Finalize();
}
