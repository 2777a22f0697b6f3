// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's side of a card in the kernel that matches messages. A message leaves in one packet straight from
// the rank's memory, and is copied from where the receiver's card has put it.

#include "nic/kernel_group.hpp"

namespace thalweg::nic {

class KernelInbox final : public InboxCard {
public:
  explicit KernelInbox(KernelGroup group) : group_(std::move(group)) { group_.enter(1); }

  void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) override {
    group_.sleep_unless(has_come, longest_us);
  }
  std::string loss() override { return group_.loss(); }

  void send(std::uint32_t to, std::uint32_t sequence, std::uint32_t tag, std::uint32_t bytes,
            std::span<const std::byte> carried) override;
  std::uint64_t credit(std::uint32_t to) override;
  void post(std::uint32_t number, std::uint32_t source, std::uint32_t tag) override;
  bool has_matched(std::uint32_t number, thalweg_nic_match& match) override;
  void take(const thalweg_nic_match& match, std::span<std::byte> message) override;

private:
  void wish(std::uint32_t number, const thalweg_nic_envelope& envelope,
            std::span<const std::byte> carried) const;
  std::uint32_t number_here() const { return group_.view().below[group_.local()].local; }
  thalweg_nic_desk& desk() const;
  const std::byte* cell(std::uint32_t place) const;

  KernelGroup group_;
};

} // namespace thalweg::nic
