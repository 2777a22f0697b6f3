// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/reductions.hpp"

#include <cstring>

namespace thalweg::engine {

/// An affine map x -> a x + b over integers modulo 2^64. Composition does not commute and is exact, so a
/// wrong order, a missing or a doubled operand shows.
struct Affine {
  std::uint64_t a = 1;
  std::uint64_t b = 0;
  bool operator==(const Affine&) const = default;
};

inline Affine compose(const Affine& first, const Affine& second) {
  return {first.a * second.a, second.a * first.b + second.b};
}

inline Affine sum(const Affine& x, const Affine& y) {
  return {x.a + y.a, x.b + y.b};
}

class AffineOperator final : public Operator {
public:
  explicit AffineOperator(bool commutes) : commutes_(commutes) {}

  Affine apply(const Affine& left, const Affine& right) const {
    return commutes_ ? sum(left, right) : compose(left, right);
  }

  void combine(std::byte* source, const std::byte* own, std::byte* target, std::int64_t bytes,
               schedule::Side source_stands, bool) override {
    for (std::int64_t at = 0; at < bytes; at += static_cast<std::int64_t>(sizeof(Affine))) {
      Affine in;
      Affine here;
      std::memcpy(&in, source + at, sizeof in);
      std::memcpy(&here, own + at, sizeof here);
      const Affine result = source_stands == schedule::Side::left ? apply(in, here) : apply(here, in);
      std::memcpy(target + at, &result, sizeof result);
    }
  }

private:
  bool commutes_;
};

/// Says of itself that it commutes and neither does so nor associates: what it makes of its operands tells
/// how all were combined.
class RecordingOperator final : public Operator {
public:
  void combine(std::byte* source, const std::byte* own, std::byte* target, std::int64_t bytes,
               schedule::Side source_stands, bool) override {
    for (std::int64_t at = 0; at < bytes; at += static_cast<std::int64_t>(sizeof(std::uint64_t))) {
      std::uint64_t in = 0;
      std::uint64_t here = 0;
      std::memcpy(&in, source + at, sizeof in);
      std::memcpy(&here, own + at, sizeof here);
      const std::uint64_t result =
          source_stands == schedule::Side::left ? recorded(in, here) : recorded(here, in);
      std::memcpy(target + at, &result, sizeof result);
    }
  }

private:
  static std::uint64_t recorded(std::uint64_t left, std::uint64_t right) {
    const std::uint64_t sum = left * 3 + right + 1;
    return (sum ^ sum >> 29) * 0x9e3779b97f4a7c15U;
  }
};

} // namespace thalweg::engine
