// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "simulate/program_builder.hpp"
#include "simulate/workloads.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>

namespace thalweg::simulate {

namespace {

/// Writes a rank's operations. Each send requires the latest receive before it.
class SampleWriter {
public:
  SampleWriter(ProgramBuilder& builder, const CostOf& cost) : builder_(builder), cost_(cost) {}

  std::int64_t rank() const { return builder_.rank(); }
  std::int64_t ranks() const { return builder_.ranks(); }
  void send(std::int64_t to, std::int64_t bytes) {
    if (bytes != last_.bytes)
      last_ = cost_(bytes);
    const std::uint32_t sent = builder_.send(to, 0, last_);
    if (received_ != nothing)
      builder_.require(sent, received_);
  }
  void receive(std::int64_t from) { received_ = builder_.receive(from, 0); }
  void forget() { received_ = nothing; }

private:
  static constexpr std::uint32_t nothing = 0xffffffffU;
  ProgramBuilder& builder_;
  const CostOf& cost_;
  MessageCost last_{.bytes = -1};
  std::uint32_t received_ = nothing;
};

void dissemination(SampleWriter& w, std::int64_t bytes) {
  for (std::int64_t distance = 1; distance < w.ranks(); distance *= 2) {
    w.send((w.rank() + distance) % w.ranks(), bytes);
    w.receive((w.rank() - distance + w.ranks()) % w.ranks());
  }
}

void binomial_broadcast(SampleWriter& w, std::int64_t bytes) {
  if (w.rank() > 0)
    w.receive(w.rank() - static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(w.rank()))));
  for (std::int64_t distance = 1; distance < w.ranks(); distance *= 2)
    if (w.rank() < distance && w.rank() + distance < w.ranks())
      w.send(w.rank() + distance, bytes);
}

void linear_alltoall(SampleWriter& w, std::int64_t bytes) {
  for (std::int64_t step = 1; step < w.ranks(); ++step) {
    w.send((w.rank() + step) % w.ranks(), bytes);
    w.receive((w.rank() - step + w.ranks()) % w.ranks());
    w.forget();
  }
}

// Halving and then doubling: the vector is cut in two in each step.
void recursive_doubling(SampleWriter& w, std::int64_t bytes) {
  const int steps = std::bit_width(static_cast<std::uint64_t>(w.ranks())) - 1;
  for (int step = 0; step < steps; ++step) {
    bytes /= 2;
    w.send(w.rank() ^ std::int64_t{1} << step, bytes);
    w.receive(w.rank() ^ std::int64_t{1} << step);
  }
  for (int step = steps - 1; step >= 0; --step) {
    w.send(w.rank() ^ std::int64_t{1} << step, bytes);
    w.receive(w.rank() ^ std::int64_t{1} << step);
    bytes *= 2;
  }
}

void ring(SampleWriter& w, std::int64_t bytes) {
  for (std::int64_t step = 0; step < 2 * (w.ranks() - 1); ++step) {
    w.send((w.rank() + 1) % w.ranks(), bytes / w.ranks());
    w.receive((w.rank() - 1 + w.ranks()) % w.ranks());
  }
}

constexpr std::array<std::string_view, 5> sample_program_names{
    "dissemination", "binomialtreebcast", "linear_alltoall", "allreduce_recdoub", "allreduce_ring"};
constexpr std::array sample_writers{dissemination, binomial_broadcast, linear_alltoall, recursive_doubling,
                                    ring};

} // namespace

std::span<const std::string_view> sample_names() {
  return sample_program_names;
}

Program sample_program(std::string_view name, std::int64_t ranks, std::int64_t bytes, const CostOf& cost) {
  const auto found = std::ranges::find(sample_program_names, name);
  if (found == sample_program_names.end())
    throw Error(fmt::format("no program {:?}", name),
                fmt::format("choose one of {}", fmt::join(sample_program_names, ", ")));
  if (bytes < 0)
    throw Error(fmt::format("messages of {} bytes", bytes), "choose 0 or more");
  ProgramBuilder builder(ranks);
  const auto write = sample_writers[static_cast<std::size_t>(found - sample_program_names.begin())];
  if (write == recursive_doubling && !std::has_single_bit(static_cast<std::uint64_t>(ranks)))
    throw Error(fmt::format("{} of {} ranks", name, ranks), "choose a power of two");
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    SampleWriter writer(builder, cost);
    write(writer, bytes);
    builder.end_rank();
  }
  return builder.finish();
}

} // namespace thalweg::simulate
