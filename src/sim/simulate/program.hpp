// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Programs: what ranks send, receive and compute, and which operation requires which. The form is GOAL's
// (Hoefler, Siebert, Lumsdaine 2009), made for 10^6 ranks.
//
// Ranks whose operations are alike share one *pattern*. Two are alike if they do the same, and their peers
// are equally far from them, by difference (rings, dissemination, trees) or by bits (hypercubes). So a
// program of a strategy is mostly a few patterns and three numbers a rank.

#include "base/rank.hpp"
#include "simulate/message_costs.hpp"

#include <span>
#include <vector>

namespace thalweg::simulate {

/// In the order in which LogGOPSim lets operations begin that become free together.
enum class Kind : std::uint8_t { send, receive, compute };

/// As a receive's peer or tag: whichever.
inline constexpr std::uint32_t any = 0xffffffffU;

struct Operation {
  Kind kind = Kind::compute;
  std::uint8_t cpu = 0;
  std::uint8_t nic = 0;
  std::uint32_t peer = 0; ///< as the pattern's base rank sees it, or any
  std::uint32_t tag = 0;
  std::uint32_t cost = 0;             ///< of a send in Program::costs, of a computation in Program::durations
  std::uint32_t requirements = 0;     ///< how many
  std::uint32_t dependents_begin = 0; ///< up to the next operation's
  std::uint32_t channel = 0;          ///< of a receive without `any`: the position of its key
};

struct Pattern {
  std::uint32_t begin = 0; ///< in Program::operations, whose last is followed by one without meaning
  std::uint32_t size = 0;
  std::uint32_t channels_begin = 0; ///< in Program::channels
  std::uint32_t channels = 0;
  Rank base = 0;
  bool has_any = false;
};

/// How a rank's peers follow from those of its pattern's base rank.
enum class Likeness : std::uint8_t { by_difference, by_bits };

struct RankProgram {
  std::uint32_t pattern = 0;
  std::uint32_t begin = 0;    ///< of its operations among all ranks'
  std::uint32_t channels = 0; ///< the first of its channels among all ranks'
  Likeness likeness = Likeness::by_difference;
};

struct Program {
  std::vector<RankProgram> ranks;
  std::vector<Pattern> patterns;
  std::vector<Operation> operations;     ///< of all patterns
  std::vector<std::uint32_t> dependents; ///< operation of the pattern * 2 + 1 if it requires the start alone
  std::vector<std::uint64_t> channels;   ///< of each pattern: keys of its receives, ascending
  std::vector<MessageCost> costs;
  std::vector<Ticks> durations;
  std::uint64_t operation_count = 0; ///< of all ranks
  std::uint64_t channel_count = 0;
  /// Of a folded program, how many ranks its one rank stands for: all do the same at the same time, so what
  /// it sends comes back to it from where its like sends. Else 0.
  std::uint32_t folded = 0;
  std::uint32_t cpus = 1; ///< of each rank
  std::uint32_t nics = 1;

  std::uint32_t size() const { return static_cast<std::uint32_t>(ranks.size()); }
  const Pattern& pattern_of(std::uint32_t rank) const { return patterns[ranks[rank].pattern]; }
  std::span<const Operation> operations_of(std::uint32_t rank) const {
    const Pattern& pattern = pattern_of(rank);
    return {operations.data() + pattern.begin, pattern.size};
  }
  /// By its number among all ranks'.
  const Operation& operation(std::uint32_t rank, std::uint32_t number) const {
    const RankProgram& entry = ranks[rank];
    return operations[patterns[entry.pattern].begin + (number - entry.begin)];
  }
  std::span<const std::uint32_t> dependents_of(const Operation& operation) const {
    return {dependents.data() + operation.dependents_begin,
            dependents.data() + (&operation + 1)->dependents_begin};
  }
  /// The rank that a peer of the pattern stands for, and back.
  std::uint32_t from_base(std::uint32_t rank, std::uint32_t peer) const;
  std::uint32_t to_base(std::uint32_t rank, std::uint32_t peer) const;
  /// The rank that receives what a rank sends, and the source by which its pattern knows the sender.
  std::uint32_t target_of(std::uint32_t rank, const Operation& send) const {
    return folded == 0 ? from_base(rank, send.peer) : 0;
  }
  std::uint32_t source_at(std::uint32_t target, std::uint32_t source, const Operation& send) const;
  /// The rank whose operation it is, by its number among all ranks'.
  std::uint32_t owner(std::uint32_t operation) const;
};

/// What a receive and a message meet by.
inline std::uint64_t channel_key(std::uint32_t source, std::uint32_t tag) {
  return std::uint64_t{source} << 32 | tag;
}

inline std::uint32_t Program::from_base(std::uint32_t rank, std::uint32_t peer) const {
  const RankProgram& entry = ranks[rank];
  const auto base = static_cast<std::uint32_t>(patterns[entry.pattern].base);
  if (folded != 0)
    return peer;
  if (entry.likeness == Likeness::by_bits)
    return peer ^ base ^ rank;
  const std::uint64_t found = std::uint64_t{peer} + rank + (base > rank ? size() : 0) - base;
  return static_cast<std::uint32_t>(found < size() ? found : found - size());
}

inline std::uint32_t Program::to_base(std::uint32_t rank, std::uint32_t peer) const {
  const RankProgram& entry = ranks[rank];
  const auto base = static_cast<std::uint32_t>(patterns[entry.pattern].base);
  if (entry.likeness == Likeness::by_bits)
    return peer ^ base ^ rank;
  const std::uint64_t found = std::uint64_t{peer} + base + (rank > base ? size() : 0) - rank;
  return static_cast<std::uint32_t>(found < size() ? found : found - size());
}

inline std::uint32_t Program::source_at(std::uint32_t target, std::uint32_t source,
                                        const Operation& send) const {
  if (folded == 0)
    return to_base(target, source);
  // Of the one rank, which is number 0: whoever sends to it is as far away on the other side.
  return ranks[0].likeness == Likeness::by_bits || send.peer == 0 ? send.peer : folded - send.peer;
}

} // namespace thalweg::simulate
