// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A team: its ranks, its memory, and its collectives in flight (thalweg/team.h).

#include "team/in_flight_operation.hpp"
#include "team/messages.hpp"
#include "team/symmetric_memory.hpp"
#include "team/team_visits.hpp"

#include <deque>
#include <exception>
#include <span>

namespace thalweg::teams {

class Team final : public Visited {
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
  std::shared_ptr<InFlightOperation> start(const thalweg_team_call& given, const void* return_address);
  /// The same, and waits for it unless nothing is to be waited for.
  void run(const thalweg_team_call& given, const void* return_address);
  std::shared_ptr<InFlightOperation> start_barrier(const void* return_address);
  void barrier(const void* return_address);
  void complete();

  /// Collective, before the first message.
  void open_inboxes();
  /// Throws Error where they were not opened.
  Messages& messages();
  /// Waits for all ranks, where one that is gone would be missed by those that wait for its messages.
  void end_messages();

  bool test(const InFlightOperation& operation);
  void wait(const InFlightOperation& operation);

  bool has_under_way() const override { return !in_flight_.empty(); }
  wait::Visit go_on() noexcept override;

private:
  InFlightOperation::Part part_for(const TeamCall& call, bool commutes);
  InFlightOperation::Part barrier_if(bool wanted);
  std::shared_ptr<InFlightOperation> start_operation(const thalweg_team_call& given,
                                                     const void* return_address);
  std::shared_ptr<InFlightOperation> keep(std::shared_ptr<InFlightOperation> operation);
  Team(std::shared_ptr<job::ShadowCommunicator> shadow, const Team* whole);
  void check_same(const std::string& what, const std::string& site);
  /// Returns when all ranks have come, while what is under way goes on: before calls that wait for other
  /// ranks where they cannot look after it.
  void barrier_with_progress();
  static wait::Visit progress_team(void* team);
  void progress();
  template <typename Condition>
  void wait_until(Condition is_reached);

  job::Group group_;
  /// Others wait for what is under way here, in other teams, and for the library: all go on whenever this
  /// rank waits.
  wait::Policy policy_;
  bool is_checked_;
  SymmetricMemory memory_;
  std::shared_ptr<const job::Knowledge> knowledge_;
  Plans plans_;
  engine::TagSupply tags_;
  std::unique_ptr<Messages> messages_;
  std::deque<std::shared_ptr<InFlightOperation>> in_flight_; // in the order of their calls
  std::exception_ptr failure_;                               // of what another team's wait let go on
  Visits visits_{*this};                                     // as long as all else is there
};

} // namespace thalweg::teams
