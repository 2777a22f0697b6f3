// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/words.hpp"

namespace thalweg::strategies {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\n";
  const auto begin = text.find_first_not_of(blanks);
  return begin == std::string_view::npos ? std::string_view{}
                                         : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos)
      return parts;
    text.remove_prefix(at + 1);
  }
}

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text.substr(0, 60))
    result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > 60 ? "..'" : "'");
}

} // namespace thalweg::strategies
