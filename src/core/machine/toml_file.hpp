// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Files of TOML that people edit: what is not known in them is refused with its line.

#include <initializer_list>
#include <string>
#include <string_view>
#include <toml++/toml.h>
#include <vector>

namespace thalweg::machine {

/// Throws Error with the file, the line and the remedy for what is no TOML.
toml::table parse_toml(std::string_view text, const std::string& file, const std::string& remedy);

/// Throws Error with the line of the first key that is not among those known, and what may have been meant.
/// `path` is the table's, empty for the file's own.
void check_keys(const toml::table& table, const std::vector<std::string_view>& known, const std::string& file,
                std::string_view path);

/// The line of a value; 0 where there is none.
std::uint32_t line_of(const toml::node* node);

/// "FILE:LINE", or the file alone for line 0.
std::string place_in(const std::string& file, std::uint32_t line);

} // namespace thalweg::machine
