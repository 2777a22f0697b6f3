// SPDX-License-Identifier: BSD-3-Clause
#include "nic/kernel_card.hpp"

#include "nic/datagram.hpp"

#include <algorithm>

namespace thalweg::nic {

// The program has seen it when this returns.
bool KernelCard::start(std::uint32_t epoch, const thalweg_nic_content& own) {
  group_.enter(epoch);
  const Datagram datagram(group_.view(), THALWEG_NIC_START, epoch, own);
  return group_.send(datagram.data(), datagram.size());
}

void KernelCard::read(std::uint32_t epoch, thalweg_nic_content& result) {
  const thalweg_nic_page& page = group_.page();
  const std::uint32_t count =
      std::min<std::uint32_t>(page.counts[epoch % THALWEG_NIC_WINDOW], THALWEG_NIC_ROW);
  result.count = static_cast<std::uint16_t>(count);
  std::copy_n(count > THALWEG_NIC_WORDS ? group_.row(epoch) : page.words[epoch % THALWEG_NIC_WINDOW], count,
              result.words);
  result.last = page.last[epoch % THALWEG_NIC_WINDOW];
  result.waited_us = page.waited_us[epoch % THALWEG_NIC_WINDOW];
}

} // namespace thalweg::nic
