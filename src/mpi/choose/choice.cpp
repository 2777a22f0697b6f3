#include "mpi/choose/choice.hpp"

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

// Every choice made so far with its number. Only ever added to.
struct KnownTexts {
  std::mutex mutex;
  std::map<std::string, std::int64_t> numbers;
};

KnownTexts& known_texts() {
  static KnownTexts texts;
  return texts;
}

} // namespace

std::string_view call_name(Operation operation) {
  return call_names[static_cast<std::size_t>(operation)];
}

Choice make_choice(const strategies::Selection& selection) {
  Choice choice;
  if (selection.is_native())
    return choice;
  const std::string whole = strategies::to_text(selection);
  KnownTexts& known = known_texts();
  const std::lock_guard lock(known.mutex);
  const auto& [name, id] = *known.numbers.try_emplace(whole, known.numbers.size() + 1).first;
  choice.strategy = selection.strategy;
  choice.parameters = selection.parameters;
  choice.text = name.c_str() + name.find('=') + 1;
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
      choices_[operation] = make_choice(*selection);
  }
}

const Choice* Choices::of(Operation operation) const {
  const std::optional<Choice>& choice = choices_[static_cast<std::size_t>(operation)];
  return choice ? &*choice : nullptr;
}

bool Choices::any_strategy() const {
  return std::ranges::any_of(choices_,
                             [](const auto& choice) { return choice && choice->strategy != nullptr; });
}

Choices& choices() {
  static Choices instance;
  return instance;
}

} // namespace thalweg::mpi
