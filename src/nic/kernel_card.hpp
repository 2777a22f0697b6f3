// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's side of a card in the kernel: a socket to start through, and a page to look at. It calls no
// function of the kernel's programs but through these two.

#include "nic/kernel_group.hpp"

namespace thalweg::nic {

/// Of one that gathers.
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

/// Of one that relays broadcasts. A message leaves in packets straight from the rank's memory, and is copied
/// from the card's into it.
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

/// Of one that matches messages. A message leaves in one packet straight from the rank's memory, and is
/// copied from where the receiver's card has put it.
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
