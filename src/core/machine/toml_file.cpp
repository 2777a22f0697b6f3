// SPDX-License-Identifier: BSD-3-Clause
#include "machine/toml_file.hpp"

#include "base/error.hpp"
#include "base/nearest.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thalweg::machine {

toml::table parse_toml(std::string_view text, const std::string& file, const std::string& remedy) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}: {}", place_in(file, error.source().begin.line), error.description()),
                remedy);
  }
}

void check_keys(const toml::table& table, const std::vector<std::string_view>& known, const std::string& file,
                std::string_view path) {
  constexpr std::size_t edits_max = 3;
  for (const auto& [key, value] : table) {
    if (std::ranges::find(known, key.str()) != known.end())
      continue;
    const std::vector<std::string_view> meant =
        nearest_within(key.str(), known, std::min(edits_max, key.str().size() / 2));
    throw Error(fmt::format("{}: {}{}{} is not known", place_in(file, key.source().begin.line), path,
                            path.empty() ? "" : ".", key.str()),
                meant.empty() ? fmt::format("leave it out; known are {}", fmt::join(known, ", "))
                              : fmt::format("did you mean {}?", meant.front()));
  }
}

std::uint32_t line_of(const toml::node* node) {
  return node == nullptr ? 0 : node->source().begin.line;
}

std::string place_in(const std::string& file, std::uint32_t line) {
  return line == 0 ? file : fmt::format("{}:{}", file, line);
}

} // namespace thalweg::machine
