// SPDX-License-Identifier: BSD-3-Clause
#include "random_access/table.hpp"

#include "common/random.hpp"

#include <bit>

namespace thalweg::examples::random_access {
namespace {

constexpr std::int64_t period = 1317624576693539401;

Range part_of_table(int bits, Group const& world) {
  return part_of({0, std::int64_t{1} << bits}, world.ranks, world.rank);
}

} // namespace

// As words are polynomials, word 2n is word n squared, and squaring is linear: m2 has the squares of the
// bits.
Word starts(std::int64_t n) {
  n %= period;
  if (n == 0)
    return 1;
  Word m2[64];
  Word square = 1;
  for (Word& of_bit : m2) {
    of_bit = square;
    square = next(next(square));
  }
  Word word = 2;
  for (int bit = std::bit_width(static_cast<Word>(n)) - 2; bit >= 0; --bit) {
    Word squared = 0;
    for (int i = 0; i < 64; ++i)
      squared ^= ((word >> i) & 1U) != 0 ? m2[i] : 0;
    word = ((n >> bit) & 1) != 0 ? next(squared) : squared;
  }
  return word;
}

Owners::Owners(int bits, int ranks) : mask_((Word{1} << bits) - 1), ranks_(ranks), shift_(-1) {
  int const ranks_bits = std::bit_width(static_cast<unsigned>(ranks)) - 1;
  if (std::has_single_bit(static_cast<unsigned>(ranks)) && ranks_bits <= bits)
    shift_ = bits - ranks_bits;
}

Table::Table(int bits, Group const& world)
    : world_(world), mask_((Word{1} << bits) - 1),
      first_(static_cast<Word>(part_of_table(bits, world).begin)),
      words_(static_cast<std::size_t>(part_of_table(bits, world).size())) {
  for (std::size_t i = 0; i < words_.size(); ++i)
    words_[i] = first_ + i;
}

// With four updates a word these are HPCC's: four times the part of the table.
Range Table::part_of_updates(std::int64_t updates) const {
  int const bits = std::bit_width(mask_);
  auto const before = [&](Word word) {
    return static_cast<std::int64_t>((static_cast<__uint128_t>(word) * static_cast<Word>(updates)) >> bits);
  };
  return {before(first_), before(first_ + words_.size())};
}

Word Table::hash() const {
  Word mine = 0;
  for (std::size_t i = 0; i < words_.size(); ++i)
    mine += mix(words_[i] + mix(first_ + i + 1));
  Word all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, world_.communicator);
  return all;
}

std::int64_t Table::undo(std::int64_t updates) {
  Word word = starts(0);
  for (std::int64_t i = 0; i < updates; ++i) {
    word = next(word);
    if (Word const place = (word & mask_) - first_; place < words_.size())
      words_[place] ^= word;
  }
  std::int64_t mine = 0;
  for (std::size_t i = 0; i < words_.size(); ++i)
    mine += words_[i] != first_ + i ? 1 : 0;
  std::int64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, world_.communicator);
  return all;
}

} // namespace thalweg::examples::random_access
