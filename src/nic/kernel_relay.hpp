// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's side of a card in the kernel that relays broadcasts. A message leaves in packets straight from the
// rank's memory, and is copied from the card's into it.

#include "nic/kernel_group.hpp"

namespace thalweg::nic {

class KernelRelay final : public RelayCard {
public:
  explicit KernelRelay(KernelGroup group) : group_(std::move(group)) {}

  bool has_ended(std::uint32_t epoch) override { return group_.has_ended(epoch); }
  void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) override {
    group_.sleep_unless(has_come, longest_us);
  }
  std::string loss() override { return group_.loss(); }
  void dissolve() override { group_.dissolve(); }

  void enter(std::uint32_t epoch) override { group_.enter(epoch); }
  bool has_room(std::uint32_t epoch) override;
  void put(std::uint32_t epoch, std::span<const std::byte> message) override;
  void ask(std::uint32_t epoch) override;
  void take(std::uint32_t epoch, std::span<std::byte> message) override;

private:
  KernelGroup group_;
};

} // namespace thalweg::nic
