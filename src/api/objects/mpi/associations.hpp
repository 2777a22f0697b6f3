// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The associations of a communicator's arrays: each is a call of the program with brackets of its own, and a
// strategy of its own. With "auto" it may have another one after each fence.

#include "job/library/group_knowledge.hpp"
#include "objects/bracket.hpp"
#include "objects/bracket_choice.hpp"
#include "objects/fences.hpp"
#include "objects/mpi/scheduler.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::objects {

class Associations final : public HeldMessages {
public:
  Associations(Scheduler& scheduler, FenceNotes& notes) : scheduler_(scheduler), notes_(notes) {
    scheduler.set_holder(this);
  }
  /// What fences have found is kept for later jobs.
  ~Associations() override;
  Associations(const Associations&) = delete;
  Associations& operator=(const Associations&) = delete;

  /// Collective. Throws Error on all ranks where they do not agree.
  /// `unused`: bits of its brackets on this rank; `bit` becomes one that is so on all ranks.
  std::uint16_t add(std::uint16_t array, std::string_view strategy, std::uint32_t unused, std::uint32_t& bit);
  /// It ends when no message of it is left.
  void remove(std::uint16_t number) { all_.at(number)->has_ended = true; }
  /// No message is left on any rank.
  void drop_ended();

  Bracket& bracket(std::uint16_t number) { return all_[number]->bracket; }

  std::size_t take(std::uint16_t entry, const char* combined, std::size_t bytes) override;
  std::uint64_t held() const override;
  void begin_epoch(bool sends) override;

  /// Collective, where all messages have been run: strategies change. A period begins behind it.
  void switch_strategies();
  /// What has been run since does not count as the period's. `have_moved`: elements, at this fence.
  void begin_period(bool have_moved) {
    period_began_seconds_ = scheduler_.running_seconds();
    have_moved_ = have_moved;
  }

private:
  struct Association {
    std::uint16_t array;
    Bracket bracket;
    std::optional<BracketChoice> choice;
    bool is_explained = false; ///< what is used now
    bool has_ended = false;
  };
  /// Collective.
  std::optional<BracketChoice> choice_of(bool may_try);
  std::vector<FoundStrategy> found_before() const;
  void note_results(const Association& association);
  std::uint32_t agree_on_bit(std::string_view strategy, std::uint16_t array, bool may_try,
                             std::uint32_t unused) const;
  void use_choice(std::size_t number);
  /// For the report of `thalweg run`.
  void remark(std::size_t number, const std::string& text);

  Scheduler& scheduler_;
  FenceNotes& notes_;
  std::uint32_t epoch_ = 0;
  std::vector<std::optional<Association>> all_;
  std::optional<job::Knowledge> knowledge_; ///< where there is something to choose
  std::vector<tune::BracketPick> found_;    ///< by associations that have ended
  std::vector<std::string> remarks_;        ///< by association, also of those that have ended
  BracketTurns turns_;
  double period_began_seconds_ = 0;
  bool have_moved_ = false;
};

} // namespace thalweg::objects
