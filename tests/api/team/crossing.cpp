// SPDX-License-Identifier: BSD-3-Clause

// Whoever waits in one team lets other teams go on that it is in as well: ranks may wait for what they have
// started in any order. Rank 1 is amid two chains. It waits in the second team, while rank 2 waits for what
// rank 1 has to pass on in the first one; only then rank 0 begins what rank 1 waits for.

#include "checks.hpp"
#include "thalweg/team.hpp"

#include <cstdio>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace {

using thalweg::request;
using thalweg::team;

struct Case {
  std::string name;
  std::function<void(team&)> call; ///< in which rank 1 waits for rank 0
};

/// What each call moves.
struct Buffers {
  explicit Buffers(const team& all) : whole(row.size() * static_cast<std::size_t>(all.size())) {}
  std::span<const double> in() const { return row; }
  std::vector<double> row = std::vector<double>(64, 1.0);
  std::vector<double> out = row;
  std::vector<double> whole;
};

std::vector<Case> cases(Buffers& b) {
  return {
      {"wait", [&](team& t) { t.start().broadcast(std::span(b.row), 0).wait(); }},
      {"test",
       [&](team& t) {
         request one = t.start().broadcast(std::span(b.row), 0);
         while (!one.test()) {
         }
       }},
      {"broadcast", [&](team& t) { t.broadcast(std::span(b.row), 0); }},
      {"allreduce", [&](team& t) { t.allreduce(b.in(), std::span(b.out), MPI_SUM); }},
      {"allgather", [&](team& t) { t.allgather(b.in(), std::span(b.whole), thalweg::strict); }},
      {"barrier", [](team& t) { t.barrier(); }},
      {"complete",
       [&](team& t) {
         t.broadcast(std::span(b.row), 0, thalweg::loose);
         t.complete();
       }},
      {"split", [](team& t) { t.split(t.rank() % 2); }},
      {"allocate",
       [](team& t) {
         thalweg::symmetric_memory<int> memory = t.allocate<int>(1);
         t.release(memory);
       }},
      {"receive",
       [&](team& t) {
         if (t.rank() == 0)
           t.send(b.in(), 1, 5);
         if (t.rank() == 1)
           t.receive(std::span(b.out), 0, 5);
       }},
  };
}

void pass_word(int from, int to, int rank) {
  if (rank == from)
    MPI_Send(nullptr, 0, MPI_BYTE, to, 0, MPI_COMM_WORLD);
  if (rank == to)
    MPI_Recv(nullptr, 0, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void run(const Case& one, team& first, team& second, double number) {
  const int rank = first.rank();
  std::vector<double> passed(100, rank == 0 ? number : 0);
  if (rank == 0)
    pass_word(1, 0, rank); // the chain's data comes only when rank 1 has begun, and waits elsewhere
  request chain = first.start().broadcast(std::span(passed), 0);
  if (rank == 1)
    pass_word(1, 0, rank);
  if (rank == 2) {
    chain.wait();
    pass_word(2, 0, rank);
  }
  if (rank == 0) {
    chain.wait();
    pass_word(2, 0, rank);
  }
  one.call(second);
  chain.wait();
  checks::require(passed.back() == number, "what was passed on while a rank waited: %s", one.name.c_str());
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    team first(MPI_COMM_WORLD);
    first.use("broadcast=chain");
    team second(MPI_COMM_WORLD);
    second.use("broadcast=chain");
    second.open_inboxes();
    Buffers buffers(second);
    double number = 1;
    for (const Case& one : cases(buffers))
      run(one, first, second, number++);
    if (first.rank() == 0)
      std::puts("all right");
  }
  MPI_Finalize();
}
