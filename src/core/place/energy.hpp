// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What local search makes small by swapping two tasks' slots.

#include "place/mapping.hpp"

namespace thalweg::place {

class Energy {
public:
  Energy() = default;
  Energy(const Energy&) = delete;
  Energy& operator=(const Energy&) = delete;
  virtual ~Energy() = default;

  virtual const Mapping& mapping() const = 0;
  /// Of the mapping as it is, kept up to date by swap().
  virtual double value() const = 0;
  /// The same from nothing.
  virtual double recomputed() const = 0;
  /// What a swap of two different tasks' slots changes.
  virtual double delta(std::int32_t a, std::int32_t b) = 0;
  /// Swaps; `change` is what delta() gave for this pair.
  virtual void swap(std::int32_t a, std::int32_t b, double change) = 0;
};

} // namespace thalweg::place
