// SPDX-License-Identifier: BSD-3-Clause
#include "density/waves.hpp"

#include <array>
#include <fftw3.h>
#include <stdexcept>

namespace thalweg::examples::density {
namespace {

enum class Along : std::uint8_t { plane, across };

fftw_complex* raw(Plane& values) {
  return reinterpret_cast<fftw_complex*>(values.data());
}

/// FFTW's plans, in place. Estimated, not measured, and the same for all memory: so that results differ
/// neither from run to run nor by rank.
class Plans {
public:
  Plans() {
    Plane plane(problem.plane());
    auto const side = static_cast<int>(problem.side);
    constexpr unsigned how = FFTW_ESTIMATE | FFTW_UNALIGNED;
    for (int const sign : {FFTW_FORWARD, FFTW_BACKWARD}) {
      of(Along::plane, sign) = fftw_plan_dft_2d(side, side, raw(plane), raw(plane), sign, how);
      of(Along::across, sign) = fftw_plan_many_dft(1, &side, side, raw(plane), nullptr, side, 1, raw(plane),
                                                   nullptr, side, 1, sign, how);
    }
    for (fftw_plan const& plan : plans_)
      if (plan == nullptr)
        throw std::runtime_error("FFTW has no plan for these planes: use another --planes");
  }
  Plans(Plans const&) = delete;
  Plans& operator=(Plans const&) = delete;
  ~Plans() {
    for (fftw_plan const& plan : plans_)
      fftw_destroy_plan(plan);
  }
  fftw_plan& of(Along along, int sign) {
    return plans_[2 * static_cast<std::size_t>(along) + (sign == FFTW_FORWARD ? 0 : 1)];
  }

private:
  std::array<fftw_plan, 4> plans_{};
};

void transform(Plane& values, Along along, int sign) {
  static Plans plans;
  fftw_execute_dft(plans.of(along, sign), raw(values), raw(values));
}

} // namespace

void to_real(Plane& plane) {
  transform(plane, Along::plane, FFTW_BACKWARD);
}
void to_fourier(Plane& plane) {
  transform(plane, Along::plane, FFTW_FORWARD);
}
void across_to_real(Plane& rows) {
  transform(rows, Along::across, FFTW_BACKWARD);
}
void across_to_fourier(Plane& rows) {
  transform(rows, Along::across, FFTW_FORWARD);
}

} // namespace thalweg::examples::density
