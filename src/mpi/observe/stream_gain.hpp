#pragma once

// Whether a stream (docs/streams.md) would send a call site's messages for less.
//
// A message's cost is the processor time that the call took that sends it. What its receiver spends is
// counted by other call sites, and not here; nor is what it takes to end phases. A stream's cost is a line
// through what `thalweg bench streams` measures of items of 8 and 32 bytes, sending and receiving together,
// doubled for machines that are slower and for meshes, where an item goes twice. Handlers, and the bytes'
// time on links, are left out on both sides.

#include <optional>
#include <string>

#include "mpi/observe/profile.hpp"

namespace thalweg::mpi::observe {

struct StreamGain {
  double message_ns = 0; // processor time, as seen
  double item_ns = 0;    // the same in a stream, as predicted
  double saved_ns = 0;   // of all messages of all ranks
};

// Nothing where messages are few or long, the call does not send, or the stream would be no faster.
std::optional<StreamGain> stream_gain(const SiteProfile& site);

// A line for each call site where a stream would save a share of all ranks' time that is worth the work.
std::string stream_lines(const Profile& profile);

} // namespace thalweg::mpi::observe
