#include "job/mpi/channels.hpp"

#include "job/mpi/node_segment.hpp"
#include "job/waiting.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "transport/routed/routed_transport.hpp"
#include "transport/shm/shm_transport.hpp"

#include <utility>

namespace thalweg::job {

using transport::Transport;

// Any look at the library makes it progress; this one finds nothing and takes nothing away.
void Channels::progress_others(void* link) {
  const auto& self = *static_cast<const Link*>(link);
  if (self.progress != nullptr)
    self.progress();
  int found = 0;
  self.api.iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self.shadow->handle(), &found, MPI_STATUS_IGNORE);
}

Channels::Channels(const transport::MpiApi& api, std::shared_ptr<ShadowCommunicator> shadow, Rank rank,
                   std::span<const int> nodes, const ChannelOptions& options)
    : link_(std::make_shared<Link>(Link{api, std::move(shadow), options.progress, {}})),
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

std::unique_ptr<Transport> Channels::through_memory(const ChannelOptions& options) {
  if (!node_agreement_)
    return nullptr;
  if (!options.shared_memory) {
    why_no_memory_ = "THALWEG_SHARED_MEMORY=0";
    return nullptr;
  }
  const transport::GroupMemory memory(node_.count());
  NodeSegment shared = share_segment(*node_agreement_, memory.bytes(), memory.bytes_to_prepare());
  why_no_memory_ = std::move(shared.reason);
  if (!shared.segment)
    return nullptr;
  std::byte* const begin = shared.segment->memory();
  return transport::make_shm_transport(
      {std::move(shared.segment), begin}, node_.own, node_.count(),
      {link_->policy, options.oversubscribed, options.threaded, options.balances_cores});
}

std::unique_ptr<Transport> Channels::through_library(const ChannelOptions& options, Rank rank,
                                                     std::int32_t ranks) {
  const MPI_Comm communicator = link_->shadow->handle();
  auto library = std::make_unique<transport::MpiTransport>(link_->api, communicator, rank, ranks,
                                                           agreement_tag(link_->api, communicator));
  if (!options.aggregates)
    return library;
  auto aggregation = std::make_unique<transport::AggregatingTransport>(std::move(library), link_->policy);
  aggregation_ = aggregation.get();
  return aggregation;
}

} // namespace thalweg::job
