// SPDX-License-Identifier: BSD-3-Clause
#include "placer/given.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "place/sure_order.hpp"
#include "placer/structures.hpp"

#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace thalweg::place {

namespace {

/// More need more time than placing can save, and more memory.
constexpr int phases_max = 4096;

enum class Fault : std::uint8_t { none, rank, bytes, phase, options };

/// What a rank tells the others.
struct Report {
  Fault fault = Fault::none;
  std::int32_t to = 0; ///< the first weight that is wrong
  std::int32_t phase = 0;
  double bytes = 0;
  std::uint64_t options = 0; ///< the same where options are
};

/// FNV-1a.
class Hash {
public:
  void add(std::string_view text) { state_ = ended_text_hash(text, state_); }
  void add(double number) {
    auto word = std::bit_cast<std::uint64_t>(number);
    for (int byte = 0; byte < 8; ++byte, word >>= 8)
      state_ = fnv_hash(state_, word & 0xff);
  }
  std::uint64_t result() const { return state_; }

private:
  std::uint64_t state_ = fnv_begin;
};

std::string text_or_none(const char* text) {
  return text == nullptr ? "" : text;
}

Given checked(const thalweg_reorder_options& options) {
  const thalweg_reorder_options all = boundary::sized(options);
  if (!std::isfinite(all.seconds) || all.seconds < 0)
    throw Error(fmt::format("a search of {} seconds", all.seconds), "give a number from 0");
  if (!(all.gain >= 0 && all.gain < 1))
    throw Error(fmt::format("a gain of {}", all.gain), "give a part from 0 to below 1");
  return {.goal = all.objective == nullptr ? sure_goal : parse_goal(all.objective),
          .seconds = all.seconds,
          .gain = all.gain,
          .network = text_or_none(all.network),
          .node_list = text_or_none(all.node_list)};
}

std::uint64_t hash_of(const Given& given) {
  Hash hash;
  hash.add(name(given.goal));
  hash.add(given.seconds);
  hash.add(given.gain);
  hash.add(given.network);
  hash.add(given.node_list);
  return hash.result();
}

Report report_on(std::span<const thalweg_weight> weights, std::int32_t ranks) {
  for (const thalweg_weight& weight : weights) {
    const Fault fault = weight.rank < 0 || weight.rank >= ranks            ? Fault::rank
                        : !std::isfinite(weight.bytes) || weight.bytes < 0 ? Fault::bytes
                        : weight.phase < 0 || weight.phase >= phases_max   ? Fault::phase
                                                                           : Fault::none;
    if (fault != Fault::none)
      return {.fault = fault, .to = weight.rank, .phase = weight.phase, .bytes = weight.bytes};
  }
  return {};
}

[[noreturn]] void refuse(const Report& report, std::size_t rank, std::size_t ranks) {
  switch (report.fault) {
  case Fault::rank:
    throw Error(fmt::format("rank {} sends to rank {}", rank, report.to),
                fmt::format("name ranks of the communicator, 0 to {}", ranks - 1));
  case Fault::bytes:
    throw Error(fmt::format("rank {} sends {} bytes to rank {}", rank, report.bytes, report.to),
                "give a number from 0");
  case Fault::phase:
    throw Error(fmt::format("rank {} sends to rank {} in phase {}", rank, report.to, report.phase),
                fmt::format("number phases from 0 to {}", phases_max - 1));
  default:
    throw Error(fmt::format("rank {} gave options that cannot be", rank), "see its own message");
  }
}

} // namespace

Given agree_on_given(const job::Agreement& everybody, std::span<const thalweg_weight> weights,
                     const thalweg_reorder_options& options) {
  Report own = report_on(weights, everybody.count());
  Given given;
  std::optional<Error> wrong;
  try {
    given = checked(options);
    own.options = hash_of(given);
  } catch (const Error& error) {
    wrong = error;
    own.fault = Fault::options;
  }
  const std::vector<Report> reports = everybody.allgather(own);
  if (wrong)
    throw Error(*wrong);
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    if (reports[rank].fault != Fault::none)
      refuse(reports[rank], rank, reports.size());
    if (reports[rank].options != own.options)
      throw Error(fmt::format("rank {} gave other options than rank {}", rank, everybody.own()),
                  "give the same on all ranks", thalweg_error_mismatch);
  }
  return given;
}

} // namespace thalweg::place
