// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/stream_gain.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

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

} // namespace thalweg::mpi::observe
