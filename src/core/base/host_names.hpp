// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Names of hosts: lists of them as Slurm writes them, which of two name the same host, and finding hosts by
// any of their names: with a domain or without, as addresses.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
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

class HostIndex {
public:
  /// A name that is there keeps its number.
  void add(std::string_view host, std::int64_t number);
  /// The number of a host, or -1 where none is meant, or several that differ in their domains.
  std::int64_t find(std::string_view host) const;
  /// A name that is there and is the same host; empty: there is none.
  std::string_view same_as(std::string_view host) const;
  std::size_t size() const { return numbers_.size(); }
  /// All names as they were written, with their numbers, by number and name.
  std::vector<std::pair<std::string, std::int64_t>> hosts() const;

  bool operator==(const HostIndex&) const = default;

private:
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::unordered_map<std::string, std::vector<std::string>> with_domain_; ///< by the name without
};

} // namespace thalweg
