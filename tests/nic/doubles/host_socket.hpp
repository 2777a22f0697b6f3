// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The UDP socket of a card that is a process.

#include "nic/protocol.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace thalweg::nic {

class HostSocket {
public:
  /// At that address ("127.0.0.1"), at a port that the system chooses. Throws Error where it may not.
  explicit HostSocket(std::string_view address);
  ~HostSocket();
  HostSocket(const HostSocket&) = delete;
  HostSocket& operator=(const HostSocket&) = delete;

  thalweg_nic_place place() const { return place_; }
  /// What does not leave is as what is lost.
  void send(const thalweg_nic_place& to, const void* data, std::size_t bytes) const;
  struct Received {
    thalweg_nic_place from{};
    std::size_t bytes = 0; ///< 0: nothing that counts, as where a neighbor's port was closed
  };
  /// Nothing where nothing is there.
  std::optional<Received> receive(void* room, std::size_t room_bytes) const;
  /// Sleeps until something is there, at most so long; not if `has_come`.
  void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) const;
  /// Has those below answered for some time, as they may not have heard of the last end. `receive`: handles a
  /// packet; false where there is none.
  void linger(const std::function<bool()>& receive) const;

private:
  int socket_ = -1;
  thalweg_nic_place place_{};
};

} // namespace thalweg::nic
