// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A network that loses, doubles and overtakes, for simulations of the protocols.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>

namespace thalweg::nic {

/// How a simulation ended.
enum class Result { right, wrong, hung };

inline bool has_luck(std::mt19937_64& random, std::uint32_t percent) {
  return random() % 100 < percent;
}

template <typename Packet>
class LossyNetwork {
public:
  LossyNetwork(std::mt19937_64& random, std::uint32_t lost_percent, std::uint32_t doubled_percent)
      : random_(random), lost_percent_(lost_percent), doubled_percent_(doubled_percent) {}

  bool is_empty() const { return under_way_.empty(); }
  void send(const Packet& packet) { under_way_.push_back(packet); }
  /// What comes next, which may be any packet; nothing where it is lost. Some come again, now or long after.
  std::optional<Packet> next() {
    const std::size_t which = random_() % std::min<std::size_t>(under_way_.size(), 32);
    const Packet packet = under_way_[which];
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(which));
    if (has_luck(random_, doubled_percent_))
      under_way_.push_back(packet);
    if (has_luck(random_, 1) && old_.size() < 8)
      old_.push_back(packet);
    if (!old_.empty() && random_() % 400 == 0) {
      under_way_.push_back(old_.front());
      old_.pop_front();
    }
    return has_luck(random_, lost_percent_) ? std::nullopt : std::optional(packet);
  }

private:
  std::mt19937_64& random_;
  std::uint32_t lost_percent_;
  std::uint32_t doubled_percent_;
  std::deque<Packet> under_way_;
  std::deque<Packet> old_;
};

} // namespace thalweg::nic
