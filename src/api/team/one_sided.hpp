// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a rank does to the memory of others: by loads and stores where it reaches that, else by messages.

#include "machine/machine.hpp"
#include "team/far_memory.hpp"
#include "team/operations.hpp"
#include "team/transfer.hpp"

#include <memory>

namespace thalweg::teams {

class OneSided {
public:
  /// All outlive it.
  OneSided(const job::Group& group, const SymmetricMemory& memory, Operations& operations)
      : group_(group), memory_(memory), operations_(operations) {}

  /// Takes part in what others do to memory that they do not reach. To be called once there is any, at the
  /// same time on all ranks.
  void serve_others(const machine::Machine& machine);
  /// Collective, before the team ends: nobody sends anything any more.
  void end();

  /// Makes it, if it is of the usual kind, one block of memory that can be reached; false otherwise, also for
  /// what cannot be. A put of a word takes a third of the time then.
  bool put_block(const thalweg_team_transfer& given) const noexcept;
  bool get_block(const thalweg_team_transfer& given) const noexcept;
  /// Makes it, if the memory can be reached; false otherwise.
  bool put_near(const thalweg_team_transfer& given) const;
  bool get_near(const thalweg_team_transfer& given) const;
  bool update_near(const thalweg_team_atomic& given) const;

  /// The same by messages. They return as thalweg/team.h says of calls without a request.
  void put_far(const thalweg_team_transfer& given);
  void get_far(const thalweg_team_transfer& given);
  void update_far(const thalweg_team_atomic& given);
  FarOperationPointer start_put(const thalweg_team_transfer& given);
  FarOperationPointer start_get(const thalweg_team_transfer& given);
  FarOperationPointer start_update(const thalweg_team_atomic& given);

  void fence();
  void quiet();
  /// The same as wait() for less than a microsecond. Then is it met?
  bool is_met_soon(const std::uint64_t* word, thalweg_condition condition, std::uint64_t value,
                   std::uint64_t& found) const;
  /// Gives what the word was.
  std::uint64_t wait(const std::uint64_t* word, thalweg_condition condition, std::uint64_t value);
  void progress();

private:
  /// Where such bytes of a rank are; nullptr where there are none, or they cannot be reached.
  std::byte* place_of(const void* address, std::size_t offset, std::size_t bytes, Rank rank) const;
  std::byte* place_of_block(const thalweg_team_transfer& given) const;

  const job::Group& group_;
  const SymmetricMemory& memory_;
  Operations& operations_;
  std::unique_ptr<FarMemory> far_; ///< null where all memory can be reached
};

} // namespace thalweg::teams
