// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One rank's trace, packed to be sent. No call of MPI's: it is compiled once for all libraries.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::mpi {

struct PackedTrace {
  std::string lines;
  std::vector<std::pair<std::string, std::uint64_t>> lacks; ///< what the lines are without, and how often
  std::uint64_t calls = 0;                                  ///< that the lines stand for
  bool is_cut = false;                                      ///< calls were cut off
};

std::vector<std::uint8_t> pack(const PackedTrace& trace);

/// Throws where the bytes are damaged.
PackedTrace unpack_trace(std::span<const std::uint8_t> packed);

} // namespace thalweg::mpi
