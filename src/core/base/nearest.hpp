// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace thalweg {

/// The `most` names closest to what was written (by single-letter edits), closest first: for "did you mean".
std::vector<std::string_view> nearest(std::string_view written, std::vector<std::string_view> names,
                                      std::size_t limit = 3);

/// Those of the names that so many single-letter edits, or fewer, make of what was written; closest first.
std::vector<std::string_view> nearest_within(std::string_view written, std::vector<std::string_view> names,
                                             std::size_t edits);

} // namespace thalweg
