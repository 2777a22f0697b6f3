// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The card's programs in the kernel, on one network device, or all of a switch, and their maps.

#include "nic/agent/device.hpp"
#include "nic/agent/hooks.hpp"
#include "nic/agent/operators.hpp"
#include "nic/agent_messages.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

namespace thalweg::nic {

class Programs {
public:
  /// Loads the object file's programs and attaches them, of a switch to all its ports; first the folder's
  /// operators of users. Calls `before_attaching` when they are loaded. Throws Error where the kernel
  /// refuses.
  Programs(const std::string& object, const Device& device, Hook hook, const std::string& operators,
           const std::function<void()>& before_attaching);
  /// What would become of the folder's operators, as JSON; nothing is attached to a device. Throws Error
  /// where the kernel refuses the object file's programs.
  static std::string try_operators(const std::string& object, const std::string& operators);
  ~Programs();
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  Hook hook() const;
  const Operators& operators() const;
  /// Looks for devices that have come or gone.
  void follow(const Device& device) const;
  /// Takes the programs from their hooks, also for the process that this one was made by.
  void detach();
  /// A group's memory that its ranks share, with room for messages where cards relay broadcasts or have
  /// inboxes: a descriptor that the caller closes.
  int make_page(const thalweg_nic_group& group) const;
  /// What wakes them: a descriptor that the caller closes.
  int make_doorbell() const;
  /// From now on packets of the group are handled; its state is that of a beginning. Throws Error where it
  /// wants an operator that is not there.
  void add(std::uint32_t index, const thalweg_nic_group& group, int page, int doorbell) const;
  void remove(std::uint32_t index, std::uint32_t id) const;
  /// The socket with that cookie starts for that contributor, a process of that user.
  void set_owner(std::uint64_t cookie, std::uint32_t index, std::uint32_t contributor,
                 std::uint32_t user) const;
  /// So many starts in a second are that user's on this host; 0: as many as it likes.
  void set_allowance(std::uint32_t user, std::uint32_t starts_per_second) const;
  void remove_owner(std::uint64_t cookie) const;
  /// Removes all groups but these, by number, and all owners but these, by cookie.
  void retain(const std::set<std::uint32_t>& ids, const std::set<std::uint64_t>& cookies) const;

  thalweg_nic_state state(std::uint32_t index) const;
  /// Of a group for broadcasts, instead.
  thalweg_nic_relay relay(std::uint32_t index) const;
  /// Packets so far.
  struct Counts {
    std::uint64_t starts = 0;
    std::uint64_t ups = 0;
    std::uint64_t downs = 0;
    std::uint64_t refused = 0;
    std::uint64_t held_back = 0;
  };
  Counts counts() const;

private:
  struct Loaded;
  std::unique_ptr<Loaded> loaded_;
};

} // namespace thalweg::nic
