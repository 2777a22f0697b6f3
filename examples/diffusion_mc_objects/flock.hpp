// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/blocks.hpp"
#include "diffusion_mc/course.hpp"
#include "thalweg/objects.hpp"
#include "thalweg/stream_serialized.hpp"

#include <cereal/cereal.hpp>
#include <cstdint>
#include <utility>
#include <vector>

namespace thalweg::examples::diffusion_mc_objects {

using diffusion_mc::Population;
using diffusion_mc::Problem;
using diffusion_mc::Sums;
using diffusion_mc::TrialEnergy;

inline Problem problem; // of the process

/// Some walkers that stay together, an object. They branch and die, so flocks grow and shrink, and fences
/// move them to where there is time.
template <std::size_t bytes>
class Flock : public thalweg::element<Flock<bytes>> {
  using base = thalweg::element<Flock<bytes>>;

public:
  explicit Flock(thalweg::coordinates<1> const&)
      : population_(problem, own().begin, own().end), trial_(problem) {}
  Flock() : population_(problem, 0, 0), trial_(problem) {} // to be read

  thalweg::task run(std::int64_t steps) {
    for (std::int64_t const end = step_ + steps; step_ < end; ++step_) {
      population_.advance(0, population_.walkers.size(), step_, trial_.value());
      Sums const all = co_await base::array().reduce(diffusion_mc::Together(), population_.branch(step_));
      if (base::at()[0] == 0)
        sums_.push_back(all);
      if (all.walkers == 0)
        break;
      trial_.update(all);
    }
  }

  [[nodiscard]] std::size_t walkers() const { return population_.walkers.size(); }
  /// All flocks', by step; of the first one.
  [[nodiscard]] std::vector<Sums> const& sums() const { return sums_; }

  template <typename Archive>
  void serialize(Archive& archive) {
    bytes_of(archive, population_.walkers);
    bytes_of(archive, sums_);
    archive(cereal::binary_data(&trial_, sizeof trial_), step_);
  }

private:
  [[nodiscard]] Range own() const {
    return part_of({0, problem.population}, base::array().shape()[0], base::at()[0]);
  }
  template <typename Archive, typename T>
  static void bytes_of(Archive& archive, std::vector<T>& all) {
    std::size_t count = all.size();
    archive(count);
    all.resize(count);
    archive(cereal::binary_data(all.data(), count * sizeof(T)));
  }

  Population<bytes> population_;
  TrialEnergy trial_;
  std::int64_t step_ = 0;
  std::vector<Sums> sums_;
};

} // namespace thalweg::examples::diffusion_mc_objects
