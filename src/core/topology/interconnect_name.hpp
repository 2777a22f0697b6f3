// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Names of interconnects taken apart: "torus:4x4*16,route=split,capacity=2:1" and the like.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::topology {

/// What a link carries up or forward, and down or backward.
struct Capacity {
  double forward = 1;
  double backward = 1;

  bool operator==(const Capacity&) const = default;
};

/// How a message finds its way where there are several as short.
enum class Routing : std::uint8_t { fixed, split, adaptive, spread };

struct InterconnectName {
  std::string text; ///< all of it, for errors
  std::string kind; ///< in front of the colon
  std::string body; ///< behind it
  Routing routing = Routing::fixed;
  std::vector<Capacity> capacities;
  std::vector<std::int64_t> distances;

  [[noreturn]] void refuse(std::string_view why, std::string_view remedy) const;
};

/// Throws Error for options that are none.
InterconnectName parse_interconnect_name(std::string_view text);

/// The options as they are written: ",route=split,capacity=2:0.5/1", or nothing where all are the usual ones.
std::string options_text(const InterconnectName& name);

} // namespace thalweg::topology
