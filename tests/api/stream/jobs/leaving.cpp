// SPDX-License-Identifier: BSD-3-Clause

// What is in buffers leaves when a phase begins to end, or is flushed, though no call follows: one of two
// ranks does so, and then does not call anything until the other one has the item.
//
// leaving FOLDER: one that both ranks see.

#include "checks.hpp"
#include "flags.h"
#include "thalweg/stream.hpp"

using checks::require;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    require(ranks == 2 && argc == 2, "%s", "two ranks and a folder are wanted");
    Flags flags;
    require(make_flags(&flags, argv[1]) != 0, "no folder can be made in %s", argv[1]);
    int got = 0;
    thalweg::stream<int> items(MPI_COMM_WORLD, [&](const int& item) { got += item; });
    for (int step = 1; step <= 8; ++step) {
      const int leaving = step / 2 % 2;
      const bool ends = step % 2 == 0;
      thalweg::request end;
      if (rank == leaving) {
        items.send(1 - rank, step);
        if (ends)
          end = items.start_finish();
        else
          items.flush();
        require(see_flag(&flags, 1 - leaving, step) != 0, "step %d: the item of rank %d has not left it",
                step, leaving);
      } else {
        got = 0;
        if (ends)
          end = items.start_finish();
        while (got != step)
          if (ends)
            end.test();
          else
            items.progress();
        require(raise_flag(&flags, rank, step) != 0, "no flag can be made in %s", flags.folder);
      }
      if (ends)
        end.wait();
      else
        items.finish();
    }
    if (rank == 0) {
      remove_flags(&flags);
      std::printf("all right\n");
    }
  }
  MPI_Finalize();
}
