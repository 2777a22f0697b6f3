// SPDX-License-Identifier: BSD-3-Clause
#include "harness.hpp"

#include <cstdio>
#include <ctime>
#include <mpi.h>

namespace thalweg::bench {

namespace {

double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Times {
  double wall_s, cpu_s;
};

/// The slowest rank's wall time, and the mean of the ranks' CPU times.
Times times_of(const Way& way) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = MPI_Wtime();
  const double begin_cpu_s = cpu_s();
  way.run();
  const double own_cpu_s = cpu_s() - begin_cpu_s;
  const double own_s = MPI_Wtime() - begin_s;
  Times all{};
  MPI_Allreduce(&own_s, &all.wall_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&own_cpu_s, &all.cpu_s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return {all.wall_s, all.cpu_s / all_ranks};
}

void check(const std::string& name, const Way& way, Word found, Word expected) {
  if (found == expected)
    return;
  std::fprintf(stderr, "streams: %s by %s came to %llx, not %llx\n", name.c_str(), way.name.c_str(),
               static_cast<unsigned long long>(found), static_cast<unsigned long long>(expected));
  MPI_Abort(MPI_COMM_WORLD, 2);
}

} // namespace

Word sum_of_ranks(Word own) {
  Word sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

void measure(const std::string& name, int rounds, double items, const std::vector<Way>& ways,
             const std::function<Word()>& sum, const Word* expected) {
  Word first_sum = 0;
  for (int round = -1; round < rounds; ++round) // the first one warms up
    for (std::size_t turn = 0; turn < ways.size(); ++turn) {
      const Way& way = ways[(turn + static_cast<std::size_t>(round + 1)) % ways.size()];
      sum();
      const Times times = times_of(way);
      const Word found = sum_of_ranks(sum());
      if (expected == nullptr) {
        first_sum = found;
        expected = &first_sum;
      }
      check(name, way, found, *expected);
      if (own_rank == 0 && round >= 0)
        std::printf("%s %d %s %.4f %.4f\n", name.c_str(), round, way.name.c_str(), times.wall_s / items * 1e9,
                    times.cpu_s / items * 1e9);
      std::fflush(stdout);
    }
}

} // namespace thalweg::bench
