// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What combining means for a call's elements, and reductions of vectors of numbers, as wide as the processor
// that runs them.

#include "schedule/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace thalweg::engine {

/// What combining means for a call's elements. Bytes are always a whole number of elements.
class Operator {
public:
  virtual ~Operator() = default;
  /// target = source (+) own (Side::left) or own (+) source (Side::right). `own` is the target itself or lies
  /// apart from it. `source` may be overwritten if `spent`.
  virtual void combine(std::byte* source, const std::byte* own, std::byte* target, std::int64_t bytes,
                       schedule::Side source_stands, bool spent) = 0;
  /// Does it call the MPI library, or code of the program?
  virtual bool calls_library() const { return false; }
};

enum class Arithmetic : std::uint8_t { sum, product, minimum, maximum, bitwise_and, bitwise_or, bitwise_xor };
enum class Number : std::uint8_t {
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64
};

/// target[i] = left[i] (+) right[i]. The vectors need not be aligned; one of the operands may be the target,
/// else they do not overlap.
using Reduction = void (*)(const std::byte* left, const std::byte* right, std::byte* target,
                           std::size_t numbers);

/// nullptr where there is none: bits of floating-point numbers. Integers overflow modulo 2^n. The smaller or
/// larger of numbers of which one is not a number, or of equal ones, is right[i]; of two that are no numbers
/// the sum and the product are left[i]. So bits depend on the operands alone, wherever they stand in a
/// vector.
Reduction reduction(Arithmetic arithmetic, Number number);

} // namespace thalweg::engine
