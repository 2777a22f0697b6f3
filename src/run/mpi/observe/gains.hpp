// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whether a stream (docs/streams.md) would send a call site's messages for less.
//
// A message's cost is the processor time that the call took that sends it. What its receiver spends is
// counted by other call sites, and not here; nor is what it takes to end phases. A stream's cost is a line
// through what `thalweg bench streams` measures of items of 8 and 32 bytes, sending and receiving together,
// doubled for machines that are slower and for meshes, where an item goes twice. Handlers, and the bytes'
// time on links, are left out on both sides.

#include "mpi/observe/profile.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::mpi::observe {

struct StreamGain {
  double message_ns = 0; ///< processor time, as seen
  double item_ns = 0;    ///< the same in a stream, as predicted
  double saved_ns = 0;   ///< of all messages of all ranks
};

/// Processor time of an item of so many bytes, as predicted.
double item_ns(double bytes);

double all_wall_ns(const Profile& profile);

/// The call sites at which `gain_of`, which gives an optional with saved_ns, finds that a share of all ranks'
/// time would be saved that is worth the work: the first few.
template <typename GainOf>
auto gains_worth_the_work(const Profile& profile, GainOf gain_of) {
  constexpr double min_share = 0.01;
  constexpr std::size_t max_sites = 5;
  using Gain = typename decltype(gain_of(std::declval<const SiteProfile&>()))::value_type;
  std::vector<std::pair<const SiteProfile*, Gain>> gains;
  for (const SiteProfile& site : profile.sites)
    if (const auto gain = gain_of(site); gain && gain->saved_ns >= min_share * all_wall_ns(profile))
      if (gains.size() < max_sites)
        gains.emplace_back(&site, *gain);
  return gains;
}

/// Nothing where messages are few or long, the call does not send, or the stream would be no faster.
std::optional<StreamGain> stream_gain(const SiteProfile& site);

/// A line for each call site where a stream would save a share of all ranks' time that is worth the work.
std::string stream_lines(const Profile& profile);

/// Whether calls of alltoallv with short blocks would take less on a mesh, or as items of a stream.
///
/// Short blocks cost what their messages cost, whatever is in them. The library's call is taken to have one
/// for each rank. The model of the machine at hand says what share of that a mesh of two dimensions takes,
/// whose messages are few and carry the blocks of many, and what messages take for those blocks alone that
/// are not empty (`sparse`; tune/prediction.hpp).
struct ExchangeGain {
  double blocks = 0;      ///< of a rank in a call, to others and not empty, in the mean
  double block_bytes = 0; ///< of these, with what the rank has for itself
  double call_ns = 0;     ///< that a call took when all ranks had come
  std::string use;        ///< "alltoallv=mesh2d": what to choose for it; empty where no machine is known
  double use_ns = 0;      ///< that it would take then
  double stream_ns = 0;   ///< that a phase of a stream with these items would take
  double saved_ns = 0;    ///< of all ranks' time, by the better one
};

/// Nothing where the library did not run the calls, they were few, blocks are long, or nothing is gained.
std::optional<ExchangeGain> exchange_gain(const SiteProfile& site, const SharesOfExchange& shares_of);

/// A line for each call site where that would save a share of all ranks' time that is worth the work.
std::string exchange_lines(const Profile& profile);

} // namespace thalweg::mpi::observe
