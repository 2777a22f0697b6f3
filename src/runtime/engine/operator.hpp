// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/schedule.hpp"

#include <cstddef>

namespace thalweg::engine {

/// What combining means for a call's elements. Bytes are always a whole number of elements.
class Operator {
public:
  virtual ~Operator() = default;
  /// target = source (+) own (Side::left) or own (+) source (Side::right). `own` is the target itself or lies
  /// apart from it. `source` may be overwritten if `spent`.
  virtual void combine(std::byte* source, const std::byte* own, std::byte* target, std::int64_t bytes,
                       schedule::Side source_stands, bool spent) = 0;
};

} // namespace thalweg::engine
