// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/exchange_gain.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mpi/observe/stream_gain.hpp"
#include "mpi/observe/texts.hpp"

namespace thalweg::mpi::observe {

namespace {

constexpr double max_block_bytes = 512;
constexpr double min_calls_a_rank = 100; // of fewer, the first ones' connections are too large a part
constexpr double phase_end_ns = 1000;    // of a stream, for each rank

bool is_run_by_library(const CallProfile& total) {
  const auto native = total.endings.lower_bound({"native", ""});
  return native != total.endings.end() && native->first.first == "native";
}

// The better one of those that the library's call is compared with, which has a message for each rank.
void predict_use(ExchangeGain& gain, const ExchangeShares& shares) {
  const bool is_sparse = shares.sparse < shares.mesh;
  gain.use = is_sparse ? "alltoallv=sparse" : "alltoallv=mesh2d";
  gain.use_ns = gain.call_ns * std::min(shares.sparse, shares.mesh);
}

} // namespace

std::optional<ExchangeGain> exchange_gain(const SiteProfile& site, const SharesOfExchange& shares_of) {
  const CallProfile& total = site.total;
  const bool is_exchange = total.function == "MPI_Alltoallv" || total.function == "MPI_Alltoallv_c";
  if (!is_exchange || total.blocks == 0 || total.ranks < 2 || !is_run_by_library(total) ||
      static_cast<double>(total.calls) < min_calls_a_rank * site.callers)
    return std::nullopt;
  const auto calls = static_cast<double>(total.calls);
  ExchangeGain gain;
  gain.blocks = static_cast<double>(total.blocks) / calls;
  gain.block_bytes = static_cast<double>(total.bytes) / static_cast<double>(total.blocks);
  if (gain.block_bytes > max_block_bytes)
    return std::nullopt;
  gain.call_ns = total.ns * (1 - site.waiting.share()) / calls;
  gain.use_ns = gain.call_ns;
  if (shares_of)
    predict_use(gain, shares_of(total.ranks, gain.blocks, gain.block_bytes));
  gain.stream_ns = gain.blocks * item_ns(gain.block_bytes) + phase_end_ns * total.ranks;
  gain.saved_ns = (gain.call_ns - std::min(gain.use_ns, gain.stream_ns)) * calls;
  return gain.saved_ns > 0 ? std::optional(gain) : std::nullopt;
}

std::string exchange_lines(const Profile& profile) {
  std::string text;
  const auto gain_of = [&](const SiteProfile& site) {
    return exchange_gain(site, profile.shares_of_exchange);
  };
  for (const auto& [site, gain] : gains_worth_the_work(profile, gain_of)) {
    text += fmt::format(
        "short blocks: {} at {}: {} calls of {} ranks with {:.1f} blocks of {:.0f} B each took {}; ",
        site->total.function, site->source, site->total.calls, site->total.ranks, gain.blocks,
        gain.block_bytes, duration_text(gain.call_ns));
    if (gain.use_ns < gain.call_ns)
      text += fmt::format("with --use {} about {}; ", gain.use, duration_text(gain.use_ns));
    text += fmt::format("as a phase of a stream about {}\n", duration_text(gain.stream_ns));
  }
  return text;
}

} // namespace thalweg::mpi::observe
