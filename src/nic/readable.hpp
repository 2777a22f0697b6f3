// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>

namespace thalweg::nic {

/// What somebody else wrote, as far as a terminal is to show it.
template <std::size_t size>
std::string readable(const char (&text)[size]) {
  std::string found(text, strnlen(text, size));
  std::ranges::replace_if(
      found, [](char letter) { return std::isprint(static_cast<unsigned char>(letter)) == 0; }, '?');
  return found;
}

} // namespace thalweg::nic
