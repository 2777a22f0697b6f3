// SPDX-License-Identifier: BSD-3-Clause
#include "place/routes.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <limits>
#include <unordered_map>

namespace thalweg::place {

namespace {

constexpr std::size_t kept_nodes_max = 2048;
constexpr std::size_t kept_max = std::size_t{1} << 24; ///< crossings: 128 MiB

} // namespace

Routes::Routes(const machine::Allocation& allocation) : allocation_(&allocation) {
  const topology::Link links = allocation.interconnect->links();
  if (links > std::numeric_limits<std::int32_t>::max())
    throw Error(fmt::format("{} has {} links", allocation.interconnect->name(), links),
                "choose hop-bytes as objective, which needs no loads of links");
  number_of_.assign(static_cast<std::size_t>(links), -1);
  std::unordered_map<topology::Place, std::int32_t> numbers;
  for (const topology::Place place : allocation.slots)
    node_of_.push_back(numbers.try_emplace(place, static_cast<std::int32_t>(numbers.size())).first->second);
  nodes_ = numbers.size();
  if (nodes_ <= kept_nodes_max)
    begin_.resize(nodes_ * nodes_);
  kept_.push_back({});
}

void Routes::find(std::int32_t from, std::int32_t to, std::vector<Crossing>& route) {
  const topology::Interconnect& machine = *allocation_->interconnect;
  shares_.clear();
  machine.append_route(allocation_->slots[static_cast<std::size_t>(from)],
                       allocation_->slots[static_cast<std::size_t>(to)], shares_);
  for (const auto& [link, share] : shares_)
    route.push_back({met(link), static_cast<float>(share / machine.capacity(link))});
}

std::int32_t Routes::met(topology::Link link) {
  std::int32_t& number = number_of_[static_cast<std::size_t>(link)];
  if (number < 0) {
    number = links();
    link_of_.push_back(link);
  }
  return number;
}

std::span<const Crossing> Routes::between(std::int32_t from, std::int32_t to) {
  const std::int32_t a = node_of_[static_cast<std::size_t>(from)];
  const std::int32_t b = node_of_[static_cast<std::size_t>(to)];
  if (a == b)
    return {};
  if (!begin_.empty()) {
    std::uint32_t& begin = begin_[static_cast<std::size_t>(a) * nodes_ + static_cast<std::size_t>(b)];
    if (begin == 0 && kept_.size() < kept_max) {
      begin = static_cast<std::uint32_t>(kept_.size());
      kept_.push_back({});
      find(from, to, kept_);
      kept_[begin].link = static_cast<std::int32_t>(kept_.size() - begin - 1);
    }
    if (begin != 0)
      return std::span(kept_).subspan(begin + 1, static_cast<std::size_t>(kept_[begin].link));
  }
  route_.clear();
  find(from, to, route_);
  return route_;
}

} // namespace thalweg::place
