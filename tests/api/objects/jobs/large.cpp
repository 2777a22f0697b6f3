// SPDX-License-Identifier: BSD-3-Clause

// Large calls of all elements to all others, phase after phase, while the stream that announces them tries
// its meshes. Announcements that overtake each other would let senders free what is still to be copied.

#include "checks.hpp"
#include "thalweg/objects.hpp"

#include <algorithm>

namespace {

using checks::require;

constexpr int elements_of_a_rank = 4;
constexpr int phases = 120;
constexpr int phases_of_a_round = 13; // of which one has large calls
constexpr std::size_t large_bytes = 20'000;

struct Cell : thalweg::element<Cell> {
  std::int64_t calls = 0;

  void take(std::span<const char> values, char value) {
    require(std::ranges::count(values, value) == std::ssize(values), "a call of %d is damaged",
            static_cast<int>(value));
    ++calls;
  }
  void call_others(bool is_large) {
    const auto all = static_cast<std::int64_t>(array().size());
    const auto value = static_cast<char>(at()[0]);
    const std::vector<char> values(is_large ? large_bytes : 8, value);
    for (std::int64_t step = 1; step < (is_large ? all : 2); ++step)
      array()[{(at()[0] + step) % all}].call<&Cell::take>(values, value);
  }
};

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    const std::int64_t all = std::int64_t{elements_of_a_rank} * ranks;
    thalweg::array<Cell> cells(MPI_COMM_WORLD, {all});
    std::int64_t expected = 0;
    for (int phase = 1; phase <= phases; ++phase) {
      const bool is_large = phase % phases_of_a_round == 0;
      if (rank == 0)
        cells.broadcast<&Cell::call_others>(is_large);
      cells.finish();
      expected += is_large ? all - 1 : 1;
    }
    cells.each([&](const Cell& cell, const auto&) {
      require(cell.calls == expected, "%lld calls instead of %lld", static_cast<long long>(cell.calls),
              static_cast<long long>(expected));
    });
  }
  if (rank == 0)
    std::puts("all right");
  MPI_Finalize();
}
