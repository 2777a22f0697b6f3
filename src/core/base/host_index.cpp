// SPDX-License-Identifier: BSD-3-Clause
#include "base/host_index.hpp"

#include "base/host_names.hpp"

#include <algorithm>

namespace thalweg {

void HostIndex::add(std::string_view host, std::int64_t number) {
  const bool is_fresh = numbers_.try_emplace(std::string(host), number).second;
  if (const std::string_view name = short_name(host); is_fresh && name != host)
    with_domain_[std::string(name)].emplace_back(host);
}

std::int64_t HostIndex::find(std::string_view host) const {
  if (const auto own = numbers_.find(std::string(host)); own != numbers_.end())
    return own->second;
  const std::string_view name = short_name(host);
  if (name != host) {
    const auto without = numbers_.find(std::string(name));
    return without == numbers_.end() ? -1 : without->second;
  }
  const auto others = with_domain_.find(std::string(host));
  return others == with_domain_.end() || others->second.size() > 1 ? -1 : numbers_.at(others->second.front());
}

std::string_view HostIndex::same_as(std::string_view host) const {
  if (const auto own = numbers_.find(std::string(host)); own != numbers_.end())
    return own->first;
  const std::string_view name = short_name(host);
  if (name != host) {
    const auto without = numbers_.find(std::string(name));
    return without == numbers_.end() ? std::string_view() : without->first;
  }
  const auto others = with_domain_.find(std::string(host));
  return others == with_domain_.end() ? std::string_view() : others->second.front();
}

std::vector<std::pair<std::string, std::int64_t>> HostIndex::hosts() const {
  std::vector<std::pair<std::string, std::int64_t>> hosts(numbers_.begin(), numbers_.end());
  std::ranges::sort(hosts, {}, [](const auto& host) { return std::pair(host.second, host.first); });
  return hosts;
}

} // namespace thalweg
