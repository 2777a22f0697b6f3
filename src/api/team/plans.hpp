// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which strategy a team's call runs, and its schedule bound to sizes, kept for the next one.

#include "engine/execution.hpp"
#include "engine/plan.hpp"
#include "job/buffers.hpp"
#include "job/library/group_knowledge.hpp"
#include "job/picks_by_shape.hpp"
#include "strategies/selection.hpp"
#include "team/call.hpp"
#include "tune/candidates.hpp"

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::teams {

/// What runs for a problem, and who said so.
struct TeamChoice {
  strategies::Scheduled scheduled;
  std::string origin;
};

/// What the model has picked, kept for a team and all its parts: to ask it takes longer than to make a team,
/// and parts that are made again and again ask the same. Teams of several threads may share it.
class ModelChoices {
public:
  /// The choice for that key, which has all that decides; `find` makes it.
  template <typename Find>
  TeamChoice choice(engine::PlanKey key, Find find) {
    if (const std::shared_ptr<TeamChoice> known = known_choice(key))
      return *known;
    auto found = std::make_shared<TeamChoice>(find());
    const std::scoped_lock lock(mutex_);
    choices_.insert(std::move(key), found);
    return *found;
  }

private:
  std::shared_ptr<TeamChoice> known_choice(const engine::PlanKey& key) {
    const std::scoped_lock lock(mutex_);
    return choices_.find(key);
  }

  std::mutex mutex_;
  engine::PlanCache<TeamChoice> choices_;
};

/// A plan at work, with the memory that it needs. Used again and again, by one call at a time.
class Runner {
public:
  /// `held_bytes`: of input that is copied first, as the output is the same memory and the strategy does not
  /// bear that.
  /// `strategy`: what the plan is of, as a text that stays.
  Runner(std::shared_ptr<const engine::Plan> plan, transport::Transport& transport, std::size_t held_bytes,
         const char* strategy);
  void start(std::byte* input, std::byte* output, engine::Tags tags, engine::Operator* combine);
  engine::Execution& execution() { return *execution_; }
  const char* strategy() const { return strategy_; }

private:
  std::shared_ptr<const engine::Plan> plan_;
  std::size_t held_bytes_;
  const char* strategy_;
  job::Storage held_;
  job::Storage scratch_;
  job::Storage staging_;
  std::unique_ptr<transport::Batch> batch_;
  std::unique_ptr<engine::Execution> execution_;
};

/// Gives its runner back to the plan when it ends.
using BorrowedRunner = std::unique_ptr<Runner, struct RunnerReturn>;

/// Who selected: where a team cannot do what the program asks of it, that is an error. What a job was started
/// with is for its MPI calls as well, and teams pass over what is not theirs.
enum class Selector : std::uint8_t { environment, program };

class Plans {
public:
  /// `knowledge`: agreed by the ranks of the group, or of the whole that it is a part of; then `whole` has
  /// that one's plans, else nullptr.
  Plans(const job::Group& group, std::shared_ptr<const job::Knowledge> knowledge, const Plans* whole);
  /// Selections as for THALWEG_USE; throws Error for what is none, and for what a program selects that no
  /// team has.
  void use(const std::string& selections, Selector selector);
  /// What was selected, else the tuning file's pick, else the model's. Throws Error where the program
  /// selected what cannot do it.
  TeamChoice choose(const schedule::Problem& problem, Mode mode) const;
  /// Can a team run the problem with it?
  static bool can_run(const strategies::Scheduled& scheduled, const schedule::Problem& problem);
  /// Has a whole search found what runs just such calls?
  bool is_tuned(const schedule::Problem& problem, Mode mode) const;
  /// Did somebody select what runs such calls?
  bool is_selected(schedule::Operation operation) const;
  /// What the model is asked about such calls.
  tune::Case model_case(const schedule::Problem& problem, Mode mode) const;
  schedule::Problem problem_of(const TeamCall& call, bool commutes) const;
  const job::Knowledge& knowledge() const { return *knowledge_; }
  /// A runner for such calls. Ranks that make the same calls in the same order get matching ones.
  BorrowedRunner runner_for(const TeamCall& call, bool commutes);

private:
  struct Entry;
  friend struct RunnerReturn;

  std::shared_ptr<Entry> make_entry(const TeamCall& call, bool commutes) const;
  const tune::Pick* pick_of_teams(const schedule::Problem& problem, Mode mode) const;
  std::optional<TeamChoice> best_by_tuning(const schedule::Problem& problem, Mode mode) const;
  TeamChoice best_by_model(const schedule::Problem& problem, Mode mode) const;
  TeamChoice ask_model(const schedule::Problem& problem, Mode mode) const;

  const job::Group& group_;
  std::shared_ptr<const job::Knowledge> knowledge_;
  std::shared_ptr<ModelChoices> model_choices_;
  topology::NodePlaces node_places_;
  std::shared_ptr<const schedule::RankOrders> orders_;
  using Picks = std::map<std::string, job::PicksByShape<tune::Pick>, std::less<>>;
  Picks picks_;                                          ///< by call
  std::array<Picks, tune::modes.size()> picks_of_teams_; ///< by mode
  std::vector<strategies::Selection> chosen_;
  Selector selector_ = Selector::environment;
  engine::PlanCache<Entry> entries_;
};

struct RunnerReturn {
  std::weak_ptr<Plans::Entry> entry;
  void operator()(Runner* runner) const;
};

} // namespace thalweg::teams
