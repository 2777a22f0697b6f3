// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The groups of a host, and who is a member of which.

#include "nic/agent/ledger.hpp"
#include "nic/agent/limits.hpp"
#include "nic/agent/neighbors.hpp"
#include "nic/agent/programs.hpp"
#include "nic/enrollment.hpp"
#include "nic/group_watch.hpp"
#include "nic/looking.hpp"

#include <array>
#include <chrono>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace thalweg::nic {

/// What an agent has to do with cards without ranks.
struct Aggregation {
  bool is_offered = false; ///< this one makes groups on its own card for others
  std::uint32_t known = 0; ///< where this card's groups may have one above it, in network order; 0: nowhere
};

class Registry {
public:
  /// `address`: the device's, in network order. `host`: this host's name, for people. Goes on with what is in
  /// the ledger.
  Registry(const Programs& programs, Neighbors& neighbors, std::uint32_t address, std::string host,
           const Aggregation& aggregation, Limits limits, const Ledger& ledger);
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// What a member holds, by its connection. The descriptors are the registry's.
  struct Membership {
    std::uint32_t index = 0;
    int socket = -1; ///< its starts leave through this one alone
    int page = -1;
    int doorbell = -1;
  };

  /// Of all members.
  std::vector<int> connections() const;
  /// A process of that user, over that connection, is the request's local rank. Throws Error where it may
  /// not.
  Membership join(int connection, uid_t user, const thalweg_nic_request& request);
  /// Makes a group without ranks on this card, as the agent at that address asks for; if it is there already,
  /// that is all right. Throws Error where it may not be.
  void enroll(std::uint32_t from, const Enrollment& enrollment);
  /// The connection has ended. A group without members lives on for a while, as cards below may not have
  /// heard of its last end yet; but not where its ranks have said that none needs it.
  void leave(int connection);
  const Operators& operators() const { return programs_.operators(); }
  /// Devices may have come or gone.
  void follow(const Device& device) const { programs_.follow(device); }
  /// Removes one group that was left long ago, if there is one; false where there is none. The kernel lets
  /// who removes one wait several times until no packet looks at it, so requests are answered between two.
  bool expire_one();
  /// Looks at all groups, and tells the agents beside this one how they are.
  void beat();
  /// An agent has said something, or somebody else has.
  void hear(std::uint32_t from, std::span<const std::byte> datagram);
  /// Starts again what all ranks and cards here have arrived at, and what has not ended for a while: its
  /// packet up may be lost, and the ranks may be computing. Gives how soon to come again, in ms.
  int start_again();
  /// All groups, as JSON.
  std::string describe();

private:
  using Clock = std::chrono::steady_clock;
  // What is waited for at a place of the window, and until when.
  struct Overdue {
    std::uint32_t epoch = 0;
    Clock::duration patience = {};
    Clock::time_point due = {};
  };
  struct Group {
    thalweg_nic_group view;
    GroupWatch watch;
    uid_t user;
    GroupDescriptors descriptors;
    thalweg_nic_page* page;
    std::uint64_t present = 0; // local ranks, a bit for each
    Clock::time_point made = Clock::now();
    Clock::time_point left = {};
    std::array<Overdue, THALWEG_NIC_WINDOW> overdue = {};
    bool is_dissolved = false; // no rank needs it, on any host
    int last_socket = -1;      // of the member that left last
    std::uint64_t last_cookie = 0;
    thalweg_nic_departure& departure() const;
  };
  struct Member {
    std::uint32_t index = 0;
    std::uint32_t local = 0;
    int socket = -1;
    std::uint64_t cookie = 0;
  };

  // No further group of that user may be made, nor of anybody.
  bool is_full_for(uid_t user) const;
  std::uint32_t find_or_make(uid_t user, const thalweg_nic_request& request);
  Group& make(std::uint32_t index, uid_t user, const thalweg_nic_request& request,
              const GroupDescriptors& descriptors);
  void restore();
  void restore(std::uint32_t index, const KeptGroup& kept);
  void check(const thalweg_nic_request& request) const;
  void check_networks(const thalweg_nic_request& request) const;
  void remove(std::uint32_t index, const Group& group) const;
  void look(std::uint32_t index, Group& group, Clock::time_point now) const;
  // Does some card below a group that was left here still lack a broadcast?
  bool is_needed(std::uint32_t index, const Group& group) const;
  int make_socket(std::uint64_t& cookie) const;
  void start_again(std::uint32_t index, Group& group) const;
  StuckEpochs stuck(std::uint32_t index, const Group& group) const;
  int socket_of(std::uint32_t index, const Group& group) const;
  // Tells the ranks of this host, and the agents beside it, who is gone.
  void announce(Group& group);
  // Tells the agents beside this one.
  void dissolve(Group& group) const;
  static bool is_above(const Group& group, std::uint32_t address);
  void report_to_neighbors(const Group& group) const;
  void report_unknown(std::uint32_t from, const Beat& beat) const;
  std::string describe(const Group& group) const;

  const Programs& programs_;
  Neighbors& neighbors_;
  std::uint32_t address_;
  std::string host_;
  Aggregation aggregation_;
  Limits limits_;
  const Ledger& ledger_;
  std::uint64_t refused_ = 0;             // of what others say
  std::map<std::uint32_t, Group> groups_; // by index
  std::map<int, Member> members_;         // by connection
};

} // namespace thalweg::nic
