// SPDX-License-Identifier: BSD-3-Clause
#include "job/library/group.hpp"

#include "job/library/mpi_library.hpp"
#include "job/waiting.hpp"
#include "wait/foreign_load.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace thalweg::job {

namespace {

// As for the interposers (docs/configuration.md), which also say where a value is none.
void read_microseconds(const char* name, std::uint32_t& to) {
  if (const char* const value = std::getenv(name)) {
    const std::string_view text = value;
    std::uint32_t found = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), found);
    if (status == std::errc{} && end == text.data() + text.size())
      to = found;
  }
}

wait::Settings wait_settings() {
  wait::Settings settings;
  read_microseconds("THALWEG_POLL_US", settings.poll_us);
  read_microseconds("THALWEG_YIELD_US", settings.yield_us);
  read_microseconds("THALWEG_SLEEP_US", settings.sleep_us_max);
  return settings;
}

std::int32_t size_of(MPI_Comm communicator) {
  int ranks = 0;
  must(library_api().comm_size(communicator, &ranks), "MPI_Comm_size");
  return ranks;
}

Rank rank_in(MPI_Comm communicator) {
  Rank rank = 0;
  must(library_api().comm_rank(communicator, &rank), "MPI_Comm_rank");
  return rank;
}

Agreement agreement_of(MPI_Comm communicator, const wait::Policy& policy) {
  const transport::MpiApi& api = library_api();
  return {api,
          communicator,
          all_ranks(size_of(communicator)),
          rank_in(communicator),
          agreement_tag(api, communicator),
          policy};
}

} // namespace

Group::AllPlaces Group::agree(const ShadowCommunicator& shadow, const Group* parent) {
  // Of a whole group nothing is known yet.
  const bool are_cores_short = parent == nullptr || parent->placement_.oversubscribed;
  const Agreement everybody = agreement_of(shadow.handle(), wait_policy({}, are_cores_short));
  // A part's ranks are where they were when the whole was made: to find that out takes several files.
  const RankPlace own = parent == nullptr ? this_place() : parent->place_;
  Placement all = place_ranks(everybody.allgather(own));
  wait::found_ranks_here(std::max(all.oversubscribed_ranks, all.max_on_node));
  // Cores are short for a part of the ranks as well, where the rest computes beside it.
  all.oversubscribed |= parent != nullptr && parent->placement_.oversubscribed;
  return {own, std::move(all)};
}

Group::Group(std::shared_ptr<ShadowCommunicator> shadow, const Group* parent, bool has_transport,
             bool aggregates)
    : Group(shadow, agree(*shadow, parent), has_transport, aggregates) {}

Group::Group(const std::shared_ptr<ShadowCommunicator>& shadow, AllPlaces found, bool has_transport,
             bool aggregates)
    : RankGroup(rank_in(shadow->handle()), places_of(found.all)), place_(found.own),
      placement_(std::move(found.all)) {
  const ChannelOptions options{.waiting = wait_settings(),
                               .oversubscribed = placement_.oversubscribed,
                               .shared_memory = has_transport,
                               .balances_cores = ranks() == size_of(MPI_COMM_WORLD),
                               .aggregates =
                                   has_transport && aggregates}; // control does not let messages wait
  open(library_api(), shadow, options);
  near_ranks_ = numbers_on_node(channels().node(), ranks());
}

Agreement Group::agreement(const wait::Policy& policy) const {
  return agreement_of(communicator(), policy);
}

std::shared_ptr<transport::Segment> Group::share(std::size_t bytes) const {
  const std::optional<Agreement>& node = channels().node_agreement();
  return node ? share_segment(*node, bytes).segment : nullptr;
}

} // namespace thalweg::job
