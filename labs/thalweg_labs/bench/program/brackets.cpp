// SPDX-License-Identifier: BSD-3-Clause

// Calls in brackets, with each strategy, against calls without and MPI_Alltoallv, in turns. Elements of each
// rank call elements of the ranks behind it, in steps: an element goes on when it was called as often as it
// calls. (Kumar 2005, figure 3.15: the neighbor-send benchmark.) Prints lines: case, round, way, and wall and
// processor time in nanoseconds for each call. With `auto` the fences before have had time to choose.

#include "thalweg/objects.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

struct Job {
  int rank = 0;
  int ranks = 1;
  int elements = 8; // of a rank
  int degree = 1;   // ranks that one sends to
  std::int64_t bytes = 8;
  std::int64_t steps = 1;
  std::int64_t calls() const { return steps * ranks * elements * degree; }
};

struct Cell : thalweg::element<Cell> {
  static inline Job job;
  static inline thalweg::association<Cell>* halo = nullptr; // null: calls go on their own
  static inline std::vector<char> bytes;

  std::int64_t step = 0;
  std::int64_t steps = 0;
  // In this step and the next ones: in a ring somebody may be ahead by as many as there are ranks.
  std::vector<int> called = std::vector<int>(static_cast<std::size_t>(job.ranks) + 1);

  void exchange(std::int64_t of_steps) {
    step = 0;
    steps = of_steps;
    call_others();
  }
  void call_others() {
    const std::span<const char> given(bytes);
    const std::int64_t elements = array().shape()[0];
    if (halo != nullptr)
      halo->begin();
    for (int away = 1; away <= job.degree; ++away) {
      const std::int64_t to = (at()[0] + std::int64_t{away} * job.elements) % elements;
      if (halo != nullptr)
        (*halo)[{to}].call<&Cell::be_called>(step, given);
      else
        array()[{to}].call<&Cell::be_called>(step, given);
    }
    if (halo != nullptr)
      halo->end();
  }
  int& called_in(std::int64_t of_step) { return called[static_cast<std::size_t>(of_step) % called.size()]; }
  void be_called(std::int64_t of_step, std::span<const char>) {
    ++called_in(of_step);
    while (step < steps && called_in(step) == job.degree) {
      called_in(step++) = 0;
      if (step < steps)
        call_others();
    }
  }
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <typename Work>
void time(const Job& job, int round, const char* way, Work work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double wall = MPI_Wtime();
  const double processor = processor_seconds();
  work();
  double spent[2] = {MPI_Wtime() - wall, processor_seconds() - processor};
  MPI_Allreduce(MPI_IN_PLACE, &spent[0], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &spent[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (job.rank == 0)
    std::printf("%d/%lld %d %s %.2f %.2f\n", job.degree, static_cast<long long>(job.bytes), round, way,
                1e9 * spent[0] / static_cast<double>(job.calls()),
                1e9 * spent[1] / static_cast<double>(job.calls()));
}

/// The same by hand: what elements say is put together for each rank, and read there.
void exchange_by_hand(const Job& job) {
  const auto ranks = static_cast<std::size_t>(job.ranks);
  const auto each = sizeof(std::int64_t) + static_cast<std::size_t>(job.bytes);
  const auto of_rank = static_cast<int>(each) * job.elements;
  std::vector<int> counts(ranks), places(ranks), come_counts(ranks), come_places(ranks);
  for (int away = 1; away <= job.degree; ++away) {
    const auto to = static_cast<std::size_t>((job.rank + away) % job.ranks);
    const auto from = static_cast<std::size_t>((job.rank + job.ranks - away) % job.ranks);
    counts[to] = come_counts[from] = of_rank;
    places[to] = come_places[from] = (away - 1) * of_rank;
  }
  const auto all = static_cast<std::size_t>(of_rank) * static_cast<std::size_t>(job.degree);
  std::vector<char> out(all), in(all);
  std::int64_t seen = 0;
  for (std::int64_t step = 0; step < job.steps; ++step) {
    for (char* at = out.data(); at < out.data() + all; at += each) {
      std::memcpy(at, &step, sizeof step);
      std::memcpy(at + sizeof step, Cell::bytes.data(), Cell::bytes.size());
    }
    MPI_Alltoallv(out.data(), counts.data(), places.data(), MPI_BYTE, in.data(), come_counts.data(),
                  come_places.data(), MPI_BYTE, MPI_COMM_WORLD);
    for (const char* at = in.data(); at < in.data() + all; at += each) {
      std::int64_t of_step = 0;
      std::memcpy(&of_step, at, sizeof of_step);
      seen += of_step == step ? 1 : 0;
    }
  }
  if (seen != job.steps * job.elements * job.degree)
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void run(thalweg::array<Cell>& cells, std::int64_t steps) {
  if (cells.rank() == 0)
    cells.broadcast<&Cell::exchange>(steps);
  cells.fence();
  cells.each([&](const Cell& cell, const auto&) {
    if (cell.step != steps)
      MPI_Abort(MPI_COMM_WORLD, 1);
  });
}

constexpr const char* strategies[] = {"direct", "mesh", "grid", "hypercube", "stream", "auto"};

void measure(Job job, int rounds, bool explains) {
  Cell::job = job;
  Cell::bytes.assign(static_cast<std::size_t>(job.bytes), 'x');
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {std::int64_t{job.ranks} * job.elements});
  std::vector<std::unique_ptr<thalweg::association<Cell>>> halos;
  for (const char* strategy : strategies)
    halos.push_back(std::make_unique<thalweg::association<Cell>>(cells, strategy));
  Cell::halo = halos.back().get();
  constexpr int fences_to_choose = 20;
  for (int fence = 0; fence < fences_to_choose; ++fence)
    run(cells, std::max<std::int64_t>(job.steps / 8, 2));
  if (explains && job.rank == 0)
    std::fputs(cells.explain().c_str(), stderr);
  for (int round = 0; round < rounds; ++round) {
    Cell::halo = nullptr;
    time(job, round, "calls", [&] { run(cells, job.steps); });
    for (std::size_t one = 0; one < halos.size(); ++one) {
      Cell::halo = halos[one].get();
      time(job, round, strategies[one], [&] { run(cells, job.steps); });
    }
    time(job, round, "alltoallv", [&] { exchange_by_hand(job); });
  }
  Cell::halo = nullptr;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 6) {
    std::fputs("usage: brackets ROUNDS CALLS ELEMENTS explain|quiet DEGREE/BYTES..\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  job.elements = std::max(std::atoi(argv[3]), 1);
  const std::int64_t calls = std::strtoll(argv[2], nullptr, 10);
  for (int one = 5; one < argc; ++one) {
    char* rest = nullptr;
    job.degree = std::min(static_cast<int>(std::strtol(argv[one], &rest, 10)), job.ranks - 1);
    job.bytes = std::strtoll(rest + 1, nullptr, 10);
    job.steps = 1;
    job.steps = std::max<std::int64_t>(calls / std::max<std::int64_t>(job.calls(), 1), 1);
    measure(job, std::atoi(argv[1]), std::string(argv[4]) == "explain");
  }
  MPI_Finalize();
}
