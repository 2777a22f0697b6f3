// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/choose/effect.hpp"

#include "mpi/state/settings.hpp"

#include <fmt/format.h>

namespace thalweg::mpi {

namespace {

using strategies::Implementation;
using strategies::Library;
using strategies::Scheduled;

struct TakesEffect {
  bool has_rules;
  bool operator()(const Library& library) const { return library.algorithm.empty() || has_rules; }
  bool operator()(const Scheduled&) const { return true; }
};

struct Why {
  const char* operator()(const Library&) const {
    return "the library was not told of it when the job started; thalweg run -n RANKS --use does";
  }
  const char* operator()(const Scheduled&) const { return ""; }
};

} // namespace

Implementation in_effect(const Implementation& chosen, const std::optional<Implementation>& fallback) {
  const TakesEffect takes_effect{library_has_rules()};
  if (!std::visit(takes_effect, chosen))
    return fallback && std::visit(takes_effect, *fallback) ? *fallback : Library{};
  return std::holds_alternative<Library>(chosen) ? Library{} : chosen;
}

std::vector<std::string> without_effect(const std::vector<strategies::Selection>& selections,
                                        bool has_rules) {
  std::vector<std::string> lines;
  for (const strategies::Selection& selection : selections)
    if (!std::visit(TakesEffect{has_rules}, selection.implementation))
      lines.push_back(fmt::format("{} takes no effect: {}", strategies::to_text(selection),
                                  std::visit(Why{}, selection.implementation)));
  return lines;
}

} // namespace thalweg::mpi
