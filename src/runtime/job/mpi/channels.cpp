// SPDX-License-Identifier: BSD-3-Clause
#include "job/mpi/channels.hpp"

#include "job/mpi/node_segment.hpp"
#include "job/waiting.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "transport/routed/routed_transport.hpp"
#include "transport/shm/shm_transport.hpp"

#include <utility>

namespace thalweg::job {

using transport::Transport;

namespace {

// Looks in which the library finds nothing take a fraction of that; to copy a part of a long message takes
// more.
constexpr std::uint64_t moved_ns = 4000;

} // namespace

// A look at the library makes it progress, unless it finds what is there already. A message of ours may be
// there that its receive has not been posted for, so this look is for one that never is. The library does not
// say whether it moved something, but the time that it takes does. Long messages are moved in many parts,
// each of which both ends have to look at: where one look moved something, there is probably more to come.
wait::Visit Channels::progress_others(void* link) {
  auto& self = *static_cast<Link*>(link);
  if (self.progress != nullptr)
    self.progress();
  const std::uint64_t begin_ns = wait::System::now_ns();
  int found = 0;
  self.api.iprobe(MPI_ANY_SOURCE, self.unused_tag, self.shadow->handle(), &found, MPI_STATUS_IGNORE);
  if (wait::System::now_ns() - begin_ns >= moved_ns) {
    self.visits_in_vain = 0;
    return wait::Visit::moved;
  }
  if (self.visits_in_vain == Link::patience)
    return wait::Visit::idle;
  ++self.visits_in_vain;
  return wait::Visit::pending;
}

Channels::Channels(const transport::MpiApi& api, std::shared_ptr<ShadowCommunicator> shadow, Rank rank,
                   std::span<const int> nodes, const ChannelOptions& options)
    : link_(
          std::make_shared<Link>(Link{api, shadow, unused_tag(api, shadow->handle()), options.progress, {}})),
      node_(node_members(nodes, rank)) {
  link_->policy = wait_policy(options.waiting, options.oversubscribed);
  link_->policy.progress_others = progress_others;
  link_->policy.context = link_.get();
  const auto ranks = static_cast<std::int32_t>(nodes.size());
  has_other_nodes_ = node_.count() < ranks;
  if (node_.count() > 1) {
    const MPI_Comm communicator = link_->shadow->handle();
    node_agreement_.emplace(api, communicator, node_.ranks, node_.own, agreement_tag(api, communicator),
                            link_->policy);
  }
  std::unique_ptr<Transport> near = through_memory(options);
  has_shared_memory_ = near != nullptr;
  std::unique_ptr<Transport> whole;
  if (near && !has_other_nodes_)
    whole = std::move(near);
  else if (near)
    whole = transport::make_routed(std::move(near), through_library(options, rank, ranks),
                                   numbers_on_node(node_, ranks), link_->policy);
  else
    whole = through_library(options, rank, ranks);
  transport_ = {whole.release(), [link = link_](Transport* ended) { delete ended; }};
}

std::unique_ptr<transport::Mailbox> Channels::make_mailbox() const {
  const MPI_Comm communicator = link_->shadow->handle();
  return std::make_unique<transport::MpiMailbox>(link_->api, communicator,
                                                 mailbox_tag(link_->api, communicator));
}

std::unique_ptr<Transport> Channels::through_memory(const ChannelOptions& options) {
  if (!node_agreement_)
    return nullptr;
  if (!options.shared_memory) {
    why_no_memory_ = "THALWEG_SHARED_MEMORY=0";
    return nullptr;
  }
  const transport::GroupMemory memory(node_.count());
  NodeMemory shared = share_memory(*node_agreement_, memory.bytes(), memory.bytes_to_prepare());
  why_no_memory_ = std::move(shared.reason);
  if (!shared.memory)
    return nullptr;
  return transport::make_shm_transport(
      shared.memory, node_.own, node_.count(),
      {link_->policy, options.oversubscribed, options.threaded, options.balances_cores});
}

std::unique_ptr<Transport> Channels::through_library(const ChannelOptions& options, Rank rank,
                                                     std::int32_t ranks) {
  const MPI_Comm communicator = link_->shadow->handle();
  auto library = std::make_unique<transport::MpiTransport>(link_->api, communicator, rank, ranks,
                                                           mailbox_tag(link_->api, communicator));
  if (!options.aggregates)
    return library;
  auto aggregation = std::make_unique<transport::AggregatingTransport>(std::move(library), link_->policy);
  aggregation_ = aggregation.get();
  return aggregation;
}

} // namespace thalweg::job
