// SPDX-License-Identifier: BSD-3-Clause
#include "topology/interconnect.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace thalweg::topology {

namespace {

constexpr double max_capacity = 1e12;
constexpr std::int64_t max_distance = std::int64_t{1} << 40;
constexpr std::array<std::string_view, 4> routing_names{"fixed", "split", "adaptive", "spread"};

template <typename Number>
bool read_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

/// The part in front of the mark, which `text` then goes on behind.
std::string_view cut(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

bool read_rate(std::string_view text, double& rate) {
  return read_whole(text, rate) && rate > 0 && rate < max_capacity;
}

Routing read_routing(const InterconnectName& name, std::string_view value) {
  const auto* const found = std::ranges::find(routing_names, value);
  if (found == routing_names.end())
    name.refuse(fmt::format("has no routing '{}'", value),
                "write route=split or route=adaptive, and for trees route=spread");
  return static_cast<Routing>(found - routing_names.begin());
}

std::vector<Capacity> read_capacities(const InterconnectName& name, std::string_view values) {
  std::vector<Capacity> capacities;
  do {
    std::string_view value = cut(values, ':');
    Capacity capacity;
    const bool has_two = value.find('/') != std::string_view::npos;
    if (!read_rate(cut(value, '/'), capacity.forward) || (has_two && !read_rate(value, capacity.backward)))
      name.refuse("has a capacity that is no number above 0", "write capacity=2:1:0.5/0.25");
    if (!has_two)
      capacity.backward = capacity.forward;
    capacities.push_back(capacity);
  } while (!values.empty());
  return capacities;
}

std::vector<std::int64_t> read_distances(const InterconnectName& name, std::string_view values) {
  std::vector<std::int64_t> distances;
  do {
    std::int64_t distance = 0;
    if (!read_whole(cut(values, ':'), distance) || distance < 0 || distance > max_distance ||
        (!distances.empty() && distance < distances.back()))
      name.refuse("has distances that are no whole numbers that grow", "write distance=1:10:100");
    distances.push_back(distance);
  } while (!values.empty());
  return distances;
}

std::string capacity_text(const Capacity& capacity) {
  return capacity.forward == capacity.backward ? fmt::format("{}", capacity.forward)
                                               : fmt::format("{}/{}", capacity.forward, capacity.backward);
}

} // namespace

void InterconnectName::refuse(std::string_view why, std::string_view remedy) const {
  throw Error(fmt::format("the network '{}' {}", text, why), std::string(remedy));
}

InterconnectName parse_interconnect_name(std::string_view text) {
  InterconnectName name;
  name.text = text;
  std::string_view rest = text;
  // A file's name may have commas.
  const bool is_file = text.starts_with("graph:") || text.starts_with("resources:");
  std::string_view base = is_file ? std::exchange(rest, {}) : cut(rest, ',');
  const bool is_open = base.size() < text.size() && rest.empty() && !is_file;
  name.kind = cut(base, ':');
  name.body = base;
  while (!rest.empty() || is_open) {
    std::string_view value = cut(rest, ',');
    const std::string_view key = cut(value, '=');
    if (key == "route" && name.routing == Routing::fixed)
      name.routing = read_routing(name, value);
    else if (key == "capacity" && name.capacities.empty())
      name.capacities = read_capacities(name, value);
    else if (key == "distance" && name.distances.empty())
      name.distances = read_distances(name, value);
    else
      name.refuse(fmt::format("has an option '{}'", key), "write route=, capacity= or distance=, each once");
  }
  return name;
}

std::string options_text(const InterconnectName& name) {
  std::string text;
  if (name.routing != Routing::fixed)
    text += fmt::format(",route={}", routing_names[static_cast<std::size_t>(name.routing)]);
  if (!name.capacities.empty()) {
    std::vector<std::string> capacities;
    std::ranges::transform(name.capacities, std::back_inserter(capacities), capacity_text);
    text += fmt::format(",capacity={}", fmt::join(capacities, ":"));
  }
  if (!name.distances.empty())
    text += fmt::format(",distance={}", fmt::join(name.distances, ":"));
  return text;
}

namespace {

class BusyLinks final : public Interconnect {
public:
  BusyLinks(std::shared_ptr<const Interconnect> machine, std::vector<double> free_part)
      : machine_(std::move(machine)), free_part_(std::move(free_part)) {}

  std::string name() const override { return machine_->name() + " with busy links"; }
  Place nodes() const override { return machine_->nodes(); }
  std::int64_t hops(Place a, Place b) const override { return machine_->hops(a, b); }
  std::int64_t diameter() const override { return machine_->diameter(); }
  double mean_hops() const override { return machine_->mean_hops(); }
  double bisection() const override { return machine_->bisection(); }
  Link links() const override { return machine_->links(); }
  Vertex vertices() const override { return machine_->vertices(); }
  LinkEnds ends(Link link) const override { return machine_->ends(link); }
  void append_route(Place from, Place to, std::vector<LinkShare>& route) const override {
    machine_->append_route(from, to, route);
  }
  bool spreads() const override { return machine_->spreads(); }
  double capacity(Link link) const override {
    return machine_->capacity(link) * free_part_[static_cast<std::size_t>(link)];
  }
  Place node_named(std::string_view name) const override { return machine_->node_named(name); }
  std::string link_name(Link link) const override { return machine_->link_name(link); }
  bool takes_ranks(Place node) const override { return machine_->takes_ranks(node); }
  Place rank_nodes() const override { return machine_->rank_nodes(); }
  const Grid* grid() const override { return machine_->grid(); }
  const Grid* switch_grid() const override { return machine_->switch_grid(); }
  Place switch_place(Place node) const override { return machine_->switch_place(node); }

private:
  std::shared_ptr<const Interconnect> machine_;
  std::vector<double> free_part_;
};

} // namespace

std::shared_ptr<const Interconnect> with_busy_links(std::shared_ptr<const Interconnect> machine,
                                                    std::vector<double> free_part) {
  if (static_cast<Link>(free_part.size()) != machine->links())
    throw Error(fmt::format("{} free parts for {} links", free_part.size(), machine->links()),
                "give one for each link");
  for (const double part : free_part)
    if (!(part > 0 && part <= 1))
      throw Error(fmt::format("a link of which {} is free", part), "give parts above 0 and at most 1");
  return std::make_shared<BusyLinks>(std::move(machine), std::move(free_part));
}

} // namespace thalweg::topology
