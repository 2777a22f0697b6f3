// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/limits.hpp"

#include "base/error.hpp"
#include "nic/group_watch.hpp"
#include "nic/readable.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <set>

namespace thalweg::nic {

namespace {

// The ranks of an inbox's group that are at that address are numbered there.
bool are_inboxes_sound(const thalweg_nic_group& view, std::uint32_t address) {
  std::set<std::uint32_t> numbers;
  std::uint32_t here = 0;
  for (std::uint32_t rank = 0; rank < view.contributors; ++rank)
    if (view.below[rank].address == address) {
      ++here;
      numbers.insert(view.below[rank].local);
    }
  return here == view.locals && numbers.size() == here && *numbers.rbegin() < here &&
         std::has_single_bit(view.width) && view.width <= THALWEG_NIC_MAX_WIDTH &&
         view.contributors * view.width <= THALWEG_NIC_RECORDS &&
         view.locals * view.contributors * view.width <= THALWEG_NIC_CELLS;
}

void check_shape(bool is_sound, const thalweg_nic_group& view, const char* what) {
  if (!is_sound)
    throw Error(fmt::format("{} ranks and {} contributors are no {}", view.locals, view.contributors, what),
                fmt::format("choose a tree with at most {} below a card", int{THALWEG_NIC_CONTRIBUTORS}));
}

} // namespace

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

void Admission::check_member(const thalweg_nic_request& request) const {
  const thalweg_nic_group& view = request.group;
  check_shape(view.locals >= 1 && view.locals <= view.contributors &&
                  view.contributors <= THALWEG_NIC_CONTRIBUTORS && request.local < view.contributors &&
                  thalweg_nic_is_here(&view, request.local, address_) != 0 &&
                  view.segment_bytes <= THALWEG_NIC_SEGMENT_BYTES &&
                  (view.width == 0 || are_inboxes_sound(view, address_)),
              view, "group");
  check_networks(request);
}

void Admission::check_aggregate(std::uint32_t from, const thalweg_nic_request& request) const {
  const thalweg_nic_group& view = request.group;
  check_shape(view.locals == 0 && view.contributors >= 1 && view.contributors <= THALWEG_NIC_CONTRIBUTORS &&
                  view.width == 0 && view.segment_bytes <= THALWEG_NIC_SEGMENT_BYTES &&
                  (view.segment_bytes == 0 || view.has_parent != 0),
              view, "group without ranks");
  check_networks(request);
  if (!GroupWatch(view, request.ranks, address_, {}).is_neighbor(from))
    throw Error("a group that its host is not in", "ask for groups of this host alone");
}

void Admission::check_networks(const thalweg_nic_request& request) const {
  for (const std::uint32_t neighbor : GroupWatch(request.group, request.ranks, address_, {}).neighbors())
    if (!limits_.allow(neighbor))
      throw Error(fmt::format("{} is in none of the networks that groups may be in", address_text(neighbor)),
                  "ask the administrator for it: networks in /etc/thalweg/nic.toml");
}

} // namespace thalweg::nic
