// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Names of hosts: lists of them as Slurm writes them, and which of two name the same host.

#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

constexpr std::size_t host_names_max = 1'000'000;

/// Writes out "n[001-016,020],rack[1-2]-n[0-3],login" in its order. Items that are empty are left out.
/// Throws Error where brackets are not closed, hold no numbers, or where names are too many.
std::vector<std::string> expand_names(std::string_view list);

/// An address in numbers, of version 4 or 6: its dots are no domain's.
bool is_address(std::string_view host);
/// A host's name without its domain; an address as it is.
std::string_view short_name(std::string_view host);
/// Two names are of one host if they are alike, or if one is the other without its domain.
bool is_same_host(std::string_view a, std::string_view b);

} // namespace thalweg
