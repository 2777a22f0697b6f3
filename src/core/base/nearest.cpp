// SPDX-License-Identifier: BSD-3-Clause
#include "base/nearest.hpp"

#include <algorithm>

namespace thalweg {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

} // namespace

std::vector<std::string_view> nearest(std::string_view written, std::vector<std::string_view> names,
                                      std::size_t limit) {
  std::ranges::stable_sort(names, {}, [&](std::string_view name) { return edit_distance(name, written); });
  names.resize(std::min(names.size(), limit));
  return names;
}

std::vector<std::string_view> nearest_within(std::string_view written, std::vector<std::string_view> names,
                                             std::size_t edits) {
  std::erase_if(names, [&](std::string_view name) { return edit_distance(name, written) > edits; });
  const std::size_t all = names.size();
  return nearest(written, std::move(names), all);
}

} // namespace thalweg
