#pragma once

// The groups of a host, and who is a member of which.

#include "nic/agent/programs.hpp"

#include <array>
#include <chrono>
#include <map>
#include <string>
#include <sys/types.h>

namespace thalweg::nic {

class Registry {
public:
  /// `address`: the device's, in network order.
  Registry(const Programs& programs, std::uint32_t address) : programs_(programs), address_(address) {}
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// What a member holds, by its connection. The descriptors are the registry's.
  struct Membership {
    std::uint32_t index = 0;
    int socket = -1; ///< its starts leave through this one alone
    int page = -1;
  };

  /// A process of that user, over that connection, is the request's local rank. Throws Error where it may
  /// not.
  Membership join(int connection, uid_t user, const thalweg_nic_request& request);
  /// The connection has ended. A group without members lives on for a while, as cards below may not have
  /// heard of its last end yet.
  void leave(int connection);
  /// Removes groups that were left long ago.
  void expire();
  /// All groups, as JSON.
  std::string describe() const;

private:
  using Clock = std::chrono::steady_clock;
  struct Group {
    thalweg_nic_group view = {};
    std::array<std::int32_t, THALWEG_NIC_CONTRIBUTORS> ranks = {};
    uid_t user = 0;
    int page = -1;
    std::uint64_t present = 0; // local ranks, a bit for each
    Clock::time_point left = {};
  };
  struct Member {
    std::uint32_t index = 0;
    std::uint32_t local = 0;
    int socket = -1;
    std::uint64_t cookie = 0;
  };

  std::uint32_t find_or_make(uid_t user, const thalweg_nic_request& request);
  int make_socket(std::uint64_t& cookie) const;
  std::string describe(const Group& group, const thalweg_nic_state& state) const;

  const Programs& programs_;
  std::uint32_t address_;
  std::map<std::uint32_t, Group> groups_; // by index
  std::map<int, Member> members_;         // by connection
};

} // namespace thalweg::nic
