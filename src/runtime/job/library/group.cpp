// SPDX-License-Identifier: BSD-3-Clause
#include "job/library/group.hpp"

#include "job/library/mpi_calls.hpp"
#include "job/library/mpi_library.hpp"
#include "job/waiting.hpp"

#include <charconv>
#include <cstdlib>
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

Group::Group(std::shared_ptr<ShadowCommunicator> shadow, const Group* parent, bool has_transport,
             bool aggregates)
    : shadow_(std::move(shadow)), rank_(rank_in(shadow_->handle())) {
  // Of a whole group nothing is known yet.
  const bool are_cores_short = parent == nullptr || parent->placement_.oversubscribed;
  const Agreement everybody = agreement_of(communicator(), wait_policy({}, are_cores_short));
  // A part's ranks are where they were when the whole was made: to find that out takes several files.
  place_ = parent == nullptr ? this_place() : parent->place_;
  placement_ = place_ranks(everybody.allgather(place_));
  // Cores are short for a part of the ranks as well, where the rest computes beside it.
  placement_.oversubscribed |= parent != nullptr && parent->placement_.oversubscribed;
  nodes_ = std::make_shared<const std::vector<std::int32_t>>(placement_.nodes);
  if (!placement_.sockets.empty())
    sockets_ = std::make_shared<const std::vector<std::int32_t>>(placement_.sockets);
  const ChannelOptions options{.waiting = wait_settings(),
                               .oversubscribed = placement_.oversubscribed,
                               .shared_memory = has_transport,
                               .balances_cores = ranks() == size_of(MPI_COMM_WORLD),
                               .aggregates =
                                   has_transport && aggregates}; // control does not let messages wait
  channels_ = std::make_unique<Channels>(library_api(), shadow_, rank_, placement_.nodes, options);
  near_ranks_ = numbers_on_node(channels_->node(), ranks());
}

Agreement Group::agreement(const wait::Policy& policy) const {
  return agreement_of(communicator(), policy);
}

std::shared_ptr<transport::Segment> Group::share(std::size_t bytes) const {
  if (!channels_->node_agreement())
    return nullptr;
  return share_segment(*channels_->node_agreement(), bytes).segment;
}

} // namespace thalweg::job
