// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/problem.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::schedule {

std::int64_t Problem::parameter_or(std::string_view wanted, std::int64_t other) const {
  const auto found = std::ranges::find(parameters, wanted, &Parameters::value_type::first);
  return found == parameters.end() ? other : found->second;
}

std::int64_t Problem::parameter(std::string_view wanted) const {
  for (const auto& [known, value] : parameters)
    if (known == wanted)
      return value;
  throw Error(fmt::format("no parameter '{}' in a problem of {}", wanted, name(operation)),
              "resolve parameters through the index before building");
}

} // namespace thalweg::schedule
