#include "mpi/observe/exchange_gain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "mpi/observe/stream_gain.hpp"
#include "mpi/observe/texts.hpp"

namespace thalweg::mpi::observe {

namespace {

constexpr double max_block_bytes = 512;
constexpr double min_calls_a_rank = 100; // of fewer, the first ones' connections are too large a part
constexpr double mesh_message = 1.4;
constexpr double phase_end_ns = 1000; // of a stream, for each rank

bool is_run_by_library(const CallProfile& total) {
  const auto native = total.endings.lower_bound({"native", ""});
  return native != total.endings.end() && native->first.first == "native";
}

struct Prediction {
  std::string use;
  double messages; // of a rank, in messages of the library's call
};

Prediction better_strategy(double blocks, int ranks) {
  const double row = std::ceil(std::sqrt(static_cast<double>(ranks)));
  const Prediction mesh{"alltoallv=mesh2d", mesh_message * 2 * (row - 1)};
  const Prediction sparse{"alltoallv=sparse", blocks + std::bit_width(static_cast<unsigned>(ranks - 1))};
  return sparse.messages < mesh.messages ? sparse : mesh;
}

} // namespace

std::optional<ExchangeGain> exchange_gain(const SiteProfile& site) {
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
  const Prediction better = better_strategy(gain.blocks, total.ranks);
  gain.use = better.use;
  gain.use_ns = gain.call_ns * better.messages / (total.ranks - 1);
  gain.stream_ns = gain.blocks * item_ns(gain.block_bytes) + phase_end_ns * total.ranks;
  gain.saved_ns = (gain.call_ns - std::min(gain.use_ns, gain.stream_ns)) * calls;
  return gain.saved_ns > 0 ? std::optional(gain) : std::nullopt;
}

std::string exchange_lines(const Profile& profile) {
  std::string text;
  for (const auto& [site, gain] : gains_worth_the_work(profile, exchange_gain)) {
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
