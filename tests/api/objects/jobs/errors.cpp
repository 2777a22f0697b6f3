// SPDX-License-Identifier: BSD-3-Clause

// An entry method that throws fails on all ranks, with its name and its element's, and nothing hangs.

#include "checks.hpp"
#include "thalweg/objects.hpp"

#include <stdexcept>

namespace {

using checks::require;

struct Cell : thalweg::element<Cell, 2> {
  void pass(int hops) {
    if (at()[0] == 2 && at()[1] == 1 && hops < 0)
      throw std::runtime_error("no cell is right");
    array()[{(at()[0] + 1) % 4, (at()[1] + 1) % 3}].call<&Cell::pass>(hops - 1);
  }
  thalweg::task wait(std::int64_t x) {
    const auto sum = co_await array().reduce(thalweg::sum(), std::int64_t{1});
    if (at()[0] == x)
      throw std::runtime_error("a task of " + std::to_string(sum));
  }
  void hit() { ++hits; }
  int hits = 0;
};

void must_name(const thalweg::error& failed, const char* what) {
  require(std::string(failed.what()).find(what) != std::string::npos, "%s is not in: %s", what,
          failed.what());
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    thalweg::array<Cell> cells(MPI_COMM_WORLD, {4, 3});
    if (cells.rank() == 0)
      for (int ball = 0; ball < 5; ++ball)
        cells[{ball % 4, 0}].call<&Cell::pass>(100);
    const auto failed = checks::failure_of([&] { cells.finish(); });
    require(failed.status() == thalweg_error_handler, "%s", "another status");
    must_name(failed, "Cell::pass of element [2, 1] threw: no cell is right");

    for (const std::int64_t x : {3, 0}) { // tasks of a phase that failed are still there
      thalweg::array<Cell> others(MPI_COMM_WORLD, {5, 2});
      if (others.rank() == 0)
        others.broadcast<&Cell::wait>(x);
      must_name(checks::failure_of([&] { others.fence(); }), "a task of 10");
    }

    if (cells.rank() == 0) // all is well again
      cells.broadcast<&Cell::hit>();
    cells.finish();
    cells.each([](const Cell& cell, const auto&) { require(cell.hits == 1, "%s", "a call was lost"); });

    const std::int64_t side = cells.rank() == 0 && cells.ranks() > 1 ? 4 : 3;
    if (cells.ranks() > 1)
      require(checks::failure_of([&] {
                thalweg::array<Cell>(MPI_COMM_WORLD, {side, 3});
              }).status() == thalweg_error_mismatch,
              "%s", "different shapes were not noticed");
    if (cells.rank() == 0)
      std::puts("all right");
  }
  MPI_Finalize();
}
