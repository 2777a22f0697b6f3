// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a mapping is to be good at.

#include "place/metrics.hpp"

#include <string>
#include <string_view>

namespace thalweg::place {

/// Weights of the objectives, each as a part of what identity has.
struct Goal {
  double hop_bytes = 1;
  double link = 0;       ///< the most loaded link, as if all phases were at once
  double contention = 0; ///< the most loaded link of each phase, summed
  double time = 0;       ///< predicted

  bool operator==(const Goal&) const = default;
  /// Do loads of links count?
  bool needs_links() const { return link > 0 || contention > 0 || time > 0; }
};

/// Reads "hop-bytes", "link", "contention" or "time", or a mixture such as "hop-bytes:1,contention:2". Throws
/// Error for anything else.
Goal parse_goal(std::string_view text);
std::string name(const Goal& goal);

/// The mean of the objectives by weight, each divided by identity's: below 1 is better than identity.
double value(const Goal& goal, const Metrics& metrics, const Metrics& identity);

} // namespace thalweg::place
