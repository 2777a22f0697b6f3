// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What all cases share: items, random numbers, the clock, ways in turns. See main.cpp for what is printed.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace thalweg::bench {

using Word = std::uint64_t;

inline int own_rank, all_ranks;

/// What to measure, from the command line.
struct Options {
  int rounds;
  std::size_t items; ///< of each rank
  int scale;         ///< of the graph: it has 2 to this power vertices
  int edge_factor;   ///< edges for each of them
};

struct Random {
  Word state;
  explicit Random(int seed) : state(88172645463325252U + static_cast<Word>(seed) * 7919) {}
  Word next() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
  }
  static int rank_of(Word random) {
    return static_cast<int>((random >> 40) * static_cast<Word>(all_ranks) >> 24);
  }
};

/// A number's hash (the end of MurmurHash3): places, vertices and tries are numbered, and have to look
/// random.
inline Word mixed(Word number) {
  number = (number ^ (number >> 33)) * 0xff51afd7ed558ccd;
  number = (number ^ (number >> 33)) * 0xc4ceb9fe1a85ec53;
  return number ^ (number >> 33);
}

struct Way {
  std::string name;
  std::function<void()> run;
};

/// Collective.
Word sum_of_ranks(Word own);

/// Runs all ways in turns and prints their times. `sum` gives what a way has done on this rank, and forgets
/// it; over all ranks that is the same for all ways, and `expected` if that is known.
void measure(const std::string& name, int rounds, double items, const std::vector<Way>& ways,
             const std::function<Word()>& sum, const Word* expected = nullptr);

} // namespace thalweg::bench
