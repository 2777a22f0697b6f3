#include "nic/agent/device.hpp"

#include "core/error.hpp"

#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <net/if.h>
#include <netinet/in.h>
#include <optional>
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

} // namespace

Device::Device(std::string name) : name_(std::move(name)) {
  const std::optional<ifreq> answer = asked(name_, SIOCGIFADDR);
  if (!answer)
    throw Error(fmt::format("{} has no IPv4 address", name_),
                "name another one with --device; ip address lists them");
  sockaddr_in found{};
  std::memcpy(&found, &answer->ifr_addr, sizeof found);
  address_ = found.sin_addr.s_addr;
}

std::vector<int> Device::numbers() const {
  std::vector<int> found{static_cast<int>(if_nametoindex(name_.c_str()))};
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
