// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/choose/tuned_choices.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "mpi/call/operators.hpp"
#include "mpi/call/sides.hpp"
#include "strategies/degree.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <variant>

namespace thalweg::mpi {

namespace {

// By Operation; the names that selections use.
constexpr std::array<std::string_view, operation_count> call_names{"barrier",
                                                                   "bcast",
                                                                   "gather",
                                                                   "gatherv",
                                                                   "scatter",
                                                                   "scatterv",
                                                                   "allgather",
                                                                   "allgatherv",
                                                                   "alltoall",
                                                                   "alltoallv",
                                                                   "alltoallw",
                                                                   "reduce",
                                                                   "allreduce",
                                                                   "reduce_scatter",
                                                                   "reduce_scatter_block",
                                                                   "scan",
                                                                   "exscan",
                                                                   "neighbor_allgather",
                                                                   "neighbor_allgatherv",
                                                                   "neighbor_alltoall",
                                                                   "neighbor_alltoallv",
                                                                   "neighbor_alltoallw"};

// Strategies of different operations may have one name.
using Key = std::pair<schedule::Operation, std::string>;

// Every choice made so far with its number. Only ever added to.
struct KnownTexts {
  std::mutex mutex;
  std::map<Key, std::int64_t> numbers;
};

} // namespace

std::string_view call_name(Operation operation) {
  return call_names[static_cast<std::size_t>(operation)];
}

Choice make_choice(const strategies::Implementation& implementation, const char* reason) {
  Choice choice{.implementation = implementation, .reason = reason};
  const auto* scheduled = std::get_if<strategies::Scheduled>(&implementation);
  if (scheduled == nullptr)
    return choice;
  auto& known = of_process<KnownTexts>();
  const std::lock_guard lock(known.mutex);
  const auto& [key, id] =
      *known.numbers
           .try_emplace(Key{scheduled->strategy().operation, strategies::to_text(*scheduled)},
                        known.numbers.size() + 1)
           .first;
  choice.text = choice.text_in_calls = key.second.c_str();
  if (scheduled->advancing() == strategies::Advancing::by_thread)
    choice.text_in_calls =
        kept_text(strategies::to_text(scheduled->advanced(strategies::Advancing::in_calls)));
  choice.id = id;
  return choice;
}

void Choices::read(std::string_view text) {
  const std::vector<strategies::Selection> selections = strategies::parse_selections(text);
  choices_ = {};
  for (std::size_t operation = 0; operation < choices_.size(); ++operation) {
    const strategies::Call* call = strategies::find_call(call_names[operation]);
    const strategies::Selection* selection =
        call == nullptr ? nullptr : strategies::selected(selections, *call);
    if (selection != nullptr)
      choices_[operation] = make_choice(selection->implementation, "chosen by --use");
  }
}

const Choice* Choices::of(Operation operation) const {
  const std::optional<Choice>& choice = choices_[static_cast<std::size_t>(operation)];
  return choice ? &*choice : nullptr;
}

bool Choices::any_strategy() const {
  return std::ranges::any_of(choices_, [](const auto& choice) {
    return choice && std::holds_alternative<strategies::Scheduled>(choice->implementation);
  });
}

Choices& choices() {
  static Choices instance;
  return instance;
}

namespace {

Operation operation_of(const strategies::Call& call) {
  std::size_t operation = 0;
  while (operation < operation_count &&
         strategies::find_call(call_name(static_cast<Operation>(operation))) != &call)
    ++operation;
  return static_cast<Operation>(operation);
}

TunedChoices::Finder finder_of(const tune::Pick& pick) {
  using Finder = TunedChoices::Finder;
  return pick.source == tune::tune_source     ? Finder::tuner
         : pick.source == tune::online_source ? Finder::learner
                                              : Finder::interrupted;
}

/// Who tunes wants picks for sums too. But no more than last digits may change by it.
bool may_change_digits(const TunedChoices::Entry& entry, const CollectiveCall& call) {
  return entry.finder == TunedChoices::Finder::tuner &&
         (only_rounds(call) || !std::holds_alternative<strategies::Scheduled>(entry.choice.implementation));
}

} // namespace

std::int64_t agreed_unit_bytes(const CollectiveCall& call, CommunicatorState& communicator) {
  if (!operation_shape(call.function->operation).are_sizes_agreed)
    return -1;
  return static_cast<std::int64_t>(sides_of(call, communicator).unit_bytes());
}

void TunedChoices::take(Picks& known, const std::vector<tune::Pick>& picks) {
  for (const tune::Pick& pick : picks) {
    const auto operation = static_cast<std::size_t>(operation_of(*strategies::find_call(pick.call)));
    if (operation >= operation_count)
      continue;
    Choice choice = make_choice(pick.use, "best by the tuning file");
    const Finder finder = finder_of(pick);
    choice.blocks = strategies::is_native(pick.use) && finder == Finder::tuner;
    known[operation].add(pick.ranks, pick.nodes, {pick.bytes, finder, std::move(choice), pick.degree});
    any_ = true;
  }
}

void TunedChoices::take(const tune::Tuning& tuning) {
  *this = {};
  take(picks_, tuning.picks);
  take(nonblocking_, tuning.nonblocking);
  for (const tune::Pick& pick : tuning.nonblocking) {
    const std::pair shape{pick.ranks, pick.nodes};
    if (std::holds_alternative<strategies::Scheduled>(pick.use) &&
        std::ranges::find(nonblocking_shapes_, shape) == nonblocking_shapes_.end())
      nonblocking_shapes_.push_back(shape);
  }
}

const Choice* TunedChoices::of(const CollectiveCall& call, CommunicatorState& communicator, bool all) const {
  const Mode mode = call.function->mode;
  if (!communicator.agreed || communicator.inter)
    return nullptr;
  const Entry* found =
      nearest(call.function->operation, mode, {.bytes = agreed_unit_bytes(call, communicator)}, communicator);
  if (found == nullptr || !(all || is_exact(call) || may_change_digits(*found, call)))
    return nullptr;
  return &found->choice;
}

namespace {

using Entry = TunedChoices::Entry;

/// The first of the tuner's, if all of them choose the same.
const Entry* same_for_all(std::span<const Entry> entries) {
  const auto is_like_first = [&](const Entry& entry) {
    return entry.finder == TunedChoices::Finder::tuner &&
           entry.choice.id == entries.front().choice.id; // the library's own all have the same
  };
  return !entries.empty() && std::ranges::all_of(entries, is_like_first) ? &entries.front() : nullptr;
}

double ratio(double a, double b) {
  return std::max({a, b, 1.0}) / std::max(std::min(a, b), 1.0);
}

/// By size and degree, an octave of the one being as far as one of the other. Of products and quotients
/// alone, which are the same on all hosts.
const Entry* nearest_by_degree(std::span<const Entry> entries, const UnitSize& size, int others) {
  const auto distance = [&](const Entry& entry) {
    return ratio(static_cast<double>(entry.bytes), static_cast<double>(size.bytes)) *
           ratio(entry.degree > 0 ? entry.degree : others, size.degree > 0 ? size.degree : others);
  };
  const auto found = std::ranges::min_element(entries, {}, distance);
  return found == entries.end() ? nullptr : &*found;
}

} // namespace

const Entry* TunedChoices::nearest(Operation operation, Mode mode, const UnitSize& size,
                                   CommunicatorState& communicator) const {
  return nearest(mode == Mode::blocking ? picks_ : nonblocking_, operation, size, communicator);
}

const Entry* TunedChoices::nearest(const Picks& known, Operation operation, const UnitSize& size,
                                   CommunicatorState& communicator) {
  const job::PicksByShape<Entry>& picks = known[static_cast<std::size_t>(operation)];
  if (picks.is_empty())
    return nullptr;
  THALWEG_ASSERT(light, communicator.agreed && !communicator.inter);
  const int nodes = communicator.group().node_count();
  if (size.bytes < 0)
    return same_for_all(picks.of(communicator.size, nodes));
  if (strategies::has_degree(*strategies::find_call(call_name(operation))))
    return nearest_by_degree(picks.of(communicator.size, nodes), size, communicator.size - 1);
  return picks.nearest(communicator.size, nodes, size.bytes);
}

TunedChoices& tuned_choices() {
  static TunedChoices instance;
  return instance;
}

} // namespace thalweg::mpi
