// SPDX-License-Identifier: BSD-3-Clause

// serving WHERE: rank 0 is elsewhere while the others put into its memory, get from it, add to it, and wait
// until that has landed. Only then they let it go on, so whoever is not served hangs.
//   progress: it calls progress(); team: it waits in another team; signal: it waits for a signal
//   mpi: it waits in MPI_Recv, under Thalweg; thread: it computes, and has a progress thread

#include "checks.hpp"
#include "thalweg/team.hpp"

#include <atomic>
#include <cstdio>
#include <string_view>
#include <vector>

namespace {

using checks::require;
using thalweg::team;
using Word = std::uint64_t;

constexpr std::size_t words = 40000; // no library takes that without the receiver's help

struct Memory {
  explicit Memory(team& on)
      : data(on.allocate<Word>(words)), done(on.allocate<Word>(1)), sum(on.allocate<Word>(1)) {}
  thalweg::symmetric_memory<Word> data;
  thalweg::symmetric_memory<Word> done;
  thalweg::symmetric_memory<Word> sum;
};

void use(team& all, Memory& memory) {
  const Word own = static_cast<Word>(all.rank());
  if (own == 1) {
    const std::vector<Word> given(words, 7);
    all.put(memory.data, 0, 0, given);
    all.quiet();
    std::vector<Word> got(words);
    all.get(memory.data, 0, 0, got);
    require(got == given, "%s", "a get gives other than what was put");
  }
  Word before = 0;
  all.fetch_add(memory.sum, 0, 0, own, before);
  all.start().add(memory.done, 0, 0, 1).wait();
}

void be_elsewhere(std::string_view where, team& all, team& other, Memory& memory) {
  const auto others = static_cast<Word>(all.size() - 1);
  const auto are_done = [&] { return std::atomic_ref<Word>(memory.done[0]).load() == others; };
  if (where == "progress")
    while (!are_done())
      all.progress();
  else if (where == "team")
    other.barrier();
  else if (where == "signal")
    all.wait(memory.done, 0, thalweg::condition::equal, others);
  else if (where == "mpi")
    for (Word rank = 1; rank <= others; ++rank)
      MPI_Recv(nullptr, 0, MPI_BYTE, static_cast<int>(rank), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    while (!are_done()) { // and no call
    }
}

} // namespace

int main(int argc, char** argv) {
  const std::string_view where = argc > 1 ? argv[1] : "progress";
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, where == "thread" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  {
    team all(MPI_COMM_WORLD);
    team other(MPI_COMM_WORLD);
    Memory memory(all);
    if (all.rank() == 0) {
      be_elsewhere(where, all, other, memory);
    } else {
      use(all, memory);
      if (where == "team")
        other.barrier();
      if (where == "mpi")
        MPI_Send(nullptr, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
    }
    all.barrier();
    const auto ranks = static_cast<Word>(all.size());
    require(all.rank() != 0 || memory.sum[0] == ranks * (ranks - 1) / 2, "a sum of %lu",
            static_cast<unsigned long>(memory.sum[0]));
    if (all.rank() == 0)
      std::printf("all right\n");
  }
  MPI_Finalize();
}
