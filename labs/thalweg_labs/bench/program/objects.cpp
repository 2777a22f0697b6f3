// SPDX-License-Identifier: BSD-3-Clause

// Calls of objects against what a program does without them, in turns. Prints lines: case, round, way, and
// wall and processor time in nanoseconds for each call.
//
//   local: an entry method that calls another one of its element, and so on; by hand a queue of functions
//   remote: calls from rank 0 to the last rank's element; by hand a message for each
//   ring: tokens go round all ranks, one element on each; by hand a message for each hop
//   alltoall: each element calls all others several times, and goes on when it was called as often; by hand
//   messages
//
//   fence: all of 100,000 elements have run, and may move to where there is time; by hand all ranks wait for
//   all
//
// Rings and all-to-all are Kumar's (2005, section 5.8), and alone where numbers of tokens and of calls are
// given.

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

  std::int64_t each = 0; // calls of each other element in a step
  std::int64_t step = 0;
  std::int64_t steps = 0;
  std::int64_t called[2] = {0, 0}; // in this step and the next one: nobody is further ahead
  void exchange(std::int64_t calls, std::int64_t of_steps) {
    each = calls;
    step = 0;
    steps = of_steps;
    call_others();
  }
  void call_others() {
    const std::int64_t elements = array().shape()[0];
    for (std::int64_t other = 1; other < elements; ++other)
      for (std::int64_t i = 0; i < each; ++i)
        array()[{(at()[0] + other) % elements}].call<&Cell::be_called>(step);
  }
  void be_called(std::int64_t of_step) {
    ++called[of_step % 2];
    while (step < steps && each > 0 && called[step % 2] == each * (array().shape()[0] - 1)) {
      called[step++ % 2] = 0;
      if (step < steps)
        call_others();
    }
  }
};

/// One that moves, half of them with more to do.
struct Mover : thalweg::element<Mover> {
  static constexpr bool moves = true;
  double value = 1;
  void work() {
    for (std::int64_t i = 0; i < 200 + 200 * (at()[0] % 2); ++i)
      value += 1 / value;
  }
};

struct Job {
  int rank = 0;
  int ranks = 1;
  std::int64_t calls = 0;
  int tokens = 0;
  int each = 0; // calls of each other rank, in all-to-all
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

void exchange_by_hand(const Job& job, std::int64_t steps) {
  std::int64_t value = 0;
  std::vector<std::int64_t> got(static_cast<std::size_t>(job.ranks) * static_cast<std::size_t>(job.each));
  std::vector<MPI_Request> requests;
  for (; steps > 0; --steps) {
    requests.clear();
    auto to = got.begin();
    for (int other = 1; other < job.ranks; ++other)
      for (int i = 0; i < job.each; ++i)
        MPI_Irecv(&*to++, 1, MPI_INT64_T, (job.rank + other) % job.ranks, 0, MPI_COMM_WORLD,
                  &requests.emplace_back());
    for (int other = 1; other < job.ranks; ++other)
      for (int i = 0; i < job.each; ++i)
        MPI_Isend(&value, 1, MPI_INT64_T, (job.rank + other) % job.ranks, 0, MPI_COMM_WORLD,
                  &requests.emplace_back());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
}

void time_ring(const Job& job, int round, thalweg::array<Cell>& cells) {
  const std::int64_t hops = job.hops() * job.tokens;
  time(job, "ring", round, "objects", hops, [&] {
    for (int token = 0; job.rank == 0 && token < job.tokens; ++token)
      cells[{0}].call<&Cell::pass>(job.hops());
    cells.finish();
  });
  time(job, "ring", round, "messages", hops, [&] { ring_by_hand(job); });
}

void time_exchange(const Job& job, int round, thalweg::array<Cell>& cells) {
  const std::int64_t of_step = std::int64_t{job.each} * job.ranks * (job.ranks - 1);
  const std::int64_t steps = std::max<std::int64_t>(job.calls / of_step, 1);
  time(job, "alltoall", round, "objects", steps * of_step, [&] {
    if (job.rank == 0)
      cells.broadcast<&Cell::exchange>(job.each, steps);
    cells.finish();
  });
  time(job, "alltoall", round, "messages", steps * of_step, [&] { exchange_by_hand(job, steps); });
}

void time_fence(const Job& job, int round, thalweg::array<Mover>& movers) {
  if (job.rank == 0)
    movers.broadcast<&Mover::work>();
  movers.finish();
  time(job, "fence", round, "objects", 1, [&] { movers.fence(); });
  time(job, "fence", round, "barrier", 1, [&] { MPI_Barrier(MPI_COMM_WORLD); });
}

void run_round(const Job& job, int round) {
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {job.ranks});
  if (job.each > 0) {
    time_ring(job, round, cells);
    time_exchange(job, round, cells);
    return;
  }
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
  time_ring(job, round, cells);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3 && argc != 5) {
    std::fputs("usage: objects ROUNDS CALLS [TOKENS CALLS_OF_EACH]\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  job.calls = std::strtoll(argv[2], nullptr, 10);
  job.tokens = argc > 3 ? std::atoi(argv[3]) : 500; // as in the source's measurements
  job.each = argc > 4 ? std::atoi(argv[4]) : 0;
  if (job.tokens < 1 || job.ranks < 2)
    job.each = 0;
  for (int round = 0; round < std::atoi(argv[1]); ++round)
    run_round(job, round);
  if (job.each == 0 && job.ranks > 1) {
    thalweg::array<Mover> movers(MPI_COMM_WORLD, {100'000});
    for (int round = 0; round < std::atoi(argv[1]); ++round)
      time_fence(job, round, movers);
  }
  MPI_Finalize();
}
