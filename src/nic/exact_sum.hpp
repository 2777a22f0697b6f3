#pragma once

// Sums of doubles by integer additions: the same to the last bit in any order, and correctly rounded.
//
// A double is an integer multiple of 2^-1074, so a sum is one integer. It is kept in words of 40 bits each,
// whose upper bits take the carries of up to 2^23 numbers. Cards add words, and know nothing of doubles
// (Kulisch 1986: long accumulators).

#include <cstdint>
#include <span>

namespace thalweg::nic {

inline constexpr std::size_t exact_sum_words = 55;

/// Makes the words of one number.
void to_exact_sum(double value, std::span<std::uint64_t, exact_sum_words> words);
/// Rounds the sum of such words, each taken for itself, to the nearest double, ties to even.
double from_exact_sum(std::span<const std::uint64_t, exact_sum_words> words);

} // namespace thalweg::nic
