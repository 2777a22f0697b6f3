// Calls of objects against what a program does without them, in turns. Prints lines: case, round, way, and
// wall and processor time in nanoseconds for each call.
//
//   local: an entry method that calls another one of its element, and so on; by hand a queue of functions
//   remote: calls from rank 0 to the last rank's element; by hand a message for each
//   ring: tokens go round all ranks, one element on each; by hand a message for each hop

#include "thalweg/objects.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <functional>

namespace {

struct Cell : thalweg::element<Cell> {
  std::int64_t got = 0;
  void chain(std::int64_t left) {
    if (left > 0)
      array()[at()].call<&Cell::chain>(left - 1);
  }
  void take(std::int64_t value) { got += value; }
  void pass(std::int64_t left) {
    if (left > 0)
      array()[{(at()[0] + 1) % array().shape()[0]}].call<&Cell::pass>(left - 1);
  }
};

struct Job {
  int rank = 0;
  int ranks = 1;
  std::int64_t calls = 0;
  int tokens = 0;
  std::int64_t hops() const { return calls / tokens / ranks * ranks; } // of a token
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <typename Work>
void time(const Job& job, const char* name, int round, const char* way, std::int64_t calls, Work work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double wall = MPI_Wtime();
  const double processor = processor_seconds();
  work();
  double spent[2] = {MPI_Wtime() - wall, processor_seconds() - processor};
  MPI_Allreduce(MPI_IN_PLACE, &spent[0], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &spent[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (job.rank == 0)
    std::printf("%s %d %s %.2f %.2f\n", name, round, way, 1e9 * spent[0] / static_cast<double>(calls),
                1e9 * spent[1] / static_cast<double>(calls));
}

void chain_by_hand(std::int64_t calls) {
  std::deque<std::function<void()>> queue;
  std::function<void(std::int64_t)> chain = [&](std::int64_t left) {
    if (left > 0)
      queue.emplace_back([&chain, left] { chain(left - 1); });
  };
  for (chain(calls); !queue.empty(); queue.pop_front())
    queue.front()();
}

void messages_by_hand(const Job& job) {
  std::int64_t value = 1;
  for (std::int64_t i = 0; i < job.calls; ++i)
    if (job.rank == 0)
      MPI_Send(&value, 1, MPI_INT64_T, job.ranks - 1, 0, MPI_COMM_WORLD);
    else if (job.rank == job.ranks - 1)
      MPI_Recv(&value, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void ring_by_hand(const Job& job) {
  const int next = (job.rank + 1) % job.ranks;
  const int before = (job.rank + job.ranks - 1) % job.ranks;
  std::int64_t left = job.hops();
  for (int token = 0; job.rank == 0 && token < job.tokens; ++token)
    MPI_Send(&left, 1, MPI_INT64_T, next, 0, MPI_COMM_WORLD);
  for (std::int64_t i = 0; i < job.hops() / job.ranks * job.tokens; ++i) {
    MPI_Recv(&left, 1, MPI_INT64_T, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (--left > 0)
      MPI_Send(&left, 1, MPI_INT64_T, next, 0, MPI_COMM_WORLD);
  }
}

void run_round(const Job& job, int round) {
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {job.ranks});
  const auto first = cells[{0}];
  time(job, "local", round, "objects", job.calls, [&] {
    if (job.rank == 0)
      first.call<&Cell::chain>(job.calls);
    cells.finish();
  });
  time(job, "local", round, "functions", job.calls, [&] {
    if (job.rank == 0)
      chain_by_hand(job.calls);
  });
  if (job.ranks == 1)
    return;
  time(job, "remote", round, "objects", job.calls, [&] {
    const auto last = cells[{job.ranks - 1}];
    for (std::int64_t i = 0; job.rank == 0 && i < job.calls; ++i)
      last.call<&Cell::take>(1);
    cells.finish();
  });
  time(job, "remote", round, "messages", job.calls, [&] { messages_by_hand(job); });
  const std::int64_t hops = job.hops() * job.tokens;
  time(job, "ring", round, "objects", hops, [&] {
    for (int token = 0; job.rank == 0 && token < job.tokens; ++token)
      first.call<&Cell::pass>(job.hops());
    cells.finish();
  });
  time(job, "ring", round, "messages", hops, [&] { ring_by_hand(job); });
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) {
    std::fputs("usage: objects ROUNDS CALLS\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  job.calls = std::strtoll(argv[2], nullptr, 10);
  job.tokens = 500; // as in the source's measurements
  for (int round = 0; round < std::atoi(argv[1]); ++round)
    run_round(job, round);
  MPI_Finalize();
}
