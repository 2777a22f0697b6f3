// SPDX-License-Identifier: BSD-3-Clause

/// NAS FT on a team: a field's spectrum is advanced in time and transformed back, again and again; see
/// README.md.

#include "common/mpi_session.hpp"
#include "ft/field.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace {

using namespace thalweg;
using namespace thalweg::examples;
using namespace thalweg::examples::ft;

/// Ranks as near to a square of rows and columns as they go.
int columns_for(int ranks) {
  int columns = 1;
  for (int c = 1; c * c <= ranks; ++c)
    if (ranks % c == 0)
      columns = c;
  return columns;
}

struct Teams {
  team all;
  team row;
  team column;
  MPI_Comm mpi_row = MPI_COMM_NULL;
  MPI_Comm mpi_column = MPI_COMM_NULL;

  Teams(Group const& world, bool on_mpi) : all(world.communicator) {
    int const columns = columns_for(world.ranks);
    row = all.row(columns);
    column = all.column(columns);
    if (on_mpi) {
      MPI_Comm_split(world.communicator, world.rank / columns, world.rank, &mpi_row);
      MPI_Comm_split(world.communicator, world.rank % columns, world.rank, &mpi_column);
    }
  }
  ~Teams() {
    for (MPI_Comm* one : {&mpi_row, &mpi_column})
      if (*one != MPI_COMM_NULL)
        MPI_Comm_free(one);
  }
  Teams(Teams const&) = delete;
  Teams& operator=(Teams const&) = delete;
};

std::unique_ptr<Field> make_field(Problem const& problem, std::string const& layout, Teams& teams,
                                  Group const& world) {
  bool const on_mpi = teams.mpi_row != MPI_COMM_NULL;
  Exchange const all{&teams.all, on_mpi ? world.communicator : MPI_COMM_NULL};
  Exchange const row{&teams.row, teams.mpi_row};
  Exchange const column{&teams.column, teams.mpi_column};
  if (layout == "packed")
    return packed_slabs(problem, all);
  if (layout == "overlapped")
    return overlapped_slabs(problem, all);
  return layout == "pencils" ? pencils(problem, row, column) : overlapped_pencils(problem, row, column);
}

/// What a rank multiplies its modes by in each step, and the modes as they are before the first.
class Evolution {
public:
  Evolution(Problem const& problem, Field& field) : factors_(field.spectrum().size()) {
    field.visit_spectrum(
        [&](std::size_t index, int x, int y, int z) { factors_[index] = decay(problem, x, y, z); });
    modes_.assign(field.spectrum().begin(), field.spectrum().end());
  }
  void step(std::span<Complex> spectrum) {
    for (std::size_t index = 0; index < modes_.size(); ++index)
      spectrum[index] = modes_[index] *= factors_[index];
  }

private:
  std::vector<double> factors_;
  std::vector<Complex> modes_;
};

void fill(Problem const& problem, Field& field) {
  std::vector<Complex> plane(static_cast<std::size_t>(problem.nx) * static_cast<std::size_t>(problem.ny));
  int filled = -1;
  field.visit_planes([&](std::span<Complex> row, int y, int z) {
    if (z != filled)
      fill_plane(plane, problem, filled = z);
    std::ranges::copy(std::span(plane).subspan(static_cast<std::size_t>(y) * row.size(), row.size()),
                      row.begin());
  });
}

/// This rank's part of a checksum: the numbers that it has of those that count.
Complex part_of_checksum(Problem const& problem, Field& field) {
  std::vector<std::vector<int>> wanted(static_cast<std::size_t>(problem.ny) *
                                       static_cast<std::size_t>(problem.nz));
  for (int j = 1; j <= checksum_terms; ++j) {
    auto const [x, y, z] = checksum_place(problem, j);
    wanted[static_cast<std::size_t>(z) * static_cast<std::size_t>(problem.ny) + static_cast<std::size_t>(y)]
        .push_back(x);
  }
  Complex sum = 0;
  field.visit_planes([&](std::span<Complex> row, int y, int z) {
    for (int const x : wanted[static_cast<std::size_t>(z) * static_cast<std::size_t>(problem.ny) +
                              static_cast<std::size_t>(y)])
      sum += row[static_cast<std::size_t>(x)];
  });
  return sum / (static_cast<double>(problem.nx) * problem.ny * problem.nz);
}

bool run(Group const& world, Options const& options) {
  std::vector<std::string> classes;
  for (Problem const& problem : problems())
    classes.push_back(problem.name);
  Problem const& problem = problems()[options.choice("class", classes)];
  Teams teams(world, options.choice("on", {"team", "mpi"}) == 1);
  std::string const& layout = options.text("layout");
  (void)options.choice("layout", {"packed", "overlapped", "pencils", "overlapped_pencils"});
  auto const field = make_field(problem, layout, teams, world);
  fill(problem, *field);
  field->forward(); // once, so that what is only done once is not timed
  fill(problem, *field);
  teams.all.barrier();
  double const begin_s = MPI_Wtime();
  field->forward();
  Evolution evolution(problem, *field);
  bool right = true;
  std::vector<Complex> checksums;
  for (int iteration = 0; iteration < problem.iterations; ++iteration) {
    evolution.step(field->spectrum());
    field->inverse();
    Complex const mine = part_of_checksum(problem, *field);
    double const parts[] = {mine.real(), mine.imag()};
    double sums[2] = {};
    teams.all.allreduce(parts, std::span<double>(sums), MPI_SUM);
    checksums.emplace_back(sums[0], sums[1]);
    right = right && is_right(problem, iteration, checksums.back());
  }
  double const seconds = teams.all.allreduce(MPI_Wtime() - begin_s, MPI_MAX);
  if (world.rank == 0) {
    fmt::print("answer: class={} right={} checksum={:.9e},{:.9e}\n", problem.name, right ? "yes" : "NO",
               checksums.back().real(), checksums.back().imag());
    fmt::print("time: ranks={} layout={} on={} seconds={:.6f}\n", world.ranks, layout, options.text("on"),
               seconds);
  }
  return right;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("class", "S", "S (64x64x64), W (128x128x32), A (256x256x128) or B (512x256x256)")
      .add("layout", "overlapped", "packed, overlapped, pencils or overlapped_pencils")
      .add("on", "team", "team, or mpi: the same program on MPI_Alltoall and MPI_Ialltoall");
  return run_example(argc, argv, options, run);
}
