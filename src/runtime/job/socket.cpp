// SPDX-License-Identifier: BSD-3-Clause
#include "job/socket.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <vector>

namespace thalweg::job {

namespace {

std::size_t read_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, char letter) {
  const bool found = text.starts_with(letter);
  text.remove_prefix(found ? 1 : 0);
  return found;
}

// The kernel's way of writing sets: "0-15,32-47".
std::vector<std::size_t> listed_cores(std::string_view text) {
  constexpr std::size_t max_cores = 1 << 16;
  std::vector<std::size_t> cores;
  do {
    const std::size_t first = read_number(text);
    const std::size_t last = take(text, '-') ? read_number(text) : first;
    for (std::size_t core = first; core <= std::min(last, max_cores); ++core) {
      cores.push_back(core);
    }
  } while (take(text, ','));
  return cores;
}

} // namespace

int socket_of(std::span<const std::size_t> cores, const std::string& folder) {
  if (cores.empty()) {
    return -1;
  }
  const std::string topology = fmt::format("{}/cpu{}/topology/", folder, cores.front());
  int socket = -1;
  std::string fellows;
  if (!(std::ifstream(topology + "physical_package_id") >> socket) ||
      !(std::ifstream(topology + "core_siblings_list") >> fellows)) {
    return -1;
  }
  return std::ranges::includes(listed_cores(fellows), cores) ? socket : -1;
}

} // namespace thalweg::job
