// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who is a member of which group, by the connection that each one has to the agent, and through which socket
// it starts.

#include "base/files.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace thalweg::nic {

/// Through it starts go to the device. The card's programs know by its cookie whose it is.
class StartSocket {
public:
  /// None.
  StartSocket() = default;
  /// Makes one on the device with that address, in network order. Throws Error where the system refuses.
  static StartSocket make(std::uint32_t address);
  /// Takes one over that an agent before this one has made. Throws Error where it is lost.
  static StartSocket adopt(int number);

  bool is_open() const { return socket_.number() >= 0; }
  int number() const { return socket_.number(); }
  std::uint64_t cookie() const { return cookie_; }

private:
  explicit StartSocket(Descriptor socket);

  Descriptor socket_;
  std::uint64_t cookie_ = 0;
};

struct Member {
  std::uint32_t index = 0; ///< of the group
  std::uint32_t local = 0; ///< the rank on this host
  StartSocket start{};
};

class Members {
public:
  bool contains(int connection) const { return members_.contains(connection); }
  /// The connection has no member yet. It stays the caller's.
  void add(int connection, Member member);
  /// Who had that connection, and is no member from now on.
  std::optional<Member> take(int connection);

  const std::map<int, Member>& all() const { return members_; }
  std::vector<int> connections() const;
  /// Some member of that group; null where it has none.
  const Member* any_of(std::uint32_t index) const;

private:
  std::map<int, Member> members_; ///< by connection
};

} // namespace thalweg::nic
