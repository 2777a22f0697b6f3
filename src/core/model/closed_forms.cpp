// SPDX-License-Identifier: BSD-3-Clause
#include "model/closed_forms.hpp"

#include "model/closed_form_table.hpp"

namespace thalweg::model {

std::optional<ClosedForm> closed_form(std::string_view strategy, const schedule::Problem& problem,
                                      const machine::Machine& machine, machine::Level level) {
  for (const auto lines : {exchange_forms(), tree_forms()})
    for (const TableLine& line : lines) {
      if (line.operation != problem.operation || line.strategy != strategy)
        continue;
      if (problem.ranks < 2 || (line.holds != nullptr && !line.holds(problem)))
        return std::nullopt;
      return ClosedForm{line.seconds(MessageTerms(machine, level), problem), line.source};
    }
  return std::nullopt;
}

} // namespace thalweg::model
