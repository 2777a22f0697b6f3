#include "mpi/entry/child_environment.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace thalweg::mpi {

namespace {

bool is_ours(std::string_view library) {
  return library.substr(library.rfind('/') + 1).starts_with("libthalweg-");
}

} // namespace

void spare_children() {
  constexpr const char* name = "LD_PRELOAD";
  constexpr std::string_view separators = " :"; // of the dynamic linker
  const char* const value = std::getenv(name);
  if (value == nullptr)
    return;
  const std::string all = value;
  std::string rest;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find_first_of(separators, at), all.size());
    const std::string_view library = std::string_view(all).substr(at, end - at);
    if (!library.empty() && !is_ours(library))
      rest += (rest.empty() ? "" : ":") + std::string(library);
    at = end + 1;
  }
  if (rest.empty())
    unsetenv(name);
  else
    setenv(name, rest.c_str(), 1);
}

} // namespace thalweg::mpi
