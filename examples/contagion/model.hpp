// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/random.hpp"

#include <cstdint>

namespace thalweg::examples::contagion {

struct Problem {
  std::uint32_t people = 0;
  std::uint32_t places = 0;
  std::uint32_t first_cases = 0;
  std::uint32_t transmissibility = 0;
  int days = 0;
  std::uint64_t seed = 0;
};

enum class Health : std::uint32_t { susceptible, exposed, infectious, recovered };

/// A person is at a place, from one minute of the day to another. Places know nothing of people but this.
struct Visit {
  std::uint32_t person = 0;
  std::uint32_t place = 0;
  std::uint32_t day = 0;
  std::uint32_t arrival = 0;
  std::uint32_t departure = 0;
  Health health = Health::susceptible;
  std::uint32_t infectivity = 0;
  std::uint32_t susceptibility = 0;
  std::uint32_t contacts_percent = 0; ///< how close people come to each other at such places
};
static_assert(sizeof(Visit) == 36);

/// A person has been infected by another.
struct Infection {
  std::uint32_t person = 0;
  std::uint32_t place = 0;
  std::uint32_t by = 0;
  std::uint32_t minute = 0;
};
static_assert(sizeof(Infection) == 16);

/// A random word that depends on nothing but the seed and these numbers, so any rank may draw it at any time.
template <typename... Numbers>
constexpr std::uint64_t draw(std::uint64_t seed, Numbers... numbers) {
  std::uint64_t word = seed;
  ((word = random_word(word, static_cast<std::uint64_t>(numbers))), ...);
  return word;
}

/// The rank of a person or of a place: a hash, as in EpiSimdemics.
inline int rank_of(std::uint32_t number, int ranks) {
  return static_cast<int>(((random_word(77, number) >> 32U) * static_cast<std::uint64_t>(ranks)) >> 32U);
}

} // namespace thalweg::examples::contagion
