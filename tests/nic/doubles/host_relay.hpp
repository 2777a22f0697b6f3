// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A card that is a process, as HostCard, for broadcasts.

#include "nic/card.hpp"
#include "nic/doubles/host_socket.hpp"
#include "nic/relay.h"

#include <array>
#include <string_view>
#include <vector>

namespace thalweg::nic {

class HostRelay final : public RelayCard {
public:
  /// Has a socket at that address ("127.0.0.1"), at a port that the system chooses. Throws Error where it may
  /// not.
  explicit HostRelay(std::string_view address) : socket_(address) {}
  /// Answers those below for some time, as they may lack the last message.
  ~HostRelay() override;

  thalweg_nic_place place() const { return socket_.place(); }
  /// The group, before the first broadcast: its one local contributor is this process.
  void join(const thalweg_nic_group& group);

  bool has_ended(std::uint32_t epoch) override;
  void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) override {
    socket_.sleep_unless(has_come, longest_us);
  }
  std::string loss() override { return {}; }
  void enter(std::uint32_t) override {}
  bool has_room(std::uint32_t epoch) override;
  void put(std::uint32_t epoch, std::span<const std::byte> message) override;
  void ask(std::uint32_t epoch) override;
  void take(std::uint32_t epoch, std::span<std::byte> message) override;

private:
  bool receive();
  bool is_taken(std::uint32_t epoch) const;
  void offer(std::uint32_t epoch, const thalweg_nic_part& part, std::span<const std::byte> bytes);
  void run(const thalweg_nic_errand& errand, std::uint32_t contributor);
  void send_segment(const thalweg_nic_errand& errand, std::uint32_t segment, std::uint32_t contributor);
  std::byte* kept(std::uint32_t epoch, std::uint32_t segment);

  HostSocket socket_;
  thalweg_nic_group group_{};
  thalweg_nic_relay relay_{};
  std::array<std::uint32_t, THALWEG_NIC_WINDOW> taken_{};
  std::vector<std::byte> messages_; ///< by place in the window, then segment
};

} // namespace thalweg::nic
