// SPDX-License-Identifier: BSD-3-Clause

// What checked teams (THALWEG_CHECK=1) notice: misuse order | memory. Prints what rank 0 was told.

#include "checks.hpp"
#include "thalweg/team.hpp"

#include <array>
#include <string_view>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string_view what = argc > 1 ? argv[1] : "";
  {
    thalweg::team all(MPI_COMM_WORLD);
    auto memory = all.allocate<double>(10);
    const thalweg::error failure = checks::failure_of([&] {
      std::array<double, 10> more{};
      if (what == "memory")
        all.broadcast(std::span<double>(memory.data() + 5, 10), 0);
      else if (all.rank() == 1)
        all.barrier();
      else
        all.broadcast(std::span<double>(more), 0);
    });
    if (all.rank() == 0)
      std::printf("%s: %s\n", thalweg_status_name(failure.status()), failure.what());
  }
  MPI_Finalize();
}
