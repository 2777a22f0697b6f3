// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The network device that an agent serves, or a bridge, or a router with all its devices.

#include <cstdint>
#include <string>
#include <vector>

namespace thalweg::nic {

class Device {
public:
  /// A name, or NAME/all: a router whose address is on that device, as it mostly is on lo. Throws Error where
  /// the device has no IPv4 address that others may know.
  explicit Device(std::string name);

  const std::string& name() const { return name_; }
  bool is_router() const { return is_router_; }
  /// Its number, and then of a bridge those of its ports, of a router those of all devices, as they are now.
  std::vector<int> numbers() const;
  std::uint32_t address() const { return address_; } ///< in network order
  /// Bytes of a packet with its IP header, as the administrator has it now; 0 where the device is gone.
  std::uint32_t mtu() const;

private:
  std::string name_;
  bool is_router_ = false;
  std::uint32_t address_ = 0;
};

} // namespace thalweg::nic
