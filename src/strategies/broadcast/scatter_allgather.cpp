#include "strategies/composition.hpp"
#include "strategies/vector_tree.hpp"

#include <array>

namespace thalweg::strategies::broadcast {

namespace {

constexpr std::array<std::string_view, 6> choices{"ring", "hypercube", "bruck", "sparbit", "direct", "knomial"};
constexpr Stage allgather{Operation::allgather, "allgather", choices, "the all-gather of the parts"};

void append(Builder& b) {
  append_part_scatter(b, schedule::Buffer::output, 0, static_cast<std::int32_t>(b.parameter("radix")));
  b.round();
  append_vector_allgather(b, allgather, everybody(b.ranks()));
}

} // namespace

Strategy scatter_allgather() {
  std::vector<Parameter> parameters = degree_parameters(topology::TreeShape::knomial);
  parameters.push_back(allgather.parameter());
  return {.name = "scatter_allgather",
          .operation = Operation::broadcast,
          .summary = "the root's message is scattered in parts over a k-nomial tree, then all ranks gather the parts",
          .wins_when = "large messages",
          .source = "van de Geijn 1994; Thakur, Rabenseifner, Gropp 2005, section 4.3",
          .parameters = parameters,
          .refuses = [](const Problem& problem) { return allgather.refusal(problem, problem.ranks, problem.unit_bytes / problem.ranks); },
          .pieces = [](const Problem& problem) { return problem.ranks; },
          .append = append};
}

} // namespace thalweg::strategies::broadcast
