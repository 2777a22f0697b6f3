// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where operators of users are put: into the card's object file, before the kernel gets its programs
// (nic/programs/operators.h). So nothing is linked, and nothing in the kernel is replaced.

#include <cstddef>
#include <cstdint>
#include <linux/bpf.h>
#include <span>

namespace thalweg::nic {

/// Fills the place of a slot, from 1 on, in an ELF file that is in memory. Throws Error where it has none, or
/// not the room.
void put_operator(std::span<std::byte> object, std::uint32_t slot, std::span<const bpf_insn> code);

} // namespace thalweg::nic
