// SPDX-License-Identifier: BSD-3-Clause
#include "nic/aggregated_tree.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::nic {

Rank AggregatedTree::leader(Rank rank) const {
  HostView view = plain(rank);
  while (!view.is_root() && leaf_of(view.parent) == leaf_of(rank))
    view = plain(view.parent);
  return view.locals.front();
}

HostView AggregatedTree::host(Rank rank) const {
  return numbered(card(rank), plain(rank).locals.front());
}

HostView AggregatedTree::leaf(Rank aggregator) const {
  THALWEG_ASSERT(light, aggregator < -1 && aggregator != spine);
  return numbered(card(aggregator), aggregator);
}

HostView AggregatedTree::top() const {
  return numbered(card(spine), spine);
}

HostView AggregatedTree::card(Rank name) const {
  return name == spine ? spine_card() : name < 0 ? leaf_card(name) : host_card(name);
}

HostView AggregatedTree::host_card(Rank rank) const {
  HostView view = plain(rank);
  const Rank own = view.locals.front();
  const Rank leads = leader(own);
  const Rank aggregator = aggregator_of(leaf_of(own));
  if (leads == own) {
    view.below.clear();
    if (view.is_root() && goes_down_)
      view.below.push_back(aggregator);
    else
      view.parent = aggregator;
    return view;
  }
  for (const Rank below : view.below)
    if (leaf_of(below) != leaf_of(own))
      throw Error(
          fmt::format("rank {} is on another leaf than rank {}, which does not lead there", below, own),
          "choose nic, whose trees are of leaves", thalweg_error_unsupported);
  if (plain(view.parent).locals.front() == leads)
    view.parent = aggregator;
  return view;
}

HostView AggregatedTree::leaf_card(Rank aggregator) const {
  const auto some = std::ranges::find(leaves_, -2 - aggregator) - leaves_.begin();
  THALWEG_ASSERT(light, static_cast<std::size_t>(some) < leaves_.size()); // some host is on that leaf
  const HostView replaced = plain(leader(static_cast<Rank>(some)));
  const Rank leads = replaced.locals.front();
  const bool begins = replaced.is_root() && goes_down_;
  HostView view;
  if (!begins)
    view.below.push_back(leads);
  const bool keeps_order = has_spine_ && schedule::is_reduction(schedule_of_(leads).operation);
  bool has_others = false;
  for (const Rank below : replaced.below) {
    const bool is_here = leaf_of(below) == leaf_of(leads);
    if (is_here && has_others && keeps_order)
      throw Error(fmt::format("rank {} hears from rank {} after it has from other leaves", leads, below),
                  "choose nic, whose trees are of leaves", thalweg_error_unsupported);
    has_others = has_others || !is_here;
    if (is_here || !has_spine_ || !replaced.is_root())
      view.below.push_back(is_here ? below : aggregator_of(leaf_of(below)));
  }
  if (begins)
    view.parent = leads;
  if (begins && has_spine_)
    view.below.push_back(spine);
  else if (replaced.is_root() && has_spine_)
    view.parent = spine;
  if (!replaced.is_root())
    view.parent = has_spine_ && plain(leader(replaced.parent)).is_root()
                      ? spine
                      : aggregator_of(leaf_of(replaced.parent));
  return view;
}

HostView AggregatedTree::spine_card() const {
  THALWEG_ASSERT(light, has_spine_);
  HostView replaced = plain(0);
  while (!replaced.is_root())
    replaced = plain(replaced.parent);
  const Rank leads = replaced.locals.front();
  HostView view;
  if (goes_down_)
    view.parent = aggregator_of(leaf_of(leads));
  else
    view.below.push_back(aggregator_of(leaf_of(leads)));
  for (const Rank below : replaced.below)
    if (leaf_of(below) != leaf_of(leads))
      view.below.push_back(aggregator_of(leaf_of(below)));
  return view;
}

HostView AggregatedTree::numbered(HostView view, Rank name) const {
  if (view.is_root())
    return view;
  const HostView above = card(view.parent);
  const auto found = std::ranges::find(above.below, name);
  if (found == above.below.end())
    throw Error(fmt::format("card {} is below card {}, which does not know it", name, view.parent),
                "report this as an error of the strategy", thalweg_error_internal);
  view.number_above =
      static_cast<std::int32_t>(above.locals.size()) + static_cast<std::int32_t>(found - above.below.begin());
  return view;
}

} // namespace thalweg::nic
