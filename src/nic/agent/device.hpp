#pragma once

// The network device that an agent serves.

#include <cstdint>
#include <string>
#include <vector>

namespace thalweg::nic {

class Device {
public:
  /// Throws Error where the device of that name has no IPv4 address.
  explicit Device(std::string name);

  const std::string& name() const { return name_; }
  /// Its number, and of a bridge then those of its ports, as they are now.
  std::vector<int> numbers() const;
  std::uint32_t address() const { return address_; } ///< in network order
  /// Bytes of a packet with its IP header, as the administrator has it now; 0 where the device is gone.
  std::uint32_t mtu() const;

private:
  std::string name_;
  std::uint32_t address_ = 0;
};

} // namespace thalweg::nic
