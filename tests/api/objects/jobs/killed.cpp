// SPDX-License-Identifier: BSD-3-Clause

// A rank is killed while others call its elements, wait for its part of a sum, or move elements to and from
// it: in an element's call, or behind a fence where fences have moved all its elements away. The way is the
// argument.

#include "checks.hpp"
#include "thalweg/objects.hpp"

#include <csignal>
#include <string_view>

namespace {

constexpr int rounds = 50;

struct Cell : thalweg::element<Cell> {
  static constexpr bool moves = true;
  static inline std::string_view way;
  std::uint64_t seen = 0;

  void take(std::span<const std::uint64_t> values) { seen += values.size(); }
  void has_sum(std::uint64_t of_all) { seen += of_all; }
  void act(int round) {
    if (round == rounds / 2 && array().rank() == array().ranks() - 1)
      std::raise(SIGKILL);
    const auto next = array()[{(at()[0] + 1) % array().shape()[0]}];
    if (way == "calls")
      next.call<&Cell::take>(std::vector<std::uint64_t>(1));
    else if (way == "long_calls")
      next.call<&Cell::take>(std::vector<std::uint64_t>(20'000));
    else if (way == "sums")
      array().contribute<&Cell::has_sum>(thalweg::sum(), std::uint64_t{1});
    else
      move_to((array().rank() + 1) % array().ranks());
  }
};

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  checks::require(argc == 2, "%s", "usage: killed calls|long_calls|sums|moves");
  Cell::way = argv[1];
  {
    thalweg::array<Cell> cells(MPI_COMM_WORLD, {40});
    for (int round = 0; round < rounds; ++round) {
      if (cells.rank() == 0)
        cells.broadcast<&Cell::act>(round);
      if (round % 5 == 0)
        cells.fence();
      if (round == rounds / 2 &&
          cells.rank() == cells.ranks() - 1) // none of its elements was there at the time
        std::raise(SIGKILL);
    }
    cells.fence();
  }
  std::puts("all right");
  MPI_Finalize();
}
