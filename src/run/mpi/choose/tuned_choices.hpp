// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What runs calls as the user or the tuning file chose.

#include "job/picks_by_shape.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/observe/reasons.hpp"
#include "strategies/selection.hpp"
#include "tune/tuning_file.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thalweg::mpi {

/// What runs a call, and why.
struct Choice {
  strategies::Implementation implementation = strategies::Library{};
  const char* reason = observe::nothing_chosen; ///< for the report, where the library runs the call
  /// The library's own blocking call was measured and found best, which is not the one that yielding ranks
  /// make by its nonblocking counterpart.
  bool blocks = false;
  /// "mesh2d", "recursive_doubling:segment=64KiB", as the report shows it; lives as long as the process.
  const char* text = "native";
  /// The same without "+thread", of calls that no thread advances.
  const char* text_in_calls = text;
  std::int64_t id = 0; ///< the same for the same strategy and parameters, whenever they are chosen
};

/// What a call's units are, as far as all ranks know it: of tune::Case.
struct UnitSize {
  std::int64_t bytes = 0; ///< -1: each rank knows its own alone
  double degree = 0;      ///< to how many others a rank has something, in the mean; 0: to all
};

/// A choice for a call, and how long it holds.
struct Decision {
  const Choice* choice = nullptr;
  /// How many calls of this kind are left for which it holds; null: for good. Whoever makes such a call
  /// without asking again counts it here.
  std::uint32_t* calls_left = nullptr;
  bool is_for_one_call = false; ///< the next one asks again
};

/// The name under which selections know an MPI operation.
std::string_view call_name(Operation operation);

/// What was selected as a choice; equal ones get the same number.
Choice make_choice(const strategies::Implementation& implementation, const char* reason);

/// The choices made in THALWEG_USE, or through thalweg_set_selection() while nothing is under way.
class Choices {
public:
  /// Replaces all choices. Throws Error for a text that does not read; nothing is changed then.
  void read(std::string_view text);
  /// Null where nothing was chosen.
  const Choice* of(Operation operation) const;
  /// Whether some operation is for a strategy of ours, and not all for the library.
  bool any_strategy() const;

private:
  std::array<std::optional<Choice>, operation_count> choices_;
};

Choices& choices();

/// What the tuning file says for this job: the same on all ranks, read once at the start.
class TunedChoices {
public:
  /// Who found it: the tuner, or a program that learned, to the search's end or not.
  enum class Finder { tuner, learner, interrupted };
  struct Entry {
    std::int64_t bytes;
    Finder finder;
    Choice choice;
    std::int32_t degree = 0; ///< tune::Pick::degree
  };

  /// Replaces what is known. The picks are what takes effect (choose/effect.hpp).
  void take(const tune::Tuning& tuning);
  bool any() const { return any_; }
  /// Whether nonblocking calls of the program may be ours.
  bool any_nonblocking_strategy() const { return !nonblocking_shapes_.empty(); }
  /// Ranks and nodes of the communicators on which they may be.
  const std::vector<std::pair<std::int32_t, std::int32_t>>& nonblocking_shapes() const {
    return nonblocking_shapes_;
  }

  /// The choice for the nearest size that was tuned for communicators like this one, or null. Nonblocking
  /// calls have choices of their own, and persistent ones have those too: between a start and its wait the
  /// program computes alike. Where sizes are not known to all ranks a choice of the tuner holds if it is the
  /// same for all sizes and degrees that were tuned, as ranks could not agree on one of several. What
  /// programs have learned holds for calls whose result is the same with every strategy. Strategies of the
  /// tuner hold for sums too, in which last digits may change. Neither is bound so for `all`.
  const Choice* of(const CollectiveCall& call, CommunicatorState& communicator, bool all) const;
  /// The same for blocking or nonblocking calls with such units, on which the ranks have agreed.
  const Entry* nearest(Operation operation, Mode mode, const UnitSize& size,
                       CommunicatorState& communicator) const;

private:
  using Picks = std::array<job::PicksByShape<Entry>, operation_count>;

  void take(Picks& known, const std::vector<tune::Pick>& picks);
  static const Entry* nearest(const Picks& known, Operation operation, const UnitSize& size,
                              CommunicatorState& communicator);

  Picks picks_;
  Picks nonblocking_;
  bool any_ = false;
  std::vector<std::pair<std::int32_t, std::int32_t>> nonblocking_shapes_; ///< each once
};

TunedChoices& tuned_choices();

/// Bytes of the call's unit (schedule/buffers.hpp), where MPI makes them the same on all ranks; else -1.
std::int64_t agreed_unit_bytes(const CollectiveCall& call, CommunicatorState& communicator);

} // namespace thalweg::mpi
