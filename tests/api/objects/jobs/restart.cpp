// SPDX-License-Identifier: BSD-3-Clause

// Arrays that are written to a folder, and read again by a job of another size. Says what all elements have
// become, which is the same however often the job was ended in between.
//
//   restart FOLDER PERIODS            begins anew, and writes a checkpoint behind each period
//   restart FOLDER PERIODS KILL       the same, but is killed amid the checkpoint of the last period
//   restart FOLDER PERIODS - again    goes on from the checkpoint that there is

#include "checks.hpp"
#include "thalweg/objects.hpp"
#include "thalweg/stream_serialized.hpp"

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <csignal>
#include <cstring>

namespace {

using checks::require;

int packs_until_the_end = -1; // of this process

struct Cell : thalweg::element<Cell, 2> {
  std::int64_t period = 0;
  std::uint64_t value = 1;
  std::vector<std::uint64_t> past;
  thalweg::inbox<int> box;

  thalweg::task wait() { co_await box.take(); }
  void step(std::uint64_t from) {
    value = value * 31 + from;
    past.push_back(value);
    ++period;
    if (value % 3 == 0)
      move_to(static_cast<int>(value % static_cast<std::uint64_t>(array().ranks())));
  }
  template <typename Archive>
  void serialize(Archive& archive) {
    if (packs_until_the_end > 0 && --packs_until_the_end == 0)
      std::raise(SIGKILL);
    archive(period, value, past);
  }
};
struct Name : thalweg::element<Name> {
  std::string text = "x";
  void grow() { text += std::to_string(at()[0]); }
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(text);
  }
};

void must_fail(const thalweg::error& failed, const char* what) {
  require(std::strstr(failed.what(), what) != nullptr, "%s is not in: %s", what, failed.what());
}

void must_refuse_others(const std::string& folder) {
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  must_fail(checks::failure_of([&] { thalweg::checkpoint(other, folder); }), "has no arrays");
  {
    thalweg::array<Cell> alone(other, {7, 6});
    must_fail(checks::failure_of([&] { thalweg::restore(other, folder); }), "2 arrays, and there are 1");
    thalweg::array<Name> names(other, {6});
    must_fail(checks::failure_of([&] { thalweg::restore(other, folder); }),
              "Name [5], and here it is Name [6]");
    must_fail(checks::failure_of([&] { thalweg::restore(other, folder + "/nowhere"); }), "cannot be opened");
    must_fail(checks::failure_of([&] { thalweg::checkpoint(other, "/dev/null/here"); }), "cannot be made");
    if (alone.rank() == 0)
      alone[{6, 5}].call<&Cell::wait>();
    must_fail(checks::failure_of([&] { thalweg::checkpoint(other, folder); }),
              "element [6, 5] waits in Cell::wait");
  }
  MPI_Comm_free(&other);
}

// Fences may leave a rank with no element to write.
int first_with_two(thalweg::array<Cell>& cells) {
  int elements = 0;
  cells.each([&](const Cell&, const auto&) { ++elements; });
  int rank = elements >= 2 ? cells.rank() : cells.ranks();
  MPI_Allreduce(MPI_IN_PLACE, &rank, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return rank;
}

void run(const std::string& folder, std::int64_t periods, bool is_killed, bool goes_on) {
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {7, 6});
  thalweg::array<Name> names(MPI_COMM_WORLD, {5});
  std::int64_t first = 0;
  if (goes_on) {
    thalweg::restore(MPI_COMM_WORLD, folder);
    cells.each([&](const Cell& cell, const auto&) { first = cell.period; });
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  }
  for (std::int64_t period = first; period < periods; ++period) {
    if (cells.rank() == 0)
      for (std::int64_t x = 0; x < 7; ++x)
        for (std::int64_t y = 0; y < 6; ++y)
          cells[{x, y}].call<&Cell::step>(static_cast<std::uint64_t>(x * 6 + y + period));
    if (names.rank() == names.ranks() - 1)
      names.broadcast<&Name::grow>();
    cells.fence();
    if (is_killed && period + 1 == periods && first_with_two(cells) == cells.rank())
      packs_until_the_end = 4; // each element is measured, and then written
    thalweg::checkpoint(MPI_COMM_WORLD, folder);
  }
  std::uint64_t sums[3] = {0, 0, 0};
  cells.each([&](const Cell& cell, const auto& at) {
    require(cell.period == periods && cell.past.size() == static_cast<std::size_t>(periods), "%s",
            "an element was restored from another period");
    sums[0] += cell.value * static_cast<std::uint64_t>(at[0] + 10 * at[1] + 1);
    ++sums[1];
  });
  names.each([&](const Name& name, const auto&) { sums[2] += name.text.size(); });
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  require(sums[1] == 42 && sums[2] == 5 * static_cast<std::uint64_t>(periods + 1), "%s",
          "elements are missing, or there twice");
  if (cells.rank() == 0)
    std::printf("from %d: sum %016llx\n", static_cast<int>(first), static_cast<unsigned long long>(sums[0]));
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  require(argc >= 3, "%s", "usage: restart FOLDER PERIODS [KILL | - again]");
  const bool goes_on = argc > 4;
  run(argv[1], std::atoi(argv[2]), argc == 4, goes_on);
  if (goes_on)
    must_refuse_others(argv[1]);
  MPI_Finalize();
}
