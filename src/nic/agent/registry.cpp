// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/registry.hpp"

#include "base/error.hpp"
#include "nic/address.hpp"
#include "nic/protocol.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <netinet/in.h>
#include <set>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace thalweg::nic {

namespace {

constexpr std::chrono::seconds kept_after_leaving{10};
constexpr std::chrono::minutes longest_kept{10};

// Members of a group on this host say the same of it.
bool is_same(const thalweg_nic_group& a, const thalweg_nic_group& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

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

// As if there had been broadcasts before the first.
void begin(thalweg_nic_page& page) {
  for (std::uint32_t epoch = 1; epoch <= THALWEG_NIC_WINDOW; ++epoch) {
    const std::uint32_t place = epoch % THALWEG_NIC_WINDOW;
    page.freed[place] = epoch - THALWEG_NIC_WINDOW;
    std::ranges::fill(page.taken[place], epoch - THALWEG_NIC_WINDOW);
  }
}

template <typename Value>
void set_option(int socket, int level, int name, const Value& value) {
  if (setsockopt(socket, level, name, &value, sizeof value) < 0)
    throw Error(fmt::format("no socket for starts: {}", std::strerror(errno)), "look at the agent's limits",
                thalweg_error_system);
}

} // namespace

void Registry::check(const thalweg_nic_request& request) const {
  const thalweg_nic_group& view = request.group;
  const bool is_sound = view.locals >= 1 && view.locals <= view.contributors &&
                        view.contributors <= THALWEG_NIC_CONTRIBUTORS && request.local < view.contributors &&
                        thalweg_nic_is_here(&view, request.local, address_) != 0 &&
                        view.segment_bytes <= THALWEG_NIC_SEGMENT_BYTES &&
                        (view.width == 0 || are_inboxes_sound(view, address_));
  if (!is_sound)
    throw Error(fmt::format("{} ranks and {} contributors are no group", view.locals, view.contributors),
                fmt::format("choose a tree with at most {} below a card", int{THALWEG_NIC_CONTRIBUTORS}));
  check_networks(request);
}

void Registry::check_networks(const thalweg_nic_request& request) const {
  const GroupWatch watch(request.group, request.ranks, address_, host_);
  for (const std::uint32_t neighbor : watch.neighbors())
    if (!limits_.allow(neighbor))
      throw Error(fmt::format("{} is in none of the networks that groups may be in", address_text(neighbor)),
                  "ask the administrator for it: networks in /etc/thalweg/nic.toml");
}

Registry::Registry(const Programs& programs, Neighbors& neighbors, std::uint32_t address, std::string host,
                   const Aggregation& aggregation, Limits limits, const Ledger& ledger)
    : programs_(programs), neighbors_(neighbors), address_(address), host_(std::move(host)),
      aggregation_(aggregation), limits_(std::move(limits)), ledger_(ledger) {
  restore();
}

Registry::~Registry() {
  for (const auto& [connection, member] : members_) {
    programs_.remove_owner(member.cookie);
    close(member.socket);
  }
  for (const auto& [index, group] : groups_)
    remove(index, group);
}

void Registry::remove(std::uint32_t index, const Group& group) const {
  programs_.remove(index, group.view.id);
  munmap(group.page, THALWEG_NIC_PAGE_BYTES);
  close(group.descriptors.page);
  close(group.descriptors.doorbell);
  if (group.last_socket < 0)
    return;
  programs_.remove_owner(group.last_cookie);
  close(group.last_socket);
}

Registry::Membership Registry::join(int connection, uid_t user, const thalweg_nic_request& request) {
  check(request);
  if (members_.contains(connection))
    throw Error("this connection is a member already", "open another one for another group");
  const std::uint32_t index = find_or_make(user, request);
  Group& group = groups_.at(index);
  const std::uint64_t bit = std::uint64_t{1} << request.local;
  if ((group.present & bit) != 0)
    throw Error(fmt::format("rank {} is there already", request.local), "have each rank join once");
  Member member{index, request.local, -1, 0};
  member.socket = make_socket(member.cookie);
  try {
    programs_.set_allowance(user, limits_.starts_per_second);
    programs_.set_owner(member.cookie, index, request.local, user);
    ledger_.joined(index, user, request, {connection, member.socket}, group.descriptors);
  } catch (...) {
    programs_.remove_owner(member.cookie);
    close(member.socket);
    throw;
  }
  group.present |= bit;
  members_[connection] = member;
  return {index, member.socket, group.descriptors.page, group.descriptors.doorbell};
}

bool Registry::is_full_for(uid_t user) const {
  const auto owned =
      std::ranges::count_if(groups_, [&](const auto& entry) { return entry.second.user == user; });
  return groups_.size() >= max_groups || static_cast<std::size_t>(owned) >= limits_.groups_per_user;
}

std::uint32_t Registry::find_or_make(uid_t user, const thalweg_nic_request& request) {
  for (const auto& [index, group] : groups_)
    if (group.view.id == request.group.id) {
      if (group.user != user || !is_same(group.view, request.group))
        throw Error(fmt::format("group {:x} is somebody else's", request.group.id), "choose another number");
      return index;
    }
  while (is_full_for(user) && expire_one()) { // those that are still to be forgotten do not count
  }
  std::uint32_t index = 0;
  while (index < max_groups && groups_.contains(index))
    ++index;
  if (is_full_for(user))
    throw Error(fmt::format("{} groups are all that there are for a user", limits_.groups_per_user),
                "use fewer communicators with nic");
  programs_.operators().slot_of(request.group.operator_digest);
  const int page = programs_.make_page(request.group);
  int doorbell = -1;
  try {
    doorbell = programs_.make_doorbell();
  } catch (...) {
    close(page);
    throw;
  }
  begin(*make(index, user, request, {page, doorbell}).page);
  programs_.add(index, request.group, page, doorbell);
  return index;
}

// Takes the descriptors over.
Registry::Group& Registry::make(std::uint32_t index, uid_t user, const thalweg_nic_request& request,
                                const GroupDescriptors& descriptors) {
  void* const memory =
      mmap(nullptr, THALWEG_NIC_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptors.page, 0);
  if (memory == MAP_FAILED) {
    const int error = errno;
    close(descriptors.page);
    close(descriptors.doorbell);
    throw Error(fmt::format("a group's page cannot be mapped: {}", std::strerror(error)),
                "look at the agent's limits of memory", thalweg_error_system);
  }
  return groups_
      .emplace(index, Group{request.group,
                            {request.group, request.ranks, address_, host_},
                            user,
                            descriptors,
                            static_cast<thalweg_nic_page*>(memory)})
      .first->second;
}

thalweg_nic_departure& Registry::Group::departure() const {
  return *reinterpret_cast<thalweg_nic_departure*>(reinterpret_cast<std::byte*>(page) +
                                                   THALWEG_NIC_DEPARTURE_AT);
}

// Through it starts go to the device; a checksum would have to be made anew where packets are rewritten.
int Registry::make_socket(std::uint64_t& cookie) const {
  const int made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0)
    throw Error(fmt::format("no socket for starts: {}", std::strerror(errno)), "look at the agent's limits",
                thalweg_error_system);
  try {
    set_option(made, SOL_SOCKET, SO_NO_CHECK, 1);
    set_option(made, IPPROTO_IP, IP_MULTICAST_LOOP, 0);
    set_option(made, IPPROTO_IP, IP_MULTICAST_TTL, 1);
    set_option(made, IPPROTO_IP, IP_MULTICAST_IF, in_addr{address_});
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = address_;
    sockaddr_in card = own;
    card.sin_addr.s_addr = htonl(THALWEG_NIC_START_ADDRESS);
    card.sin_port = htons(THALWEG_NIC_PORT);
    socklen_t length = sizeof cookie;
    if (bind(made, reinterpret_cast<const sockaddr*>(&own), sizeof own) < 0 ||
        connect(made, reinterpret_cast<const sockaddr*>(&card), sizeof card) < 0 ||
        getsockopt(made, SOL_SOCKET, SO_COOKIE, &cookie, &length) < 0)
      throw Error(fmt::format("no socket for starts: {}", std::strerror(errno)),
                  "look at the device's address", thalweg_error_system);
  } catch (...) {
    close(made);
    throw;
  }
  return made;
}

void Registry::leave(int connection) {
  const auto found = members_.find(connection);
  if (found == members_.end())
    return;
  Member member = found->second;
  Group& group = groups_.at(member.index);
  group.present &= ~(std::uint64_t{1} << member.local);
  group.left = Clock::now();
  look(member.index, group, group.left);
  if (__atomic_load_n(&group.page->dissolved, __ATOMIC_ACQUIRE) != 0)
    dissolve(group);
  else if (group.watch.leave(member.local))
    announce(group);
  ledger_.left(member.index, member.local);
  members_.erase(found);
  // A rank may leave before what it has started has come to those above.
  if (group.present == 0) {
    std::swap(member.socket, group.last_socket);
    std::swap(member.cookie, group.last_cookie);
  }
  if (member.socket < 0)
    return;
  programs_.remove_owner(member.cookie);
  close(member.socket);
}

bool Registry::expire_one() {
  const Clock::time_point now = Clock::now();
  const auto old = std::ranges::find_if(groups_, [&](const auto& entry) {
    const Group& group = entry.second;
    const bool is_kept =
        !group.is_dissolved && (now - group.left < kept_after_leaving ||
                                (now - group.left < longest_kept && is_needed(entry.first, group)));
    return group.present == 0 && !is_kept;
  });
  if (old == groups_.end())
    return false;
  remove(old->first, old->second);
  ledger_.removed(old->first);
  groups_.erase(old);
  return true;
}

} // namespace thalweg::nic
