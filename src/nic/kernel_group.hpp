// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's membership in a group of a card in the kernel: its socket, the page that it looks at, the doorbell
// that wakes it, and the agent's connection, which tells who is gone.

#include "base/files.hpp"
#include "nic/agent_connection.hpp"
#include "nic/agent_messages.h"
#include "nic/card.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace thalweg::nic {

/// What wakes the ranks of a host that sleep in calls of a group. Programs in the kernel ring it where the
/// page says that somebody sleeps.
class Doorbell {
public:
  /// `ring`: the kernel's ring buffer. `page`: the group's. Throws Error where there is no memory.
  Doorbell(Descriptor ring, thalweg_nic_page* page);
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  /// Sleeps until it rings, at most so long; not if `has_come`, which is asked once it rings for all that
  /// comes.
  void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us);

private:
  void make_room();
  void unmap();

  Descriptor ring_;
  Descriptor rung_; ///< ready after a ring
  thalweg_nic_page* page_;
  /// How far the ring buffer was read and written, in bytes; several ranks read it.
  std::uint64_t* read_ = nullptr;
  const std::uint64_t* written_ = nullptr;
};

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
  /// A rank or its host is gone, and this one takes part in what is not complete without it.
  void throw_if_missed(const thalweg_nic_departure& gone, std::string_view host) const;

  std::unique_ptr<AgentConnection> agent_;
  std::atomic<std::uint32_t> newest_ = 0;
  thalweg_nic_group view_;
  std::uint32_t local_;
  Descriptor socket_;
  thalweg_nic_page* page_ = nullptr;
  std::unique_ptr<Doorbell> doorbell_;
};

/// A group that a rank has asked its host's agent for, until that has answered.
class GroupRequest {
public:
  /// Asks for it, as its `local`-th rank on this host; does not wait. Throws Error where the agent does not
  /// listen.
  GroupRequest(std::unique_ptr<AgentConnection> agent, const thalweg_nic_group& view, std::uint32_t local,
               std::span<const std::int32_t> ranks)
      : agent_(std::move(agent)), view_(view), local_(local) {
    agent_->join(view, local, ranks);
  }

  int asked() const { return agent_->asked(); }
  /// Nothing yet, or the membership, once. Throws Error where the agent refuses or does not answer, or there
  /// is no memory.
  std::optional<KernelGroup> look() {
    std::optional<AgentConnection::Membership> given = agent_->joined();
    if (!given)
      return std::nullopt;
    return std::optional<KernelGroup>(std::in_place, std::move(agent_), view_, local_, std::move(*given));
  }

private:
  std::unique_ptr<AgentConnection> agent_;
  thalweg_nic_group view_;
  std::uint32_t local_;
};

} // namespace thalweg::nic
