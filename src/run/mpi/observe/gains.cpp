// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/gains.hpp"

#include "mpi/observe/texts.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace thalweg::mpi::observe {

namespace {

constexpr double item_base_ns = 2;
constexpr double item_byte_ns = 0.35;
constexpr double max_item_bytes = 512;
constexpr double min_messages_a_rank = 1000; // fewer do not make up for the ends of phases

// Those that return when the message is on its way. A synchronous send means its receiver's answer.
constexpr std::array<std::string_view, 6> sending_calls{"MPI_Send",    "MPI_Send_c", "MPI_Isend",
                                                        "MPI_Isend_c", "MPI_Rsend",  "MPI_Rsend_c"};

} // namespace

double item_ns(double bytes) {
  return item_base_ns + item_byte_ns * bytes;
}

double all_wall_ns(const Profile& profile) {
  double sum = 0;
  for (const RankProfile& rank : profile.ranks)
    sum += rank.wall_ns;
  return sum;
}

std::optional<StreamGain> stream_gain(const SiteProfile& site) {
  const CallProfile& total = site.total;
  if (std::ranges::find(sending_calls, total.function) == sending_calls.end() || total.calls == 0)
    return std::nullopt;
  const auto messages = static_cast<double>(total.calls);
  const double bytes = static_cast<double>(total.bytes) / messages;
  if (bytes > max_item_bytes || messages < min_messages_a_rank * site.callers)
    return std::nullopt;
  StreamGain gain;
  gain.message_ns = std::min(total.cpu_ns, total.ns) / messages;
  gain.item_ns = item_ns(bytes);
  gain.saved_ns = (gain.message_ns - gain.item_ns) * messages;
  return gain.saved_ns > 0 ? std::optional(gain) : std::nullopt;
}

std::string stream_lines(const Profile& profile) {
  std::string text;
  for (const auto& [site, gain] : gains_worth_the_work(profile, stream_gain))
    text +=
        fmt::format("a stream would pay: {} at {}: {} messages of {:.0f} B took {:.0f} ns each to send; as a "
                    "stream's items {:.0f} ns, {:.0f}% of all ranks' time less\n",
                    site->total.function, site->source, site->total.calls,
                    static_cast<double>(site->total.bytes) / static_cast<double>(site->total.calls),
                    gain.message_ns, gain.item_ns, 100 * gain.saved_ns / all_wall_ns(profile));
  return text;
}

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
