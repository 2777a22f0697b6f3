// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/device.hpp"

#include "base/error.hpp"

#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <optional>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace thalweg::nic {

namespace {

std::optional<ifreq> asked(const std::string& device, unsigned long what) {
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::strncpy(request.ifr_name, device.c_str(), IFNAMSIZ - 1);
  const int code = ioctl(any, what, &request);
  close(any);
  return code < 0 ? std::nullopt : std::optional(request);
}

// The first one that is not this host's alone, as lo has too; 0 where there is none.
std::uint32_t address_on(const std::string& device) {
  ifaddrs* listed = nullptr;
  if (getifaddrs(&listed) != 0)
    return 0;
  std::uint32_t found = 0;
  for (const ifaddrs* one = listed; one != nullptr && found == 0; one = one->ifa_next) {
    if (device != one->ifa_name || one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET)
      continue;
    sockaddr_in address{};
    std::memcpy(&address, one->ifa_addr, sizeof address);
    if (ntohl(address.sin_addr.s_addr) >> 24 != IN_LOOPBACKNET)
      found = address.sin_addr.s_addr;
  }
  freeifaddrs(listed);
  return found;
}

std::vector<int> all_devices() {
  std::vector<int> found;
  if (struct if_nameindex* const listed = if_nameindex()) {
    for (const struct if_nameindex* one = listed; one->if_index != 0; ++one)
      found.push_back(static_cast<int>(one->if_index));
    if_freenameindex(listed);
  }
  return found;
}

} // namespace

Device::Device(std::string name) : name_(std::move(name)) {
  constexpr std::string_view all = "/all";
  is_router_ = name_.ends_with(all);
  if (is_router_)
    name_.resize(name_.size() - all.size());
  address_ = address_on(name_);
  if (address_ == 0)
    throw Error(fmt::format("{} has no IPv4 address for others", name_),
                "name another device, or give it one; ip address lists them");
}

std::vector<int> Device::numbers() const {
  std::vector<int> found{static_cast<int>(if_nametoindex(name_.c_str()))};
  if (is_router_)
    for (const int device : all_devices())
      if (device != found.front())
        found.push_back(device);
  std::error_code none; // where it is no bridge
  for (const auto& port : std::filesystem::directory_iterator("/sys/class/net/" + name_ + "/brif", none))
    found.push_back(static_cast<int>(if_nametoindex(port.path().filename().c_str())));
  std::erase(found, 0);
  return found;
}

std::uint32_t Device::mtu() const {
  const std::optional<ifreq> answer = asked(name_, SIOCGIFMTU);
  return answer ? static_cast<std::uint32_t>(answer->ifr_mtu) : 0;
}

} // namespace thalweg::nic
