// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Finds hosts by any of their names: with a domain or without, as addresses (base/host_names.hpp).

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thalweg {

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
  std::unordered_map<std::string, std::vector<std::string>> with_domain_; // by the name without
};

} // namespace thalweg
