#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace thalweg::streams {

/// Why a slot was sent.
enum class Reason { full, flush, waited, finish };
inline constexpr std::size_t reasons = 4;

/// What one rank's end of a stream has done.
struct Statistics {
  std::array<std::uint64_t, reasons> slots{}; ///< sent, by Reason
  std::uint64_t near_bytes = 0;               ///< of items, with tags, sent to ranks of this node and itself
  std::uint64_t far_bytes = 0;                ///< to others
  std::uint64_t delivered_bytes = 0;          ///< that came along the last dimension
  std::uint64_t waits = 0;                    ///< for a slot
  std::uint64_t waves = 0;
  std::uint64_t phases = 0;
  std::size_t max_overflow_bytes = 0; ///< that handlers have sent and no slot was free for
};

} // namespace thalweg::streams
