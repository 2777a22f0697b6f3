#include "nic/aggregating.hpp"

namespace thalweg::nic {

HostView aggregators_view(const HostView& root, bool goes_down) {
  HostView view;
  view.below = root.below;
  if (goes_down) {
    view.parent = root.locals.front();
    view.number_above = static_cast<std::int32_t>(root.locals.size());
  } else {
    view.below.insert(view.below.begin(), root.locals.front());
  }
  return view;
}

HostView with_aggregator(HostView view, bool goes_down) {
  if (view.is_root()) {
    view.below.clear();
    if (goes_down)
      view.below.push_back(aggregator);
    else
      view.parent = aggregator;
  } else if (view.is_below_root) {
    view.parent = aggregator;
    view.number_above = view.place_above + (goes_down ? 0 : 1);
  }
  return view;
}

} // namespace thalweg::nic
