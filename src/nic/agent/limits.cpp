// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/limits.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <fmt/format.h>

namespace thalweg::nic {

Network read_network(const std::string& text) {
  const std::size_t slash = text.find('/');
  std::uint32_t address = 0;
  unsigned bits = 33;
  if (slash != std::string::npos && inet_pton(AF_INET, text.substr(0, slash).c_str(), &address) == 1) {
    const char* const end = text.data() + text.size();
    if (const auto [rest, code] = std::from_chars(text.data() + slash + 1, end, bits);
        code != std::errc() || rest != end)
      bits = 33;
  }
  const std::uint32_t mask = bits == 0 ? 0 : htonl(~std::uint32_t{0} << (32 - bits % 33));
  if (bits > 32 || (address & ~mask) != 0)
    throw Error(fmt::format("'{}' is no IPv4 network", text), "write one like 10.0.0.0/8");
  return {address, mask};
}

bool Limits::allow(std::uint32_t address) const {
  return networks.empty() || std::ranges::any_of(networks, [&](const Network& network) {
           return (address & network.mask) == network.address;
         });
}

} // namespace thalweg::nic
