// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/choose/choice.hpp"
#include "base/of_process.hpp"

#include <algorithm>
#include <map>
#include <mutex>

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
  choice.text = key.second.c_str();
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

} // namespace thalweg::mpi
