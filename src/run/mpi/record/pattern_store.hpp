// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where the pattern of a program is kept: one file for each program, its arguments and its number of ranks.

#include "base/random.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::mpi {

/// Before 1.0 the names of files began their hash so, with a digit less than FNV's.
inline constexpr std::uint64_t earlier_hash_begin = 1469598103934665603U;

/// Of words with their ends; the same in all processes.
std::uint64_t hash_of_words(const std::vector<std::string>& words, std::uint64_t begin = fnv_begin);

/// This process's program and arguments, in one line for people.
std::string program_text();

/// The same for processes of the same program with the same arguments.
std::uint64_t program_hash();

/// The file for this process's program, run by so many ranks, in `folder`; in the user's cache where that is
/// empty. One that was kept under the name of earlier versions is given the present one.
std::string pattern_file(const std::string& folder, int ranks);
/// The same for the trace of its calls.
std::string trace_file(const std::string& folder, int ranks);

/// Replaces the text of a file, making its folder. Throws Error where it cannot, which says what is not kept.
void keep_file(std::string_view what, const std::string& file, const std::string& text);

} // namespace thalweg::mpi
