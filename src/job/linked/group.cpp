#include "job/linked/group.hpp"

#include "job/linked/linked_library.hpp"
#include "job/linked/mpi_calls.hpp"
#include "job/waiting.hpp"

#include <utility>

namespace thalweg::job {

namespace {

std::int32_t size_of(MPI_Comm communicator) {
  int ranks = 0;
  must(linked_api().comm_size(communicator, &ranks), "MPI_Comm_size");
  return ranks;
}

Rank rank_in(MPI_Comm communicator) {
  Rank rank = 0;
  must(linked_api().comm_rank(communicator, &rank), "MPI_Comm_rank");
  return rank;
}

Agreement agreement_of(MPI_Comm communicator, const wait::Policy& policy) {
  const transport::MpiApi& api = linked_api();
  return {api,
          communicator,
          all_ranks(size_of(communicator)),
          rank_in(communicator),
          agreement_tag(api, communicator),
          policy};
}

} // namespace

Group::Group(std::shared_ptr<ShadowCommunicator> shadow, const Group* parent, bool has_transport)
    : shadow_(std::move(shadow)), rank_(rank_in(shadow_->handle())) {
  const Agreement everybody = agreement_of(communicator(), wait_policy({}, true));
  placement_ = place_ranks(everybody.allgather(this_place()));
  // Cores are short for a part of the ranks as well, where the rest computes beside it.
  placement_.oversubscribed |= parent != nullptr && parent->placement_.oversubscribed;
  nodes_ = std::make_shared<const std::vector<std::int32_t>>(placement_.nodes);
  if (!placement_.sockets.empty())
    sockets_ = std::make_shared<const std::vector<std::int32_t>>(placement_.sockets);
  const ChannelOptions options{.waiting = {},
                               .oversubscribed = placement_.oversubscribed,
                               .shared_memory = has_transport,
                               .balances_cores = ranks() == size_of(MPI_COMM_WORLD),
                               .aggregates = true};
  channels_ = std::make_unique<Channels>(linked_api(), shadow_, rank_, placement_.nodes, options);
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
