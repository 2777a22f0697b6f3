// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Puts a program together, rank by rank.

#include "simulate/program.hpp"

#include <map>
#include <optional>
#include <unordered_map>

namespace thalweg::simulate {

/// The processor and the network interface of a rank that an operation uses.
struct Where {
  std::uint8_t cpu = 0;
  std::uint8_t nic = 0;
};

class ProgramBuilder {
public:
  /// Throws Error for numbers of ranks that no program can have.
  explicit ProgramBuilder(std::int64_t ranks);

  /// Has ranks share patterns in this way alone.
  void share_only(Likeness likeness) { only_ = likeness; }
  /// Writes this rank's part next. A program with some of its ranks says how many patterns they have, and
  /// is good for nothing else.
  void skip_to(Rank rank) { rank_ = static_cast<std::uint32_t>(rank); }

  std::uint32_t ranks() const { return ranks_; }
  /// The rank whose part is being written: they follow in their order.
  std::uint32_t rank() const { return rank_; }

  /// Appends an operation and returns its number, from 0 for each rank. Throws Error for ranks that do not
  /// exist, and for negative durations. The rank or the tag to receive may be `any`.
  std::uint32_t send(std::int64_t to, std::uint32_t tag, const MessageCost& cost, Where where = {});
  std::uint32_t receive(std::int64_t from, std::uint32_t tag, Where where = {});
  std::uint32_t compute(Ticks duration, Where where = {});

  /// `later` begins when `earlier` has finished, or when it has begun.
  void require(std::uint32_t later, std::uint32_t earlier, bool is_start = false);

  /// Ends the rank's part. Throws Error for operations that wait for each other in a circle.
  void end_rank();

  /// The program, of the ranks that have had their part.
  Program finish();

private:
  struct Requirement {
    std::uint32_t earlier;
    std::uint32_t later_and_start; ///< as in Program::dependents
  };

  using Known = std::unordered_map<std::uint64_t, std::uint32_t>; ///< fingerprint to pattern

  std::uint32_t append(Operation operation);
  std::uint32_t checked_peer(std::int64_t peer) const;
  void sort_requirements();
  void check_circles() const;
  std::uint64_t fingerprint(Likeness likeness) const;
  bool may_share(Likeness likeness) const;
  bool share(const Known& known, std::uint64_t print, Likeness likeness, RankProgram& entry) const;
  bool is_alike(const Pattern& pattern, Likeness likeness) const;
  void add_pattern();

  Program program_;
  std::uint32_t ranks_;
  std::uint32_t rank_ = 0;
  std::optional<Likeness> only_;
  std::vector<Operation> operations_;     ///< of the rank at work
  std::vector<Requirement> requirements_; ///< likewise
  std::vector<std::uint32_t> dependents_; ///< likewise
  std::vector<std::uint32_t> next_;       ///< for sorting
  std::map<MessageCost, std::uint32_t> costs_;
  std::unordered_map<Ticks, std::uint32_t> durations_;
  Known by_difference_;
  Known by_bits_;
  std::uint32_t last_cost_ = 0; ///< messages come in rows of one size
};

} // namespace thalweg::simulate
