// SPDX-License-Identifier: BSD-3-Clause
#include "nic/exact_sum.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace thalweg::nic {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr int digit_bits = 44;
constexpr std::int64_t digit_mask = (std::int64_t{1} << digit_bits) - 1;

// What is no digits: how many there are of each, in 16 bits.
enum Kind { not_a_number, plus_infinity, minus_infinity, minus_zero };

constexpr std::int64_t one_of(Kind kind) {
  return static_cast<std::int64_t>(std::uint64_t{1} << (16 * kind));
}

constexpr std::int64_t count_of(std::int64_t counts, Kind kind) {
  return static_cast<std::uint64_t>(counts) >> (16 * kind) & 0xffff;
}

template <typename Value>
struct Format;
template <>
struct Format<double> {
  using Bits = std::uint64_t;
};
template <>
struct Format<float> {
  using Bits = std::uint32_t;
};

// Of the number without its sign, in units of the least one that there is.
template <typename Value>
struct Parts {
  static constexpr int mantissa_bits = std::numeric_limits<Value>::digits; // with the one that is not stored
  static constexpr int unit_exponent = std::numeric_limits<Value>::min_exponent - mantissa_bits;
  std::uint64_t mantissa;
  int shift;

  explicit Parts(Value value) {
    const auto bits = std::bit_cast<typename Format<Value>::Bits>(value);
    const int exponent =
        static_cast<int>(bits >> (mantissa_bits - 1)) & (2 * std::numeric_limits<Value>::max_exponent - 1);
    mantissa = bits & ((std::uint64_t{1} << (mantissa_bits - 1)) - 1);
    if (exponent != 0)
      mantissa |= std::uint64_t{1} << (mantissa_bits - 1);
    shift = std::max(exponent - 1, 0);
  }
};

// Digits that are all of one sign, and less than 2^44; one more has room for what is carried out.
class Magnitude {
public:
  explicit Magnitude(std::span<const std::int64_t> summed) : digits_(static_cast<int>(summed.size()) + 1) {
    std::ranges::copy(summed, digit_.begin());
    carry();
    if (digit_[static_cast<std::size_t>(digits_ - 1)] >= 0)
      return;
    is_negative_ = true;
    for (std::int64_t& digit : digit_)
      digit = -digit;
    carry();
  }

  bool is_negative() const { return is_negative_; }
  // The number of the highest bit; -1 where there is none.
  int highest() const {
    for (int at = digits_ - 1; at >= 0; --at)
      if (const auto digit = static_cast<std::uint64_t>(digit_[static_cast<std::size_t>(at)]); digit != 0)
        return at * digit_bits + static_cast<int>(std::bit_width(digit)) - 1;
    return -1;
  }
  bool has(int bit) const {
    return bit >= 0 && bit < digits_ * digit_bits &&
           (digit_[static_cast<std::size_t>(bit / digit_bits)] >> (bit % digit_bits) & 1) != 0;
  }
  bool has_any_below(int bit) const {
    for (int at = 0; at < bit; ++at)
      if (has(at))
        return true;
    return false;
  }

private:
  void carry() {
    for (std::size_t at = 0; at + 1 < static_cast<std::size_t>(digits_); ++at) {
      digit_[at + 1] += digit_[at] >> digit_bits;
      digit_[at] &= digit_mask;
    }
  }

  int digits_;
  std::array<std::int64_t, ExactSum<double>::words> digit_{};
  bool is_negative_ = false;
};

template <typename Value>
Value nearest(const Magnitude& sum) {
  constexpr int kept = Parts<Value>::mantissa_bits;
  const int lowest = std::max(sum.highest() - (kept - 1), 0);
  std::uint64_t mantissa = 0;
  for (int bit = lowest + kept - 1; bit >= lowest; --bit)
    mantissa = mantissa << 1 | (sum.has(bit) ? 1U : 0U);
  const bool is_odd = (mantissa & 1) != 0;
  if (sum.has(lowest - 1) && (is_odd || sum.has_any_below(lowest - 1)))
    ++mantissa;
  const Value size = std::ldexp(static_cast<Value>(mantissa), lowest + Parts<Value>::unit_exponent);
  return sum.is_negative() ? -size : size;
}

} // namespace

template <typename Value>
void ExactSum<Value>::split(Value value, std::span<std::int64_t> into) {
  THALWEG_ASSERT(light, into.size() == words);
  std::ranges::fill(into, 0);
  if (std::isnan(value)) {
    into[0] = one_of(not_a_number);
  } else if (std::isinf(value)) {
    into[0] = one_of(value > 0 ? plus_infinity : minus_infinity);
  } else if (value == 0) {
    into[0] = std::signbit(value) ? one_of(minus_zero) : 0;
  } else {
    const Parts<Value> parts(value);
    const auto at = static_cast<std::size_t>(parts.shift / digit_bits);
    auto rest = static_cast<Wide>(parts.mantissa) << (parts.shift % digit_bits);
    for (std::size_t digit = 1 + at; rest != 0; ++digit, rest >>= digit_bits) {
      const std::int64_t one = static_cast<std::int64_t>(rest) & digit_mask;
      into[digit] = std::signbit(value) ? -one : one;
    }
  }
}

template <typename Value>
Value ExactSum<Value>::round(std::span<const std::int64_t> summed, std::int64_t numbers) {
  THALWEG_ASSERT(light, summed.size() == words && numbers <= numbers_max);
  const std::int64_t counts = summed[0];
  const bool has_plus = count_of(counts, plus_infinity) != 0;
  const bool has_minus = count_of(counts, minus_infinity) != 0;
  if (count_of(counts, not_a_number) != 0 || (has_plus && has_minus))
    return std::numeric_limits<Value>::quiet_NaN();
  if (has_plus || has_minus)
    return has_plus ? std::numeric_limits<Value>::infinity() : -std::numeric_limits<Value>::infinity();
  const Magnitude sum(summed.subspan(1));
  if (sum.highest() < 0)
    return numbers > 0 && count_of(counts, minus_zero) == numbers ? -Value{0} : Value{0};
  return nearest<Value>(sum);
}

template class ExactSum<double>;
template class ExactSum<float>;

} // namespace thalweg::nic
