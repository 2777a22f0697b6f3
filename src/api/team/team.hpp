// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A team: its ranks, its memory, its messages, and its collectives (thalweg/team.h).

#include "team/learning.hpp"
#include "team/messages.hpp"
#include "team/one_sided.hpp"
#include "team/operations.hpp"
#include "team/reported.hpp"
#include "team/symmetric_memory.hpp"

#include <memory>
#include <string>

namespace thalweg::teams {

class Team {
public:
  /// Collective over `communicator`.
  explicit Team(MPI_Comm communicator);
  /// The part of `whole` that `shadow` joins. Collective over the part.
  Team(std::shared_ptr<job::ShadowCommunicator> shadow, const Team& whole);

  const job::Group& group() const { return group_; }
  void use(const std::string& selections);
  /// What runs for units of so many bytes, and who says so.
  std::string strategy(thalweg_collective collective, std::size_t bytes) const;
  /// A communicator for the ranks of one color, by key; null for a negative color. Collective.
  std::shared_ptr<job::ShadowCommunicator> split(int color, int key);

  std::byte* allocate(std::size_t bytes);
  void release(const void* begin);
  std::byte* reach(const void* address, Rank rank) const;

  /// Starts a collective. Null where it has finished at once.
  OperationPointer start(const thalweg_team_call& given, const void* return_address);
  /// The same, and waits for it unless nothing is to be waited for.
  void run(const thalweg_team_call& given, const void* return_address);
  OperationPointer start_barrier(const void* return_address);
  void barrier(const void* return_address);

  /// Collective, before the first message.
  void open_inboxes();
  /// Throws Error where they were not opened.
  Messages& messages();
  /// Waits for all ranks, where one that is gone would be missed by those that wait for its messages.
  void end_messages();

  /// At the end of the team: keeps what was learned.
  void keep_learned() const { learning_.keep(); }

  /// What this rank does to others' memory.
  OneSided& one_sided() { return one_sided_; }
  /// What is under way, and waiting for it.
  Operations& operations() { return operations_; }

private:
  Team(std::shared_ptr<job::ShadowCommunicator> shadow, const Team* whole);
  TeamCall checked_call(const thalweg_team_call& given, const void* return_address);
  void run(TeamCall call, const void* return_address);
  void check_same(const std::string& what, const std::string& site);

  job::Group group_;
  bool is_checked_;
  SymmetricMemory memory_;
  std::shared_ptr<const job::Knowledge> knowledge_;
  Plans plans_;
  Operations operations_;
  Learning learning_;
  Reporting reporting_;
  OneSided one_sided_;
  std::unique_ptr<Messages> messages_;
};

} // namespace thalweg::teams
