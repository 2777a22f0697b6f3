// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/child_environment.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace thalweg::mpi {

namespace {

constexpr std::string_view separators = " :"; // of the dynamic linker

// Calls `use` for each entry of a list as LD_PRELOAD has it.
template <typename Use>
void for_each_entry(std::string_view list, const Use& use) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find_first_of(separators, at), list.size());
    if (end > at)
      use(list.substr(at, end - at));
    at = end + 1;
  }
}

bool is_listed(std::string_view library, std::string_view list) {
  bool found = false;
  for_each_entry(list, [&](std::string_view entry) { found = found || entry == library; });
  return found;
}

bool is_ours(std::string_view library) {
  return library.substr(library.rfind('/') + 1).starts_with("libthalweg-");
}

} // namespace

void spare_children() {
  constexpr const char* name = "LD_PRELOAD";
  const char* const value = std::getenv(name);
  if (value == nullptr)
    return;
  const char* const added = std::getenv("THALWEG_PRELOAD_ADDED");
  std::string rest;
  for_each_entry(value, [&](std::string_view library) {
    if (!is_ours(library) && !is_listed(library, added ? added : ""))
      rest += (rest.empty() ? "" : ":") + std::string(library);
  });
  if (rest.empty())
    unsetenv(name);
  else
    setenv(name, rest.c_str(), 1);
}

} // namespace thalweg::mpi
