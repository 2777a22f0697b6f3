// SPDX-License-Identifier: BSD-3-Clause
#include "place/link_energy.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "place/objectives.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace thalweg::place {

namespace {

constexpr std::size_t kept_nodes_max = 2048;
constexpr std::size_t kept_max = std::size_t{1} << 24; ///< crossings: 128 MiB

} // namespace

Routes::Routes(const machine::Allocation& allocation, Counted counted)
    : allocation_(&allocation), counted_(counted) {
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
    if (counts(link))
      route.push_back({met(link), static_cast<float>(share / machine.capacity(link))});
}

bool Routes::counts(topology::Link link) const {
  return counted_ == Counted::all || !is_nodes_own(*allocation_->interconnect, link);
}

std::int32_t Routes::met(topology::Link link) {
  THALWEG_ASSERT(normal, static_cast<std::size_t>(link) < number_of_.size());
  std::int32_t& number = number_of_[static_cast<std::size_t>(link)];
  if (number < 0) {
    number = links();
    link_of_.push_back(link);
  }
  return number;
}

std::span<const Crossing> Routes::between(std::int32_t from, std::int32_t to) {
  THALWEG_ASSERT(normal, at(from) < node_of_.size() && at(to) < node_of_.size());
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

LinkEnergy::LinkEnergy(const std::vector<Layer>& layers, double hop_weight, Routes& routes, Mapping& mapping,
                       const std::vector<double>& base_load)
    : routes_(&routes), mapping_(&mapping), hop_weight_(hop_weight), base_load_(&base_load),
      ends_(layers, mapping.slot_of.size()) {
  for (std::size_t link = 0; link < base_load.size(); ++link)
    if (base_load[link] > 0 && routes.counts(static_cast<topology::Link>(link)))
      routes.met(static_cast<topology::Link>(link));
  for (const Layer& layer : layers)
    sums_.push_back({layer.weight, layer.base_part, 0, 0});
  set_doublings(doublings_);
}

MessageEnds::MessageEnds(const std::vector<Layer>& layers, std::size_t tasks) : begin_(tasks + 1) {
  for (const Layer& layer : layers)
    for (const pattern::Edge& edge : layer.matrix.edges())
      if (edge.bytes > 0) {
        ++begin_[static_cast<std::size_t>(edge.from) + 1];
        ++begin_[static_cast<std::size_t>(edge.to) + 1];
      }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  ends_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const Layer& layer = layers[index];
    const auto number = static_cast<std::int32_t>(index);
    for (const pattern::Edge& edge : layer.matrix.edges()) {
      if (edge.bytes <= 0)
        continue;
      ends_[next[static_cast<std::size_t>(edge.from)]++] = {number, edge.to, edge.bytes, true};
      ends_[next[static_cast<std::size_t>(edge.to)]++] = {number, edge.from, edge.bytes, false};
    }
  }
}

void LinkEnergy::grow() {
  const std::size_t entries = static_cast<std::size_t>(routes_->links()) * sums_.size();
  if (entries == loads_.size())
    return;
  loads_.resize(entries);
  powers_.resize(entries);
  changes_.grow(entries);
}

double LinkEnergy::count_loads(std::vector<double>& loads) const {
  loads.assign(static_cast<std::size_t>(routes_->links()) * sums_.size(), 0);
  double total = 0;
  for (std::int32_t task = 0; task < mapping_->size(); ++task)
    for (const MessageEnds::End& end : ends_.of(task)) {
      if (!end.is_sender)
        continue;
      const auto layer = static_cast<std::size_t>(end.layer);
      const auto route = routes_->between(mapping_->slot(task), mapping_->slot(end.other));
      loads.resize(static_cast<std::size_t>(routes_->links()) * sums_.size());
      for (const auto& [link, load] : route) {
        loads[index(link, layer)] += end.bytes * load;
        total += sums_[layer].weight * end.bytes * load;
      }
    }
  for (std::int32_t link = 0; link < routes_->links() && !base_load_->empty(); ++link)
    for (std::size_t layer = 0; layer < sums_.size(); ++layer)
      loads[index(link, layer)] +=
          sums_[layer].base_part * (*base_load_)[static_cast<std::size_t>(routes_->original(link))];
  return total;
}

void LinkEnergy::set_doublings(int doublings) {
  THALWEG_ASSERT(light, doublings >= 0 && doublings < 10);
  doublings_ = doublings;
  total_ = count_loads(loads_);
  powers_.resize(loads_.size());
  changes_.grow(loads_.size());
  const double load_max = loads_.empty() ? 0 : *std::ranges::max_element(loads_);
  scale_ = load_max > 0 ? load_max : 1;
  for (std::size_t at = 0; at < loads_.size(); ++at)
    powers_[at] = power(loads_[at]);
  for (std::size_t layer = 0; layer < sums_.size(); ++layer)
    sum_up(layer);
  value_ = energy(sums_, total_);
  a_ = b_ = -1;
}

void LinkEnergy::sum_up(std::size_t layer) {
  double sum = 0;
  for (std::size_t at = layer; at < powers_.size(); at += sums_.size())
    sum += powers_[at];
  sums_[layer].power = sums_[layer].peak = sum;
}

double LinkEnergy::power(double load) const {
  double result = load / scale_;
  for (int count = 0; count < doublings_; ++count)
    result *= result;
  return result;
}

double LinkEnergy::root(double sum) const {
  sum = std::max(sum, 0.0);
  for (int count = 0; count < doublings_; ++count)
    sum = std::sqrt(sum);
  return sum * scale_;
}

double LinkEnergy::energy(const std::vector<Sums>& sums, double total) const {
  double result = hop_weight_ * total;
  for (const Sums& layer : sums)
    result += layer.weight * root(layer.power);
  return result;
}

double LinkEnergy::recomputed() const {
  std::vector<double> loads;
  const double total = count_loads(loads);
  std::vector<Sums> sums = sums_;
  for (Sums& layer : sums)
    layer.power = 0;
  for (std::size_t at = 0; at < loads.size(); ++at)
    sums[at % sums.size()].power += power(loads[at]);
  return energy(sums, total);
}

void LinkEnergy::change(std::int32_t layer, std::int32_t from, std::int32_t to, double bytes) {
  const double weight = sums_[static_cast<std::size_t>(layer)].weight;
  const auto route = routes_->between(from, to);
  grow();
  for (const auto& [link, load] : route) {
    changes_.add(index(link, static_cast<std::size_t>(layer)), static_cast<std::size_t>(layer), bytes * load);
    next_total_ += weight * bytes * load;
  }
}

void LinkEnergy::collect(std::int32_t task, std::int32_t other, std::int32_t from, std::int32_t to) {
  for (const MessageEnds::End& end : ends_.of(task)) {
    const std::int32_t before = mapping_->slot(end.other);
    const std::int32_t after = end.other == other ? from : before;
    if (end.other == other && !end.is_sender)
      continue; // the other task's own row has this message
    change(end.layer, end.is_sender ? from : before, end.is_sender ? before : from, -end.bytes);
    change(end.layer, end.is_sender ? to : after, end.is_sender ? after : to, end.bytes);
  }
}

double LinkEnergy::delta(std::int32_t a, std::int32_t b) {
  THALWEG_ASSERT(normal, a != b);
  changes_.begin();
  a_ = a;
  b_ = b;
  next_ = sums_;
  next_total_ = total_;
  collect(a, b, mapping_->slot(a), mapping_->slot(b));
  collect(b, a, mapping_->slot(b), mapping_->slot(a));
  for (const auto& [at, layer] : changes_.touched())
    next_[layer].power += power(loads_[at] + changes_[at]) - powers_[at];
  return energy(next_, next_total_) - value_;
}

void LinkEnergy::swap(std::int32_t a, std::int32_t b, double /*change*/) {
  if (a != a_ || b != b_)
    delta(a, b);
  for (const auto& [at, layer] : changes_.touched()) {
    loads_[at] += changes_[at];
    powers_[at] = power(loads_[at]);
  }
  sums_ = next_;
  total_ = next_total_;
  constexpr double canceled = 1e-6; // what is left of a sum of which so much has gone is rounding
  for (std::size_t layer = 0; layer < sums_.size(); ++layer) {
    sums_[layer].peak = std::max(sums_[layer].peak, sums_[layer].power);
    if (sums_[layer].power < canceled * sums_[layer].peak)
      sum_up(layer);
  }
  value_ = energy(sums_, total_);
  mapping_->swap(a, b);
  a_ = b_ = -1;
}

double LinkEnergy::load_max(std::size_t layer) const {
  double load = 0;
  for (std::size_t at = layer; at < loads_.size(); at += sums_.size())
    load = std::max(load, loads_[at]);
  return load;
}

std::vector<std::size_t> LinkEnergy::ranking() const {
  THALWEG_ASSERT(light, sums_.size() == 1);
  std::vector<std::size_t> links(loads_.size());
  std::iota(links.begin(), links.end(), 0);
  std::ranges::stable_sort(links, std::greater{}, [&](std::size_t link) { return loads_[link]; });
  return links;
}

Peak LinkEnergy::peak_after(const std::vector<std::size_t>& ranking) const {
  THALWEG_ASSERT(normal, sums_.size() == 1 && ranking.size() <= loads_.size());
  const auto is_untouched = [&](std::size_t at) { return !changes_.is_touched(at); };
  Peak peak;
  for (const auto& [at, layer] : changes_.touched())
    peak.load = std::max(peak.load, loads_[at] + changes_[at]);
  if (const auto untouched = std::ranges::find_if(ranking, is_untouched); untouched != ranking.end())
    peak.load = std::max(peak.load, loads_[*untouched]);
  if (peak.load <= 0)
    return peak;
  constexpr double rounding = 1e-9;
  const double limit = (1 - rounding) * peak.load;
  for (const auto& [at, layer] : changes_.touched())
    peak.links += loads_[at] + changes_[at] >= limit ? 1 : 0;
  for (auto at = ranking.begin(); at != ranking.end() && loads_[*at] >= limit; ++at)
    peak.links += is_untouched(*at) ? 1 : 0;
  return peak;
}

std::vector<std::int32_t> LinkEnergy::hot_tasks(double part) const {
  std::vector<double> limits;
  for (std::size_t layer = 0; layer < sums_.size(); ++layer)
    limits.push_back(part * load_max(layer));
  std::vector<std::int32_t> tasks;
  for (std::int32_t task = 0; task < mapping_->size(); ++task)
    for (const MessageEnds::End& end : ends_.of(task)) {
      const auto layer = static_cast<std::size_t>(end.layer);
      const auto is_hot = [&](const Crossing& crossing) {
        return loads_[index(crossing.link, layer)] >= limits[layer];
      };
      const std::int32_t here = mapping_->slot(task);
      const std::int32_t there = mapping_->slot(end.other);
      if (std::ranges::any_of(routes_->between(end.is_sender ? here : there, end.is_sender ? there : here),
                              is_hot)) {
        tasks.push_back(task);
        break;
      }
    }
  return tasks;
}

} // namespace thalweg::place
