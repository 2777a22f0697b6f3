// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/texts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace thalweg::mpi::observe {

std::string duration_text(double ns) {
  for (const auto& [unit, size] : {std::pair{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}}) {
    if (ns >= size) {
      return fmt::format("{:.{}f} {}", ns / size, ns / size < 10 ? 2 : ns / size < 100 ? 1 : 0, unit);
    }
  }
  return fmt::format("{:.0f} ns", ns);
}

std::string bytes_text(double count) {
  for (const auto& [unit, size] : {std::pair{"GiB", 1073741824.0}, {"MiB", 1048576.0}, {"KiB", 1024.0}}) {
    if (count >= size) {
      return fmt::format("{:.{}f} {}", count / size, count / size < 10 ? 1 : 0, unit);
    }
  }
  return fmt::format("{:.0f} B", count);
}

std::string percent_text(double share) {
  return fmt::format("{:.0f}%", 100 * share);
}

namespace {

bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

} // namespace

std::size_t displayed_width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::size_t first_character(const std::string& text) {
  std::size_t size = std::min<std::size_t>(text.size(), 1);
  while (size < text.size() && !begins_character(text[size])) {
    ++size;
  }
  return size;
}

std::string wrapped(const std::string& text, std::size_t columns) {
  constexpr std::size_t min_width = 20;
  if (columns < min_width)
    return text;
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    while (line.size() > columns) {
      std::size_t space = line.rfind(' ', columns);
      if (space == std::string::npos || space < min_width / 2)
        space = line.find(' ', columns);
      if (space == std::string::npos)
        break;
      result += line.substr(0, space) + "\n";
      line = "  " + line.substr(space + 1);
    }
    result += line + "\n";
    begin = end + 1;
  }
  return result;
}

} // namespace thalweg::mpi::observe
