// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Addresses, and what other hosts and users wrote, as a terminal is to show them.

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <cstddef>
#include <cstdint>
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

/// An IPv4 address in network order, for people: "10.0.0.1".
inline std::string address_text(std::uint32_t address) {
  char text[INET_ADDRSTRLEN] = {};
  inet_ntop(AF_INET, &address, text, sizeof text);
  return text;
}

} // namespace thalweg::nic
