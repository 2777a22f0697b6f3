// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Cutting what users write into words, and quoting it back to them.

#include <string>
#include <string_view>
#include <vector>

namespace thalweg::strategies {

/// How selections are written, as a remedy.
inline constexpr std::string_view grammar =
    "write operation=strategy[:parameter=value,..][+thread], several joined by ';'";

/// Without blanks at either end.
std::string_view trimmed(std::string_view text);
/// The text cut at each `separator`, trimmed; one piece more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator);
/// What the user wrote, fit to be quoted in a message of one line.
std::string quoted(std::string_view text);

} // namespace thalweg::strategies
