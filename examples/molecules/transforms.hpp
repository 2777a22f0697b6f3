// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <fftw3.h>
#include <vector>

namespace thalweg::examples::molecules {

/// FFTW's plans for the mesh. Estimated, not measured, and the same for all memory: so that results differ
/// neither from run to run nor by rank.
class Transforms {
public:
  using Complex = std::complex<double>;

  /// Those of the problem, made at the first call.
  static Transforms const& of_process();

  Transforms(Transforms const&) = delete;
  Transforms& operator=(Transforms const&) = delete;
  ~Transforms();

  /// A plane of reals, and back. The latter destroys the spectrum.
  void forward(std::vector<double>& plane, std::vector<Complex>& spectrum) const;
  void backward(std::vector<Complex>& spectrum, std::vector<double>& plane) const;
  /// Rows, one of each plane: across the planes, in place.
  void across_forward(std::vector<Complex>& rows) const;
  void across_backward(std::vector<Complex>& rows) const;

private:
  Transforms(int side, int row_values);
  std::array<fftw_plan, 4> plans_{};
};

} // namespace thalweg::examples::molecules
