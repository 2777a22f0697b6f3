// SPDX-License-Identifier: BSD-3-Clause
#include "thalweg/team.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  thalweg::team all(MPI_COMM_WORLD);
  auto halo = all.allocate<double>(1);           // on every rank: the last value of the rank before
  auto arrived = all.allocate<std::uint64_t>(1); // and the signal that it is there
  auto tickets = all.allocate<std::uint64_t>(1);
  const int next = (all.rank() + 1) % all.size();
  const double mine = 10 * all.rank();
  all.put(halo, next, 0, std::span(&mine, 1), thalweg::set_signal(arrived, 0, 1));
  all.wait(arrived, 0, thalweg::condition::equal, 1);
  std::uint64_t ticket = 0;
  all.fetch_add(tickets, 0, 0, 1, ticket); // at rank 0: no two ranks get the same
  std::printf("rank %d: halo %g, ticket %s\n", all.rank(), halo[0], ticket < 3 ? "drawn" : "none");
  all.free();
  MPI_Finalize();
}
