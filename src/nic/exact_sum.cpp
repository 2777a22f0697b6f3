#include "nic/exact_sum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace thalweg::nic {

namespace {

constexpr unsigned digit_bits = 40;
constexpr std::uint64_t digit_mask = (std::uint64_t{1} << digit_bits) - 1;
constexpr std::size_t digits = 53; // 2^2097 is the highest bit of a number
// Behind the digits: how many are no finite numbers, in fields of 20 bits; and how many are not -0.
constexpr std::size_t specials = digits;
constexpr std::size_t others = digits + 1;
constexpr unsigned field_bits = 20;
constexpr unsigned mantissa_bits = 52;
constexpr std::uint64_t hidden_bit = std::uint64_t{1} << mantissa_bits;
constexpr std::uint64_t largest_exponent = 2047;

// An integer without a sign, the digit of the highest carries at its end.
using Magnitude = std::array<std::uint64_t, digits + 1>;

// Carries what is beyond a digit to the next one; gives what is left at the end.
std::int64_t carry(std::span<const std::uint64_t, exact_sum_words> words, bool negated, Magnitude& result) {
  std::int64_t left = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const std::uint64_t word = negated ? 0 - words[i] : words[i];
    const std::int64_t value = static_cast<std::int64_t>(word) + left;
    result[i] = static_cast<std::uint64_t>(value) & digit_mask;
    left = value >> digit_bits;
  }
  result[digits] = static_cast<std::uint64_t>(left);
  return left;
}

bool bit_of(const Magnitude& number, std::size_t place) {
  return (number[place / digit_bits] >> (place % digit_bits) & 1) != 0;
}

// Bits place .. place + 52.
std::uint64_t bits_from(const Magnitude& number, std::size_t place) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i <= mantissa_bits; ++i)
    if ((place + i) / digit_bits < number.size() && bit_of(number, place + i))
      found |= std::uint64_t{1} << i;
  return found;
}

bool has_bits_below(const Magnitude& number, std::size_t place) {
  const std::size_t whole = place / digit_bits;
  const std::uint64_t rest = (std::uint64_t{1} << (place % digit_bits)) - 1;
  return (number[whole] & rest) != 0 ||
         std::any_of(number.begin(), number.begin() + static_cast<std::ptrdiff_t>(whole),
                     [](std::uint64_t digit) { return digit != 0; });
}

// The bits of the nearest double, without a sign, of a number that is not 0.
std::uint64_t rounded(const Magnitude& number) {
  std::size_t top = number.size() - 1;
  while (number[top] == 0)
    --top;
  const std::size_t highest = top * digit_bits + static_cast<std::size_t>(std::bit_width(number[top])) - 1;
  if (highest <= mantissa_bits)
    return bits_from(number, 0); // what is as small has its bits where a double has them
  std::size_t shift = highest - mantissa_bits;
  std::uint64_t mantissa = bits_from(number, shift);
  if (bit_of(number, shift - 1) && (has_bits_below(number, shift - 1) || (mantissa & 1) != 0))
    ++mantissa;
  if (mantissa == 2 * hidden_bit) {
    mantissa = hidden_bit;
    ++shift;
  }
  const std::uint64_t exponent = shift + 1;
  if (exponent >= largest_exponent)
    return largest_exponent << mantissa_bits;
  return exponent << mantissa_bits | (mantissa & (hidden_bit - 1));
}

double special_sum(std::uint64_t counts) {
  constexpr std::uint64_t field = (std::uint64_t{1} << field_bits) - 1;
  const bool has_infinity = (counts & field) != 0;
  const bool has_negative = (counts >> field_bits & field) != 0;
  if (counts >> (2 * field_bits) != 0 || (has_infinity && has_negative))
    return std::numeric_limits<double>::quiet_NaN();
  return has_infinity ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

} // namespace

void to_exact_sum(double value, std::span<std::uint64_t, exact_sum_words> words) {
  std::ranges::fill(words, 0);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool is_negative = bits >> 63 != 0;
  const std::uint64_t exponent = bits >> mantissa_bits & largest_exponent;
  std::uint64_t mantissa = bits & (hidden_bit - 1);
  words[others] = bits == std::uint64_t{1} << 63 ? 0 : 1;
  if (exponent == largest_exponent) {
    const unsigned field = mantissa != 0 ? 2 : is_negative ? 1 : 0;
    words[specials] = std::uint64_t{1} << (field * field_bits);
    return;
  }
  std::size_t place = 0;
  if (exponent > 0) {
    mantissa |= hidden_bit;
    place = exponent - 1;
  }
  for (std::size_t digit = place / digit_bits, bit = place % digit_bits; mantissa != 0; ++digit, bit = 0) {
    const std::uint64_t part = mantissa << bit & digit_mask;
    words[digit] = is_negative ? 0 - part : part;
    mantissa >>= digit_bits - bit;
  }
}

double from_exact_sum(std::span<const std::uint64_t, exact_sum_words> words) {
  if (words[specials] != 0)
    return special_sum(words[specials]);
  Magnitude number{};
  const bool is_negative = carry(words, false, number) < 0;
  if (is_negative)
    carry(words, true, number);
  if (std::ranges::all_of(number, [](std::uint64_t digit) { return digit == 0; }))
    return words[others] == 0 ? -0.0 : 0.0;
  const std::uint64_t sign = is_negative ? std::uint64_t{1} << 63 : 0;
  return std::bit_cast<double>(sign | rounded(number));
}

} // namespace thalweg::nic
