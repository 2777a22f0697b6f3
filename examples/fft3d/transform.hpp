// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fft3d/decomposition.hpp"
#include "fft3d/plan.hpp"
#include "fft3d/transpose.hpp"

namespace thalweg::examples::fft3d {

/// How a transform meets its transposes.
struct Mode {
  bool overlapped = false;
  int slices = 1; ///< slices per exchange when overlapped
};

/// The 3-D transform of a field that is spread over all ranks: forward from the first stage of a
/// decomposition to the last, inverse back again. Unnormalized both ways.
///
/// Blocking: transform everything, exchange everything, stage by stage. Overlapped: transform a slice, start
/// its exchange, go on with the next one while it travels (Nishtala 2009: "slabs" of NAS FT).
class Transform {
public:
  /// Plans; collective only as far as the decomposition's communicators are used later by all.
  Transform(Decomposition const& decomposition, Group const& world, Mode mode);

  /// Collective.
  void forward();
  void inverse();

  /// The time of this rank in the transposes' calls of MPI so far.
  [[nodiscard]] double exposed_s() const;

  /// The field before the forward transform, and its spectrum.
  [[nodiscard]] std::vector<Complex>& field() { return fields_.front(); }
  [[nodiscard]] std::vector<Complex>& spectrum() { return fields_.back(); }
  [[nodiscard]] Layout const& field_layout() const { return layouts_.front(); }
  [[nodiscard]] Layout const& spectrum_layout() const { return layouts_.back(); }

private:
  /// A stage's work in one direction: its slices, then the way to the next stage.
  struct Step {
    std::vector<LinePlan> plans; ///< one per slice
    std::vector<Transpose> next; ///< none at the end, else one
  };

  Step make_step(Decomposition const& decomposition, std::size_t stage, Direction direction, int world_rank);
  void run(std::vector<Step>& steps);
  void run_overlapped(Step& step);

  Mode mode_;
  std::vector<Layout> layouts_;              ///< per stage
  std::vector<std::vector<Complex>> fields_; ///< per stage
  std::vector<Step> forward_;
  std::vector<Step> inverse_;
};

} // namespace thalweg::examples::fft3d
