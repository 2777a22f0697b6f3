// SPDX-License-Identifier: BSD-3-Clause
#include "nic/address.hpp"

#include <arpa/inet.h>

namespace thalweg::nic {

std::string address_text(std::uint32_t address) {
  char text[INET_ADDRSTRLEN] = {};
  inet_ntop(AF_INET, &address, text, sizeof text);
  return text;
}

} // namespace thalweg::nic
