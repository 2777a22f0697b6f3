// SPDX-License-Identifier: BSD-3-Clause

// What fences find for brackets, from job to job. Each element calls all others in every iteration, so all
// periods are in one situation.
//
// found FENCES: says at each fence what is used, and why.

#include "checks.hpp"
#include "thalweg/objects.hpp"

#include <cstdlib>
#include <string>

namespace {

constexpr std::int64_t elements = 24;

struct Cell : thalweg::element<Cell> {
  std::int64_t got = 0;
  static inline thalweg::association<Cell>* halo = nullptr;

  void take(std::int64_t from) { got += from + 1; }
  void go(int) {
    halo->begin();
    for (std::int64_t to = 0; to < elements; ++to)
      (*halo)[{to}].call<&Cell::take>(at()[0]);
    halo->end();
  }
};

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int fences = argc > 1 ? std::atoi(argv[1]) : 2;
  {
    thalweg::array<Cell> cells(MPI_COMM_WORLD, {elements});
    thalweg::association<Cell> halo(cells, "auto");
    Cell::halo = &halo;
    for (int fence = 1; fence <= fences; ++fence) {
      for (int iteration = 0; iteration < 3; ++iteration)
        if (cells.rank() == 0)
          cells.broadcast<&Cell::go>(iteration);
      thalweg_fence_options options{};
      options.scheme = thalweg_fence_stay;
      cells.fence(options);
      cells.each([&](const Cell& cell, const auto& at) {
        checks::require(cell.got == std::int64_t{3} * fence * elements * (elements + 1) / 2,
                        "cell %lld has another sum", static_cast<long long>(at[0]));
      });
    }
    if (cells.rank() == 0)
      std::printf("%sall right\n", cells.explain().c_str());
  }
  MPI_Finalize();
}
