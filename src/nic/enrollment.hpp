// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How agents have a group made on a card without ranks: one asks, the other one answers, by datagrams from
// port to port of agents. Both may be lost, so the one that asks does so again, and to be asked again changes
// nothing. Where the card is that of a spine, an aggregator below it passes both on.

#include "nic/agent_messages.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace thalweg::nic {

struct Enrollment {
  std::uint32_t aggregator = 0; ///< whose card, in network order
  std::uint32_t user = 0;       ///< whose group it is
  thalweg_nic_group group{};
  std::int32_t ranks[THALWEG_NIC_CONTRIBUTORS] = {}; ///< by contributor
};

struct EnrollmentAnswer {
  std::uint32_t aggregator = 0;
  std::uint32_t group = 0;
  std::uint64_t key = 0;
  std::string reason{}; ///< why it was not made; empty where it is there
};

/// What an aggregator tells those who ask which one is above it.
struct SpineAnswer {
  std::uint32_t spine = 0; ///< 0: none, in network order
};

std::vector<std::byte> write_enrollment(const Enrollment& enrollment);
std::vector<std::byte> write_enrollment_answer(const EnrollmentAnswer& enrolled);
std::vector<std::byte> write_spine_question();
std::vector<std::byte> write_spine_answer(const SpineAnswer& answer);
/// Nothing where it is something else, or from an agent of another version or another order of bytes.
std::optional<Enrollment> read_enrollment(std::span<const std::byte> datagram);
std::optional<EnrollmentAnswer> read_enrollment_answer(std::span<const std::byte> datagram);
bool is_spine_question(std::span<const std::byte> datagram);
std::optional<SpineAnswer> read_spine_answer(std::span<const std::byte> datagram);

} // namespace thalweg::nic
