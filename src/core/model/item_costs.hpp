// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace thalweg::model {

/// A processor's time for a hop of a stream's item, sending and receiving together: measured by
/// `thalweg bench streams` with 8 and 32 bytes, ranks of one node.
inline double item_hop_seconds(double bytes) {
  constexpr double each = 1e-9;
  constexpr double per_byte = 0.18e-9;
  return each + per_byte * bytes;
}

} // namespace thalweg::model
