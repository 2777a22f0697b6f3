// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The code of an operator of users: what it may do, how two hosts know that theirs is the same, and where it
// is put: into the card's object file, before the kernel gets its programs (nic/programs/operators.h). So
// nothing is linked, and nothing in the kernel is replaced.

#include <cstddef>
#include <cstdint>
#include <linux/bpf.h>
#include <span>
#include <string>
#include <string_view>

namespace thalweg::nic {

/// Why it may not be loaded: it calls something, or refers to what is not its own; empty where it may.
std::string objection_to(std::span<const bpf_insn> code);

/// Of the name, an element's words and the instructions; never 0.
std::uint64_t digest_of(std::string_view name, std::uint32_t words, std::span<const bpf_insn> code);

/// May an operator be called so? Letters, digits and _, at most 31, of which the first is no digit.
bool is_operator_name(std::string_view name);

/// The last of what the kernel's verifier has said of a program, without listings of instructions and of
/// registers; on one line.
std::string last_words(std::string_view log);

/// Fills the place of a slot, from 1 on, in an ELF file that is in memory. Throws Error where it has none, or
/// not the room.
void put_operator(std::span<std::byte> object, std::uint32_t slot, std::span<const bpf_insn> code);

} // namespace thalweg::nic
