// SPDX-License-Identifier: BSD-3-Clause
#include "topology/busy_links.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

namespace thalweg::topology {

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
