// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's membership in a group of a card in the kernel: its socket, the page that it looks at, the doorbell
// that wakes it, and the agent's connection, which tells who is gone.

#include "nic/agent_connection.hpp"
#include "nic/card.hpp"
#include "nic/doorbell.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace thalweg::nic {

class KernelGroup {
public:
  /// As its `local`-th rank on this host, with what the agent gave. Throws Error where there is no memory.
  KernelGroup(std::unique_ptr<AgentConnection> agent, const thalweg_nic_group& view, std::uint32_t local,
              AgentConnection::Membership given);
  ~KernelGroup();
  KernelGroup(KernelGroup&& other) noexcept;
  KernelGroup& operator=(KernelGroup&&) = delete;

  const thalweg_nic_group& view() const { return view_; }
  std::uint32_t local() const { return local_; }
  int socket() const { return socket_.number(); }
  thalweg_nic_page& page() const { return *page_; }
  /// The segments of the message at an epoch's place.
  std::byte* segments(std::uint32_t epoch) const;
  /// What follows the page, as the kernel's programs number it (nic/agent_messages.h).
  /// The row of blocks at an epoch's place.
  const __u64* row(std::uint32_t epoch) const;
  std::byte* entry(std::uint32_t number) const;

  /// This rank takes part in an epoch.
  void enter(std::uint32_t epoch);
  /// False where it did not even leave.
  bool send(const void* data, std::size_t bytes) const;
  /// As of a card (Ends).
  bool has_ended(std::uint32_t epoch) const;
  void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us);
  std::string loss() const;
  void dissolve() const { __atomic_store_n(&page_->dissolved, 1, __ATOMIC_RELEASE); }

private:
  std::size_t mapped_bytes() const;
  // A rank or its host is gone, and this one takes part in what is not complete without it.
  void throw_if_missed(const thalweg_nic_departure& gone, std::string_view host) const;

  std::unique_ptr<AgentConnection> agent_;
  std::atomic<std::uint32_t> newest_ = 0;
  thalweg_nic_group view_;
  std::uint32_t local_;
  Descriptor socket_;
  thalweg_nic_page* page_ = nullptr;
  std::unique_ptr<Doorbell> doorbell_;
};

} // namespace thalweg::nic
