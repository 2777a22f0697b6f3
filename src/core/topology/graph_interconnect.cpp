// SPDX-License-Identifier: BSD-3-Clause
#include "topology/graph_interconnect.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace thalweg::topology {

namespace {

constexpr std::size_t max_inner = 1 << 14;

} // namespace

GraphInterconnect::GraphInterconnect(Graph graph) : graph_(std::move(graph)), out_(graph_.labels.size()) {
  if (graph_.nodes == 0)
    throw Error(fmt::format("{} has no nodes", graph_.name), "name them in lines of the form: node NAME…");
  for (std::size_t link = 0; link < graph_.links.size(); ++link)
    out_[static_cast<std::size_t>(graph_.links[link].from)].push_back(static_cast<Link>(link));
  for (Place node = 0; node < graph_.nodes; ++node)
    names_.add(graph_.labels[static_cast<std::size_t>(node)], node);
  find_inner();
  find_distances();
  summarize();
  if (!graph_.table.empty()) {
    fill_table();
    check_table();
  }
}

void GraphInterconnect::find_inner() {
  std::vector<Link> in(graph_.labels.size(), -1);
  std::vector<bool> is_outer(graph_.labels.size());
  for (std::size_t vertex = 0; vertex < graph_.labels.size(); ++vertex)
    is_outer[vertex] = static_cast<Place>(vertex) < graph_.nodes && out_[vertex].size() == 1;
  for (std::size_t link = 0; link < graph_.links.size(); ++link) {
    const auto to = static_cast<std::size_t>(graph_.links[link].to);
    is_outer[to] = is_outer[to] && in[to] < 0;
    in[to] = static_cast<Link>(link);
  }
  for (std::size_t vertex = 0; vertex < graph_.labels.size(); ++vertex) {
    Vertex own = static_cast<Vertex>(vertex);
    if (is_outer[vertex] && in[vertex] >= 0) {
      const Vertex above = graph_.links[static_cast<std::size_t>(out_[vertex][0])].to;
      if (above >= graph_.nodes && graph_.links[static_cast<std::size_t>(in[vertex])].from == above)
        own = above;
    }
    switch_.push_back(own);
    inner_.push_back(own == static_cast<Vertex>(vertex) ? static_cast<std::int32_t>(inner_vertices_.size())
                                                        : -1);
    if (inner_.back() >= 0)
      inner_vertices_.push_back(own);
  }
  if (inner_vertices_.size() > max_inner)
    throw Error(
        fmt::format("{} has {} switches and nodes with several cables", graph_.name, inner_vertices_.size()),
        fmt::format("graphs have up to {}: leave out what the job cannot use", max_inner));
}

void GraphInterconnect::search_from(std::int32_t target, const std::vector<std::vector<Link>>& into) {
  const std::size_t count = inner_vertices_.size();
  const auto distance_to = [&](Vertex from) -> Distance& {
    return distances_[static_cast<std::size_t>(inner_[static_cast<std::size_t>(from)]) * count +
                      static_cast<std::size_t>(target)];
  };
  std::vector<Vertex> queue{inner_vertices_[static_cast<std::size_t>(target)]};
  distance_to(queue.front()) = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const Vertex at = queue[head];
    if (head > 0 && !passes_on(at))
      continue;
    for (const Link link : into[static_cast<std::size_t>(at)]) {
      const Vertex before = graph_.links[static_cast<std::size_t>(link)].from;
      if (inner_[static_cast<std::size_t>(before)] < 0 || distance_to(before) != unreachable)
        continue;
      distance_to(before) = static_cast<Distance>(distance_to(at) + 1);
      queue.push_back(before);
    }
  }
}

void GraphInterconnect::find_distances() {
  std::vector<std::vector<Link>> into(graph_.labels.size());
  for (std::size_t link = 0; link < graph_.links.size(); ++link)
    into[static_cast<std::size_t>(graph_.links[link].to)].push_back(static_cast<Link>(link));
  distances_.assign(inner_vertices_.size() * inner_vertices_.size(), unreachable);
  for (std::size_t target = 0; target < inner_vertices_.size(); ++target)
    search_from(static_cast<std::int32_t>(target), into);
}

void GraphInterconnect::summarize() {
  const std::size_t count = inner_vertices_.size();
  std::vector<Place> outer(count); // nodes with one cable on each inner vertex
  std::vector<Place> all(count);   // and itself where it is a node
  std::vector<Vertex> one(count, -1);
  for (Place node = 0; node < graph_.nodes; ++node) {
    const Vertex at = switch_[static_cast<std::size_t>(node)];
    const auto number = static_cast<std::size_t>(inner_[static_cast<std::size_t>(at)]);
    outer[number] += at == node ? 0 : 1;
    ++all[number];
    one[number] = node;
  }
  double sum = 0;
  for (std::size_t from = 0; from < count; ++from)
    for (std::size_t to = 0; to < count; ++to) {
      if (all[from] == 0 || all[to] == 0 || (from == to && all[from] == 1))
        continue;
      const std::int64_t between = distances_[from * count + to];
      if (between == unreachable)
        throw Error(fmt::format("{}: node {} cannot reach {}", graph_.name,
                                graph_.labels[static_cast<std::size_t>(one[from])],
                                graph_.labels[static_cast<std::size_t>(one[to])]),
                    "add the links that are missing, or leave the node out");
      const std::int64_t ends = (outer[from] > 0 ? 1 : 0) + (outer[to] > 0 ? 1 : 0);
      diameter_ = std::max(diameter_, between + ends);
      const double pairs =
          static_cast<double>(all[from]) * static_cast<double>(all[to] - (from == to ? 1 : 0));
      sum += pairs * static_cast<double>(between + ends);
    }
  const auto nodes = static_cast<double>(graph_.nodes);
  mean_hops_ = graph_.nodes > 1 ? sum / (nodes * (nodes - 1)) : 0;
}

void GraphInterconnect::fill_table() {
  table_.assign(inner_vertices_.size() * static_cast<std::size_t>(graph_.nodes), -1);
  for (const Graph::Entry& entry : graph_.table)
    if (const std::int32_t inner = inner_[static_cast<std::size_t>(entry.at)]; inner >= 0)
      table_[static_cast<std::size_t>(inner) * static_cast<std::size_t>(graph_.nodes) +
             static_cast<std::size_t>(entry.destination)] = static_cast<std::int32_t>(entry.link);
  graph_.table = {};
}

void GraphInterconnect::check_table() const {
  std::vector<Place> seen(
      graph_.labels.size()); // the number of the way on which a vertex was, by destination
  for (Place to = 0; to < graph_.nodes; ++to) {
    std::ranges::fill(seen, 0);
    for (Place from = 0; from < graph_.nodes; ++from)
      for (Vertex at = from; at != to; at = graph_.links[static_cast<std::size_t>(next(at, to))].to) {
        Place& before = seen[static_cast<std::size_t>(at)];
        if (before == from + 1)
          throw Error(fmt::format("{}: what is for {} goes round in a circle at {}", graph_.name,
                                  graph_.labels[static_cast<std::size_t>(to)],
                                  graph_.labels[static_cast<std::size_t>(at)]),
                      "read the forwarding tables again, when the network is at rest");
        if (before != 0)
          break;
        before = from + 1;
      }
  }
}

std::int64_t GraphInterconnect::distance(Vertex from, Vertex to) const {
  if (from == to)
    return 0;
  const Vertex first = switch_[static_cast<std::size_t>(from)];
  const Vertex last = switch_[static_cast<std::size_t>(to)];
  const auto row = static_cast<std::size_t>(inner_[static_cast<std::size_t>(first)]);
  const auto column = static_cast<std::size_t>(inner_[static_cast<std::size_t>(last)]);
  return distances_[row * inner_vertices_.size() + column] + (first == from ? 0 : 1) + (last == to ? 0 : 1);
}

std::vector<Link> GraphInterconnect::shorter(Vertex at, Place to) const {
  const std::int64_t left = distance(at, to);
  std::vector<Link> links;
  for (const Link link : out_[static_cast<std::size_t>(at)]) {
    const Vertex ahead = graph_.links[static_cast<std::size_t>(link)].to;
    if ((ahead == to || passes_on(ahead)) && distance(ahead, to) == left - 1)
      links.push_back(link);
  }
  return links;
}

Link GraphInterconnect::next(Vertex at, Place to) const {
  if (const std::int32_t inner = inner_[static_cast<std::size_t>(at)]; inner >= 0 && !table_.empty()) {
    const std::int32_t link =
        table_[static_cast<std::size_t>(inner) * static_cast<std::size_t>(graph_.nodes) +
               static_cast<std::size_t>(to)];
    if (link >= 0)
      return link;
  }
  const std::vector<Link> links = shorter(at, to);
  THALWEG_ASSERT(normal, !links.empty()); // summarize() has refused nodes that cannot reach each other
  return links[static_cast<std::size_t>(to) % links.size()];
}

void GraphInterconnect::append_route(Place from, Place to, std::vector<LinkShare>& route) const {
  THALWEG_ASSERT(normal, from >= 0 && from < graph_.nodes && to >= 0 && to < graph_.nodes);
  if (graph_.spread) {
    append_spread(from, to, route);
    return;
  }
  for (Vertex at = from; at != to;) {
    const Link link = next(at, to);
    route.push_back({link, 1});
    at = graph_.links[static_cast<std::size_t>(link)].to;
  }
}

void GraphInterconnect::append_spread(Place from, Place to, std::vector<LinkShare>& route) const {
  std::map<Vertex, double> here{{from, 1.0}};
  while (!here.contains(to)) {
    std::map<Vertex, double> ahead;
    for (const auto& [at, share] : here) {
      const std::vector<Link> links = shorter(at, to);
      for (const Link link : links) {
        const double part = share / static_cast<double>(links.size());
        route.push_back({link, part});
        ahead[graph_.links[static_cast<std::size_t>(link)].to] += part;
      }
    }
    here = std::move(ahead);
  }
}

LinkEnds GraphInterconnect::ends(Link link) const {
  const Graph::Arc& arc = graph_.links[static_cast<std::size_t>(link)];
  return {arc.from, arc.to};
}

std::string GraphInterconnect::link_name(Link link) const {
  const auto& [from, to, capacity] = graph_.links[static_cast<std::size_t>(link)];
  std::string name = fmt::format("{} to {}", graph_.labels[static_cast<std::size_t>(from)],
                                 graph_.labels[static_cast<std::size_t>(to)]);
  int number = 1;
  for (const Link other : out_[static_cast<std::size_t>(from)])
    if (other < link && graph_.links[static_cast<std::size_t>(other)].to == to)
      ++number;
  return number > 1 ? fmt::format("{}#{}", name, number) : name;
}

Place GraphInterconnect::node_named(std::string_view name) const {
  return names_.find(name);
}

} // namespace thalweg::topology
