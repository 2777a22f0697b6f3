// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's side of a card in the kernel that gathers: a socket to start through, and a page to look at. It
// calls no function of the kernel's programs but through these two.

#include "nic/kernel_group.hpp"

namespace thalweg::nic {

class KernelCard final : public Card {
public:
  explicit KernelCard(KernelGroup group) : group_(std::move(group)) {}

  bool start(std::uint32_t epoch, const thalweg_nic_content& own) override;
  bool has_ended(std::uint32_t epoch) override { return group_.has_ended(epoch); }
  void read(std::uint32_t epoch, thalweg_nic_content& result) override;
  void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) override {
    group_.sleep_unless(has_come, longest_us);
  }
  std::string loss() override { return group_.loss(); }
  void dissolve() override { group_.dissolve(); }

private:
  KernelGroup group_;
};

} // namespace thalweg::nic
