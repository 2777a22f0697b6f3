// SPDX-License-Identifier: BSD-3-Clause
#include "molecules/plain_mesh.hpp"

#include <algorithm>

namespace thalweg::examples::molecules {
namespace {

std::size_t side() {
  return static_cast<std::size_t>(problem.mesh_side());
}

/// use(place in the mesh, place in the window) for each point of a window.
template <typename Use>
void each_point(Window const& window, Use use) {
  std::size_t in_window = 0;
  for (std::int64_t i = 0; i < Window::side(); ++i)
    for (std::int64_t j = 0; j < Window::side(); ++j)
      for (std::int64_t k = 0; k < Window::side(); ++k)
        use((static_cast<std::size_t>(window.point(0, i)) * side() +
             static_cast<std::size_t>(window.point(1, j))) *
                    side() +
                static_cast<std::size_t>(window.point(2, k)),
            in_window++);
}

/// Rows that lie plane by plane, with one of each rank's behind another: for each, the same rows of all
/// planes behind one another; or back, which is the same with `inner` for `outer`.
std::vector<Complex> turned(std::vector<Complex> const& from, std::size_t outer, std::size_t inner) {
  auto const values = static_cast<std::ptrdiff_t>(row_values());
  std::vector<Complex> to(from.size());
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i)
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(o * inner + i) * values, values,
                  to.begin() + static_cast<std::ptrdiff_t>(i * outer + o) * values);
  return to;
}

} // namespace

PlainMesh::PlainMesh(Group const& world) : world_(world), charges_(side() * side() * side()) {}

Range PlainMesh::part(int rank) const {
  return part_of({0, problem.mesh_side()}, world_.ranks, rank);
}

void PlainMesh::add(Cell const& cell, std::span<Atom const> atoms) {
  Window const window(cell);
  std::vector<std::int64_t> const charges = spread(window, atoms);
  each_point(window,
             [&](std::size_t place, std::size_t in_window) { charges_[place] += charges[in_window]; });
}

double PlainMesh::pull(Cell const& cell, std::span<Atom const> atoms, std::span<double> forces) const {
  Window const window(cell);
  std::vector<double> at_points(Window::plane_size() * static_cast<std::size_t>(Window::side()));
  each_point(window,
             [&](std::size_t place, std::size_t in_window) { at_points[in_window] = potentials_[place]; });
  return molecules::pull(window, at_points, atoms, forces);
}

std::vector<Complex> PlainMesh::transposed(std::vector<Complex> const& from) const {
  auto const own = static_cast<std::size_t>(part(world_.rank).size());
  std::vector<Complex> const by_row = turned(from, own, side()); // so what goes to a rank is in one piece
  std::vector<int> counts;
  std::vector<int> begins;
  for (int rank = 0; rank < world_.ranks; ++rank) {
    begins.push_back(counts.empty() ? 0 : begins.back() + counts.back());
    counts.push_back(static_cast<int>(2 * row_values() * part(rank).size()) * static_cast<int>(own));
  }
  std::vector<Complex> came(from.size());
  MPI_Alltoallv(by_row.data(), counts.data(), begins.data(), MPI_DOUBLE, came.data(), counts.data(),
                begins.data(), MPI_DOUBLE, world_.communicator);
  // From each rank: for each of our rows, its planes' values.
  std::vector<Complex> to(from.size());
  auto const values = static_cast<std::ptrdiff_t>(row_values());
  auto next = came.begin();
  for (int rank = 0; rank < world_.ranks; ++rank)
    for (std::size_t row = 0; row < own; ++row)
      for (std::int64_t plane = part(rank).begin; plane < part(rank).end; ++plane, next += values)
        std::copy_n(next, values, to.begin() + (static_cast<std::ptrdiff_t>(row * side()) + plane) * values);
  return to;
}

void PlainMesh::convolve() {
  MPI_Allreduce(MPI_IN_PLACE, charges_.data(), static_cast<int>(charges_.size()), MPI_INT64_T, MPI_SUM,
                world_.communicator);
  Range const own = part(world_.rank);
  std::size_t const of_plane = side() * static_cast<std::size_t>(row_values());
  std::vector<Complex> spectra;
  for (std::int64_t plane = own.begin; plane < own.end; ++plane) {
    std::vector<Complex> const one = spectrum_of(
        std::span(charges_).subspan(static_cast<std::size_t>(plane) * side() * side(), side() * side()));
    spectra.insert(spectra.end(), one.begin(), one.end());
  }
  std::vector<Complex> rows = transposed(spectra);
  for (std::int64_t row = own.begin; row < own.end; ++row) {
    auto const begin =
        rows.begin() + static_cast<std::ptrdiff_t>((row - own.begin)) * static_cast<std::ptrdiff_t>(of_plane);
    std::vector<Complex> one(begin, begin + static_cast<std::ptrdiff_t>(of_plane));
    molecules::convolve(one, row);
    std::ranges::copy(one, begin);
  }
  spectra = transposed(rows);
  std::vector<double> mine;
  for (std::int64_t plane = own.begin; plane < own.end; ++plane) {
    auto const begin = spectra.begin() + static_cast<std::ptrdiff_t>((plane - own.begin)) *
                                             static_cast<std::ptrdiff_t>(of_plane);
    std::vector<Complex> one(begin, begin + static_cast<std::ptrdiff_t>(of_plane));
    std::vector<double> const potentials = potentials_of(one);
    mine.insert(mine.end(), potentials.begin(), potentials.end());
  }
  std::vector<int> counts;
  std::vector<int> begins;
  for (int rank = 0; rank < world_.ranks; ++rank) {
    begins.push_back(static_cast<int>(static_cast<std::size_t>(part(rank).begin) * side() * side()));
    counts.push_back(static_cast<int>(static_cast<std::size_t>(part(rank).size()) * side() * side()));
  }
  potentials_.resize(charges_.size());
  MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, potentials_.data(), counts.data(),
                 begins.data(), MPI_DOUBLE, world_.communicator);
}

} // namespace thalweg::examples::molecules
