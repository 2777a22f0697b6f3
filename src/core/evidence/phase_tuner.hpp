// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which of some options a program goes on with, from phase to phase: a phase of a stream, or the iterations
// between two fences.
//
//   searching   the model puts the options in order; those that it takes to be worth a trial are used for a
//               few phases each, and the fastest stays (the pick)
//   settled     nothing is measured until a lease ends
//   looking     the pick is measured anew; then what is close to it, or expected to be clearly faster for
//               loads that have changed, is tried again, and the next lease is twice as long
//
// Loads differ from phase to phase, so times do not compare. What is seen of a phase is divided by what the
// model predicts for its load under the option in use: the option's *ratio*. What an option is expected to
// take is what the model predicts for the load at hand, times the ratio. An option that was never tried is
// expected to have the least ratio of the others: whoever expects too little of it never finds out.
//
// Loads may differ so much that even ratios do not hold. A *situation* is what its user takes to be
// comparable. Each has its own ratios and its own pick, and is known again when it comes back.
//
// All is a function of what is given. Ranks that give agreed figures choose alike: there are quotients,
// products and comparisons only, which are the same on all processors.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace thalweg::evidence {

/// Numbers that are the same in situations that compare, such as load_class().
using Situation = std::array<std::int32_t, 3>;

/// The same for values within a factor of two, from 2^(class - 1) on.
std::int32_t load_class(double value);
/// The least value of a class; 0 of class 0.
double class_min(std::int32_t load_class);

class PhaseTuner {
public:
  /// What options are like.
  struct Terms {
    /// Options that the first search of a situation tries, the one in use included.
    std::size_t tried_max = std::numeric_limits<std::size_t>::max();
    /// Phases of an option just taken up that are not measured, where phases are short.
    std::uint32_t warm_up_phases = 0;
  };

  /// The search's result in a situation.
  struct Finding {
    Situation situation;
    std::size_t option = 0;
    double seconds = 0; ///< that it is expected to take, for the load that was seen last
  };

  /// Begins with option 0.
  explicit PhaseTuner(std::size_t options, Terms terms);
  PhaseTuner(const PhaseTuner&) = delete;
  PhaseTuner& operator=(const PhaseTuner&) = delete;
  PhaseTuner(PhaseTuner&&) = default;
  PhaseTuner& operator=(PhaseTuner&&) = default;
  ~PhaseTuner() = default;

  /// The option to use.
  std::size_t current() const { return current_; }

  /// Should the phase that is open be measured?
  bool is_due() const { return now_ == nullptr || (is_open() && wait_ == 0); }
  /// There is something to measure, in the situation that was entered last.
  bool is_open() const { return now_ != nullptr && now_->stage != Stage::settled; }

  /// A phase has ended in this situation; what the model predicts for its load, by option, in seconds above
  /// 0. One of the next four says what comes of it. True where the situation is new.
  bool enter(const Situation& situation, std::vector<double> predicted);
  /// The phase was measured: what is to be compared of it (of the phase, or of an iteration), and what it
  /// took in all.
  void observe(double seconds, double duration_seconds);
  /// The phase was not measured. It may be one for which nothing was entered.
  void skip();
  /// What was measured does not count, as something else has changed too: the best known option is used.
  void use_best();
  /// An earlier job has found this option, and what it took there for such a load, in seconds; 0: not known.
  void recall(std::size_t option, double seconds);

  /// What was measured in the situation is no longer to be compared with what comes. It begins anew, a few
  /// times: where that goes on, no search would come to its end.
  void restart();
  /// Another option has come up, behind the others, with what the model predicts. It is tried next.
  void add_option(double predicted_seconds);

  /// The best known option of the situation that was entered last; the one in use where none is.
  std::size_t best() const;
  /// Is the option's ratio known, from this search or from an earlier one that left it far behind?
  bool is_known(std::size_t option) const;
  /// Is it an earlier job's pick that is in use, and was it not measured here?
  bool is_recalled() const { return now_ != nullptr && now_->is_recalled; }
  /// Seconds that the option is expected to take for the load that was entered last.
  double expected(std::size_t option) const;
  /// What searches of this job have found, by situation, once two options or more were compared.
  std::vector<Finding> findings() const;

private:
  enum class Stage { searching, looking, settled };
  struct Trial {
    double ratio = 0;          ///< seen to predicted, the least of its phases; 0: it was never in use
    std::uint32_t phases = 0;  ///< measured in this search
    bool is_wanted = true;     ///< is to be tried, maybe again
    std::uint32_t chances = 2; ///< until it is left out as far too slow
  };
  struct Search { ///< in a situation
    std::vector<Trial> trials;
    Stage stage = Stage::searching;
    std::optional<std::size_t> pick = {}; ///< of the last search, else the option that was seen first
    double pick_ratio = 0;                ///< when its lease began; 0: it was not known
    bool has_ended = false;               ///< once, or an earlier job's
    bool is_recalled = false;             ///< from an earlier job, and not yet looked at
    std::uint64_t lease = 0;              ///< phases between looks
    std::uint64_t left = 0;               ///< of them
    std::uint32_t restarts = 0;
    std::size_t compared = 0; ///< options, in this search
    std::optional<double> found_seconds = {};
  };

  std::vector<double> known_ratios() const;
  bool is_close(std::size_t option) const;
  bool is_hopeless() const;
  void go_on(bool is_long);
  std::optional<std::size_t> next_option() const;
  void try_out(std::size_t option, bool is_long);
  void settle();
  void begin_lease(std::uint64_t phases);
  void look_around();

  Terms terms_;
  std::size_t options_;
  std::map<Situation, Search> searches_;
  Search* now_ = nullptr; ///< of the situation that was entered last; the map's values stay where they are
  std::vector<double> predicted_;
  std::size_t current_ = 0;
  std::uint32_t wait_ = 0; ///< phases until one is measured, while an option warms up
};

} // namespace thalweg::evidence
