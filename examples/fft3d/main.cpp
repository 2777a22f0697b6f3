// SPDX-License-Identifier: BSD-3-Clause

/// Transforms a random field forward and back, again and again, and checks spectrum and round trip; see
/// README.md.

#include "fft3d/check.hpp"
#include "fft3d/transform.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::fft3d;

Extents parse_size(std::string const& text) {
  Extents extents{};
  char const* position = text.data();
  char const* const end = text.data() + text.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const [next, error] = std::from_chars(position, end, extents[axis]);
    bool const separated = axis == 2 ? next == end : next != end && *next == 'x';
    if (error != std::errc{} || !separated || extents[axis] < 1 || extents[axis] > 4096) {
      throw OptionError{fmt::format("option --size is '{}': give NXxNYxNZ, each from 1 to 4096", text)};
    }
    position = next + 1;
  }
  return extents;
}

struct Times {
  double forward_s = 0;
  double inverse_s = 0;
};

template <typename Work>
double seconds_of(Group const& world, Work const& work) {
  MPI_Barrier(world.communicator);
  double const begin_s = MPI_Wtime();
  work();
  double const mine_s = MPI_Wtime() - begin_s;
  double slowest_s = 0;
  MPI_Allreduce(&mine_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, world.communicator);
  return slowest_s;
}

/// One forward and one inverse transform of a fresh field, checked.
bool transform_once(Transform& transform, Extents extents, std::uint64_t seed, Group const& world,
                    Times& times, Complex& checksum) {
  auto const elements = static_cast<double>(extents[0] * extents[1] * extents[2]);
  // Every 1-D transform adds an error of a few units in the last place of the largest element.
  double const tolerance = 1e-14 * std::log2(elements + 2);
  fill_field(transform.field(), transform.field_layout(), extents, seed);
  SpectrumSums const before = sums_of(transform.field(), transform.field_layout(), extents, world);
  times.forward_s += seconds_of(world, [&] { transform.forward(); });
  SpectrumSums const after = sums_of(transform.spectrum(), transform.spectrum_layout(), extents, world);
  times.inverse_s += seconds_of(world, [&] { transform.inverse(); });
  double const error =
      largest_error(transform.field(), transform.field_layout(), extents, seed, elements, world);
  checksum += after.checksum / std::sqrt(elements);
  double const total_error = std::abs(after.total / elements - field_at_origin(seed));
  double const energy_error = std::abs(after.energy / elements / before.energy - 1);
  return error < tolerance && total_error < tolerance && energy_error < tolerance;
}

bool run(Group const& world, Options const& options) {
  Extents const extents = parse_size(options.text("size"));
  bool const pencils = options.choice("layout", {"slabs", "pencils"}) == 1;
  bool const overlapped = options.choice("mode", {"blocking", "overlapped"}) == 1;
  int const slices = static_cast<int>(options.integer("slices", 1, 4096));
  std::int64_t const iterations = options.integer("iterations", 1, 1'000'000);
  auto const seed = static_cast<std::uint64_t>(options.integer("seed", 0, INT64_MAX));

  Decomposition const decomposition =
      pencils ? Decomposition::pencils(extents, world) : Decomposition::slabs(extents, world);
  Transform transform{decomposition, world, Mode{overlapped, slices}};
  bool right = true;
  Times times;
  Complex checksum = 0;
  for (std::int64_t i = 0; i < iterations; ++i) {
    std::uint64_t const field_seed = seed + static_cast<std::uint64_t>(i);
    right = transform_once(transform, extents, field_seed, world, times, checksum) && right;
  }
  double const mine_s = transform.exposed_s();
  double sum_s = 0;
  MPI_Reduce(&mine_s, &sum_s, 1, MPI_DOUBLE, MPI_SUM, 0, world.communicator);
  if (world.rank == 0) {
    fmt::print("answer: size={}x{}x{} iterations={} right={} checksum={:.8e},{:.8e}\n", extents[0],
               extents[1], extents[2], iterations, right ? "yes" : "NO", checksum.real(), checksum.imag());
    fmt::print("time: ranks={} layout={} mode={} forward_s={:.6f} inverse_s={:.6f} exposed_s={:.6f}\n",
               world.ranks, options.text("layout"), options.text("mode"), times.forward_s, times.inverse_s,
               sum_s / world.ranks);
  }
  return right;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("size", "64x64x64", "extents of the field")
      .add("layout", "slabs", "slabs or pencils")
      .add("mode", "blocking", "blocking or overlapped")
      .add("slices", "4", "slices per exchange when overlapped")
      .add("iterations", "1", "forward and inverse transforms, each of a fresh field")
      .add("seed", "1", "seed of the field");
  return run_example(argc, argv, options, run);
}
