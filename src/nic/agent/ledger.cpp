// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/ledger.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <sys/socket.h>
#include <unistd.h>

namespace thalweg::nic {

namespace {

enum class Change : std::uint32_t { joined, left, removed };

struct Entry {
  Change change = Change::joined;
  std::uint32_t index = 0;
  std::uint32_t local = 0;
  uid_t user = 0;
  thalweg_nic_request request{};
};

using Descriptors = std::array<int, 4>; // a connection, a socket for starts, a page, a doorbell

void send_entry(int keeper, const Entry& entry, const Descriptors* given) {
  iovec part{const_cast<Entry*>(&entry), sizeof entry};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Descriptors))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (given != nullptr) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(Descriptors));
    std::memcpy(CMSG_DATA(header), given->data(), sizeof(Descriptors));
  }
  ssize_t sent = -1;
  do
    sent = sendmsg(keeper, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent != sizeof entry)
    throw Error(fmt::format("what members hold cannot be kept: {}", std::strerror(errno)),
                "look at the agent's limit of open files", thalweg_error_system);
}

void close_if(int descriptor) {
  if (descriptor >= 0)
    close(descriptor);
}

void take_joined(const Entry& entry, const Descriptors& given, KeptGroups& kept) {
  const auto [found, is_new] =
      kept.try_emplace(entry.index, KeptGroup{entry.user, entry.request, {given[2], given[3]}, {}});
  if (!is_new) {
    close_if(given[2]);
    close_if(given[3]);
  }
  KeptMember& member = found->second.members[entry.local];
  close_if(member.connection);
  close_if(member.socket);
  member = {given[0], given[1]};
}

// The last one's socket is kept, as what it has started may have to be started again.
void take_left(const Entry& entry, KeptGroups& kept) {
  const auto group = kept.find(entry.index);
  if (group == kept.end() || !group->second.members.contains(entry.local))
    return;
  auto& members = group->second.members;
  KeptMember& member = members[entry.local];
  close_if(member.connection);
  member.connection = -1;
  if (members.size() == 1)
    return;
  close_if(member.socket);
  members.erase(entry.local);
}

void take_removed(const Entry& entry, KeptGroups& kept) {
  const auto group = kept.find(entry.index);
  if (group == kept.end())
    return;
  for (const auto& [local, member] : group->second.members) {
    close_if(member.connection);
    close_if(member.socket);
  }
  close_if(group->second.descriptors.page);
  close_if(group->second.descriptors.doorbell);
  kept.erase(group);
}

void take(const Entry& entry, const Descriptors& given, KeptGroups& kept) {
  switch (entry.change) {
  case Change::joined:
    return take_joined(entry, given, kept);
  case Change::left:
    return take_left(entry, kept);
  case Change::removed:
    return take_removed(entry, kept);
  }
}

// Nothing at the end.
std::optional<Descriptors> receive_entry(int server, Entry& entry) {
  for (;;) {
    iovec part{&entry, sizeof entry};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Descriptors))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t bytes = recvmsg(server, &message, MSG_CMSG_CLOEXEC);
    if (bytes < 0 && errno == EINTR)
      continue;
    if (bytes != sizeof entry)
      return std::nullopt;
    Descriptors given{-1, -1, -1, -1};
    const cmsghdr* const header = CMSG_FIRSTHDR(&message);
    if (header != nullptr && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof given))
      std::memcpy(given.data(), CMSG_DATA(header), sizeof given);
    return given;
  }
}

} // namespace

void Ledger::joined(std::uint32_t index, uid_t user, const thalweg_nic_request& request,
                    const KeptMember& member, const GroupDescriptors& group) const {
  THALWEG_ASSERT(light, member.connection >= 0 && member.socket >= 0 && group.page >= 0);
  const Descriptors given{member.connection, member.socket, group.page, group.doorbell};
  send_entry(keeper_, {Change::joined, index, request.local, user, request}, &given);
}

void Ledger::left(std::uint32_t index, std::uint32_t local) const {
  send_entry(keeper_, {Change::left, index, local, 0, {}}, nullptr);
}

void Ledger::removed(std::uint32_t index) const {
  send_entry(keeper_, {Change::removed, index, 0, 0, {}}, nullptr);
}

void read_ledger(int server, KeptGroups& kept) {
  Entry entry;
  while (const std::optional<Descriptors> given = receive_entry(server, entry))
    take(entry, *given, kept);
}

} // namespace thalweg::nic
