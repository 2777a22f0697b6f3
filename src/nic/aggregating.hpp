#pragma once

// A tree of hosts with a card more, which has no ranks: of a switch, or of a host that serves others.
//
// On the way up, that card takes the place of the root's host, whose own card becomes its first contributor.
// So it combines what the root's host would have, in the same order: results keep their bits. A broadcast
// begins at its root's host, so there the card is the only one right below it, and has all that were.

#include "nic/lowering.hpp"

namespace thalweg::nic {

/// The aggregator's view. `root`: that of the root's host without it; `goes_down`: as broadcasts and scatters
/// do.
HostView aggregators_view(const HostView& root, bool goes_down);

/// A host's view with the aggregator in the tree, from the one without it.
HostView with_aggregator(HostView view, bool goes_down);

} // namespace thalweg::nic
