// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A card that is a process: the same protocol over an UDP socket, without the kernel's programs and
// privileges. It answers others only while its rank looks for an end, so a rank that computes holds up those
// below it. What the network device gains over hosts is measured against it.

#include "nic/card.hpp"
#include "nic/doubles/host_socket.hpp"
#include "nic/tree_result.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace thalweg::nic {

class HostCard final : public Card {
public:
  /// Has a socket at that address ("127.0.0.1"), at a port that the system chooses. Throws Error where it may
  /// not.
  explicit HostCard(std::string_view address) : socket_(address) {}
  /// Answers those below for some time, as they may not have heard of the last end.
  ~HostCard() override;

  thalweg_nic_place place() const { return socket_.place(); }
  /// The group, before the first start: its one local contributor is this process. `combiner`: where it has
  /// an operator of users.
  void join(const thalweg_nic_group& group, const ElementOperator& combiner = {});

  bool start(std::uint32_t epoch, const thalweg_nic_content& own) override;
  bool has_ended(std::uint32_t epoch) override;
  void read(std::uint32_t epoch, thalweg_nic_content& result) override;
  void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) override {
    socket_.sleep_unless(has_come, longest_us);
  }
  std::string loss() override { return {}; }

private:
  bool receive();
  std::uint32_t arrive(std::uint32_t contributor, std::uint32_t epoch, thalweg_nic_content& content);
  void act(std::uint32_t actions, std::uint32_t epoch, const thalweg_nic_content& content);
  void notify(const thalweg_nic_place& place, std::uint8_t kind, std::uint32_t epoch,
              const thalweg_nic_content& content) const;

  HostSocket socket_;
  thalweg_nic_group group_{};
  ElementOperator combiner_{};
  thalweg_nic_state state_{};
  std::vector<thalweg_nic_content> cells_; ///< by place in the window, then contributor
};

} // namespace thalweg::nic
