// SPDX-License-Identifier: BSD-3-Clause
#include "topology/extents.hpp"

#include <charconv>

namespace thalweg::topology {

std::vector<std::int32_t> parse_extents(std::string_view text) {
  std::vector<std::int32_t> extents;
  for (;;) {
    std::int32_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc{} || extent < 1)
      return {};
    extents.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty())
      return extents;
    if (text.front() != 'x')
      return {};
    text.remove_prefix(1);
  }
}

} // namespace thalweg::topology
