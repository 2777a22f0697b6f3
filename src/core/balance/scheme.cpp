// SPDX-License-Identifier: BSD-3-Clause
#include "balance/scheme.hpp"

#include "balance/alias_method.hpp"
#include "balance/line.hpp"
#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace thalweg::balancing {

namespace {

/// One step of diffusion: each rank looks at its two neighbors in the order alone. Of two neighbors, the one
/// that is further above its target gives a third of the difference, rounded to the nearest. Repeated, it
/// brings neighbors within a task of each other. A third, as a rank with two neighbors then keeps a third
/// itself. Nobody gives what it does not have. O(ranks).
///
/// Source: the balancing of Sudheer Kumar 2012, section 4.4.1; of first order (Cybenko 1989).
Flow diffusion(std::span<const Tasks> loads, std::span<const Tasks> targets, std::span<const Rank> order) {
  const auto excess = [&](Rank rank) {
    return loads[static_cast<std::size_t>(rank)] - targets[static_cast<std::size_t>(rank)];
  };
  std::vector<Tasks> left(loads.begin(), loads.end());
  Flow flow;
  for (std::size_t position = 1; position < order.size(); ++position) {
    Rank from = order[position - 1];
    Rank to = order[position];
    if (excess(from) < excess(to))
      std::swap(from, to);
    Tasks& own = left[static_cast<std::size_t>(from)];
    const Tasks given = std::min((excess(from) - excess(to) + 1) / 3, own);
    own -= given;
    if (given > 0)
      flow.push_back({from, to, given});
  }
  return flow;
}

constexpr std::array entries{
    SchemeEntry{Scheme::none, "none", "nothing moves",
                "loads are even enough, or the next balancing is near"},
    SchemeEntry{Scheme::sweep, "sweep", "along the order, ranks with too much serve those with too little",
                "tasks are large: no scheme moves fewer"},
    SchemeEntry{Scheme::alias, "alias", "as sweep, but each rank receives one message",
                "tasks are small and receiving is what takes time"},
    SchemeEntry{Scheme::nested_sweep, "nested-sweep", "as sweep, but each serves the nearest that is left",
                "hops count, as on a mesh or torus, and somebody knows all loads"},
    SchemeEntry{Scheme::nested_alias, "nested-alias", "as nested-sweep, but each rank receives one message",
                "hops count, tasks are small, and receiving is what takes time"},
    SchemeEntry{Scheme::alias_queued, "alias-queued",
                "the alias method, with ranks served in the order of a queue",
                "loads are wild and hops do not matter: it may move fewer tasks than alias"},
    SchemeEntry{Scheme::alias_printed, "alias-printed", "the alias method as published",
                "something is to be compared with it"},
    SchemeEntry{Scheme::diffusion, "diffusion", "a third of the difference to each neighbor in the order",
                "loads change slowly and it runs at each step"},
};

/// The sum, or an Error where a number is below 0 or the sum is too large.
Tasks checked_sum(std::span<const Tasks> numbers, const char* what) {
  Tasks sum = 0;
  for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
    if (numbers[rank] < 0)
      throw Error(fmt::format("rank {} has a {} of {}", rank, what, numbers[rank]), "give a number from 0");
    if (numbers[rank] > tasks_max - sum)
      throw Error(fmt::format("the {}s of ranks 0 to {} are over {} together", what, rank, tasks_max),
                  "count in a larger unit");
    sum += numbers[rank];
  }
  return sum;
}

void check_order(std::span<const Rank> order, std::size_t ranks) {
  if (order.size() != ranks)
    throw Error(fmt::format("the order has {} ranks, and there are {}", order.size(), ranks),
                "name each rank once");
  std::vector<bool> seen(ranks);
  for (const Rank rank : order) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= ranks || seen[static_cast<std::size_t>(rank)])
      throw Error(fmt::format("rank {} comes twice in the order, or is none of {} ranks", rank, ranks),
                  "name each rank once");
    seen[static_cast<std::size_t>(rank)] = true;
  }
}

std::string names() {
  std::vector<std::string_view> all;
  for (const SchemeEntry& entry : entries)
    all.push_back(entry.name);
  return fmt::format("choose {}", fmt::join(all, ", "));
}

} // namespace

Problem checked(Problem problem) {
  if (problem.loads.empty())
    throw Error("nothing can be balanced among no ranks", "give the load of at least one");
  checked_sum(problem.loads, "load");
  if (problem.order.empty()) {
    problem.order.resize(problem.loads.size());
    std::iota(problem.order.begin(), problem.order.end(), 0);
  }
  check_order(problem.order, problem.loads.size());
  if (problem.speeds.empty())
    return problem;
  if (problem.speeds.size() != problem.loads.size())
    throw Error(fmt::format("{} speeds for {} ranks", problem.speeds.size(), problem.loads.size()),
                "give each rank a speed");
  if (checked_sum(problem.speeds, "speed") == 0)
    throw Error("all speeds are 0", "give at least one rank a speed above 0");
  if (problem.spread == Spread::capped)
    throw Error("a capped spread of ranks with speeds", "leave one of the two out");
  return problem;
}

std::span<const SchemeEntry> schemes() {
  return entries;
}

std::string_view name(Scheme scheme) {
  return std::ranges::find(entries, scheme, &SchemeEntry::scheme)->name;
}

Scheme parse_scheme(std::string_view name) {
  const auto found = std::ranges::find(entries, name, &SchemeEntry::name);
  if (found == entries.end())
    throw Error(fmt::format("no scheme is called '{}'", name), names());
  return found->scheme;
}

Spread parse_spread(std::string_view text) {
  for (const Spread spread : {Spread::even, Spread::capped})
    if (text == name(spread))
      return spread;
  throw Error(fmt::format("no spread is called '{}'", text), "choose even or capped");
}

bool is_able(Scheme scheme, const Problem& problem) {
  if (problem.speeds.empty())
    return true;
  switch (scheme) {
  case Scheme::alias:
  case Scheme::nested_alias:
    return is_ready(problem.loads, flow_of(scheme, problem));
  case Scheme::alias_queued:
  case Scheme::alias_printed:
    return false;
  case Scheme::none:
  case Scheme::sweep:
  case Scheme::nested_sweep:
  case Scheme::diffusion:
    return true;
  }
  return false;
}

namespace {

/// The flow of a scheme that goes by targets.
Flow flow_to(std::span<const Tasks> wanted, Scheme scheme, const Problem& problem) {
  switch (scheme) {
  case Scheme::sweep:
    return served(Service::sweep, line_of(problem.loads, wanted, problem.order).slice());
  case Scheme::alias:
    return served(Service::alias, line_of(problem.loads, wanted, problem.order).slice());
  case Scheme::nested_sweep:
    return nested(Service::sweep, problem.loads, wanted, problem.order);
  case Scheme::nested_alias:
    return nested(Service::alias, problem.loads, wanted, problem.order);
  case Scheme::alias_queued:
    return alias_queued(problem.loads, wanted, problem.order);
  case Scheme::diffusion:
    return diffusion(problem.loads, wanted, problem.order);
  case Scheme::none:
  case Scheme::alias_printed:
    break;
  }
  return {};
}

} // namespace

Flow flow_of(Scheme scheme, const Problem& problem) {
  if (scheme == Scheme::none)
    return {};
  if (scheme == Scheme::alias_printed)
    return alias_as_printed(problem.loads, problem.order);
  const std::vector<Tasks> wanted = targets(problem.loads, problem.order, problem.spread, problem.speeds);
  Flow flow = flow_to(wanted, scheme, problem);
  THALWEG_ASSERT(heavy, scheme == Scheme::diffusion || applied(problem.loads, flow) == wanted);
  return flow;
}

} // namespace thalweg::balancing
