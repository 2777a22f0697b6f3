// SPDX-License-Identifier: BSD-3-Clause
#include "density/plain.hpp"

#include "common/blocks.hpp"
#include "density/overlap.hpp"

#include <algorithm>
#include <array>

namespace thalweg::examples::density {
namespace {

/// This rank's planes of all states, or of the density, which then is as if it were one state.
class Planes {
public:
  Planes(Group const& world, std::size_t fields)
      : world_(world), fields_(fields, std::vector<Plane>(count())) {}

  [[nodiscard]] Range own() const { return part(world_.rank); }
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(own().size()); }
  [[nodiscard]] std::size_t fields() const { return fields_.size(); }
  Plane& operator()(std::size_t field, std::size_t plane) { return fields_[field][plane]; }
  template <typename Use>
  void each(Use use) {
    for (std::vector<Plane>& field : fields_)
      for (Plane& plane : field)
        use(plane);
  }
  /// Collective: row j of plane i becomes row i of plane j, in each field.
  void transpose();

private:
  [[nodiscard]] Range part(int rank) const { return part_of({0, problem.side}, world_.ranks, rank); }

  Group world_;
  std::vector<std::vector<Plane>> fields_;
};

void Planes::transpose() {
  auto const row = static_cast<std::ptrdiff_t>(problem.row());
  std::vector<Complex> sent;
  std::vector<int> counts; // of what goes to a rank, and of what comes
  std::vector<int> begins;
  for (int rank = 0; rank < world_.ranks; ++rank) {
    Range const there = part(rank);
    each([&](Plane const& plane) {
      sent.insert(sent.end(), plane.begin() + there.begin * row, plane.begin() + there.end * row);
    });
    begins.push_back(counts.empty() ? 0 : begins.back() + counts.back());
    counts.push_back(static_cast<int>(2 * sent.size()) - begins.back());
  }
  std::vector<Complex> came(sent.size());
  MPI_Alltoallv(sent.data(), counts.data(), begins.data(), MPI_DOUBLE, came.data(), counts.data(),
                begins.data(), MPI_DOUBLE, world_.communicator);
  auto next = came.begin();
  for (int rank = 0; rank < world_.ranks; ++rank)
    for (std::vector<Plane>& field : fields_)
      for (std::int64_t from = part(rank).begin; from < part(rank).end; ++from)
        for (Plane& plane : field) {
          std::copy_n(next, row, plane.begin() + from * row);
          next += row;
        }
}

class Electrons {
public:
  explicit Electrons(Group const& world)
      : world_(world), waves_(world, static_cast<std::size_t>(problem.states)), charges_(world, 1) {
    for (std::size_t state = 0; state < waves_.fields(); ++state)
      for (std::size_t i = 0; i < waves_.count(); ++i)
        waves_(state, i) = first_waves(static_cast<std::int64_t>(state), plane(i));
  }

  Energies step(std::int64_t number) {
    orthonormalize_all();
    Planes real = waves_;
    for (std::size_t i = 0; i < real.count(); ++i)
      for (std::size_t state = 0; state < real.fields(); ++state)
        if (has_waves(plane(i)))
          to_real(real(state, i));
    real.transpose();
    real.each(across_to_real);
    Energies energies{number, 0, 0};
    pull(real, energies.potential);
    real.each(across_to_fourier);
    real.transpose();
    for (std::size_t i = 0; i < real.count(); ++i)
      for (std::size_t state = 0; state < real.fields(); ++state)
        if (has_waves(plane(i))) {
          to_fourier(real(state, i));
          energies.kinetic += descend(waves_(state, i), real(state, i), plane(i));
        }
    std::array<std::int64_t, 2> sums{energies.kinetic, energies.potential};
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_INT64_T, MPI_SUM, world_.communicator);
    return {number, sums[0], sums[1]};
  }

  std::uint64_t hash() {
    std::uint64_t sum = 0;
    for (std::size_t state = 0; state < waves_.fields(); ++state)
      for (std::size_t i = 0; i < waves_.count(); ++i)
        sum += hash_of(waves_(state, i), static_cast<std::int64_t>(state), plane(i));
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, world_.communicator);
    return sum;
  }

private:
  [[nodiscard]] std::int64_t plane(std::size_t i) const {
    return waves_.own().begin + static_cast<std::int64_t>(i);
  }

  void orthonormalize_all() {
    Wholes sum(waves_.fields() * (waves_.fields() + 1));
    std::vector<std::vector<Plane>> by_plane(waves_.count());
    for (std::size_t i = 0; i < waves_.count(); ++i) {
      if (!has_waves(plane(i)))
        continue;
      for (std::size_t state = 0; state < waves_.fields(); ++state)
        by_plane[i].push_back(waves_(state, i));
      add(sum, overlaps_of(by_plane[i]));
    }
    MPI_Allreduce(MPI_IN_PLACE, sum.data(), static_cast<int>(sum.size()), MPI_INT64_T, MPI_SUM,
                  world_.communicator);
    for (std::size_t i = 0; i < waves_.count(); ++i) {
      orthonormalize(by_plane[i], sum);
      for (std::size_t state = 0; state < by_plane[i].size(); ++state)
        waves_(state, i) = by_plane[i][state];
    }
  }

  /// States in real space are multiplied by the potential that follows from them.
  void pull(Planes& real, std::int64_t& energy) {
    std::vector<std::vector<double>> densities;
    for (std::size_t i = 0; i < real.count(); ++i) {
      Wholes squares(problem.plane());
      for (std::size_t state = 0; state < real.fields(); ++state)
        add(squares, squares_of(real(state, i)));
      densities.push_back(density_of(squares));
      charges_(0, i).assign(densities.back().begin(), densities.back().end());
      to_fourier(charges_(0, i));
    }
    charges_.transpose();
    for (std::size_t i = 0; i < real.count(); ++i) {
      across_to_fourier(charges_(0, i));
      repel(charges_(0, i), plane(i));
      across_to_real(charges_(0, i));
    }
    charges_.transpose();
    for (std::size_t i = 0; i < real.count(); ++i) {
      to_real(charges_(0, i));
      std::vector<double> const potential = potential_of(densities[i], charges_(0, i), plane(i), energy);
      for (std::size_t state = 0; state < real.fields(); ++state)
        multiply(potential, real(state, i));
    }
  }

  Group world_;
  Planes waves_;
  Planes charges_;
};

} // namespace

Result run_plain(Group const& world) {
  Electrons electrons(world);
  Result result;
  MPI_Barrier(world.communicator);
  double const begin = MPI_Wtime();
  for (std::int64_t step = 0; step < problem.steps; ++step)
    result.energies.push_back(electrons.step(step));
  result.seconds = MPI_Wtime() - begin;
  result.hash = electrons.hash();
  return result;
}

} // namespace thalweg::examples::density
