// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How the ranks of a group reach each other: through memory inside of a node, through the library between
// nodes, short messages put together on the way if wanted. And how they wait: every wait on these channels
// lets the MPI library and the process's other operations progress, since another rank may be waiting for
// something of theirs.

#include "job/mpi/agreement.hpp"
#include "job/mpi/shadow_communicator.hpp"
#include "job/placement.hpp"
#include "transport/aggregation/aggregating_transport.hpp"
#include "transport/transport.hpp"
#include "wait/policy.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace thalweg::job {

struct ChannelOptions {
  wait::Settings waiting;
  bool oversubscribed = false; ///< some machine has more ranks than cores; the same on all ranks
  bool shared_memory = true;   ///< inside of nodes; the same on all ranks
  bool threaded = false;       ///< several threads of this process use the channels
  bool balances_cores =
      false; ///< the group's ranks are all that use the node's cores, and may move to even them out
  bool aggregates = false; ///< short messages between nodes are put together
  void (*progress)() =
      nullptr; ///< advances this process's other operations; null where the library's calls do
};

class Channels {
public:
  /// Collective over the group, `nodes[r]` the node of its rank r.
  Channels(const transport::MpiApi& api, std::shared_ptr<ShadowCommunicator> shadow, Rank rank,
           std::span<const int> nodes, const ChannelOptions& options);

  /// Kept, with the communicator under it, as long as anybody holds it: operations may end after the group.
  const std::shared_ptr<transport::Transport>& transport() const { return transport_; }
  /// The group's mailbox, which one owner may have at a time. The channels outlive it.
  std::unique_ptr<transport::Mailbox> make_mailbox() const;
  const wait::Policy& policy() const { return link_->policy; }
  const NodeMembers& node() const { return node_; }
  bool has_other_nodes() const { return has_other_nodes_; }
  /// The ranks of this process's node, to agree among themselves; none where it is alone.
  const std::optional<Agreement>& node_agreement() const { return node_agreement_; }
  /// Why the node's ranks share no memory; empty where they do, or there is nothing to share.
  const std::string& why_no_memory() const { return why_no_memory_; }
  bool has_shared_memory() const { return has_shared_memory_; }
  /// Sends what is put together for ranks of other nodes. To be called while waiting, and at the end of each
  /// call of the program.
  void flush() {
    if (aggregation_ != nullptr)
      aggregation_->flush();
  }
  /// At the end of a call that is likely to be followed by others of its kind.
  void flush_unless_in_row() {
    if (aggregation_ != nullptr)
      aggregation_->flush_unless_in_row();
  }

private:
  /// What waits need, at an address that stays.
  struct Link {
    const transport::MpiApi& api;
    std::shared_ptr<ShadowCommunicator> shadow;
    int unused_tag; ///< the mailbox's and the transport's are below it
    void (*progress)();
    wait::Policy policy;
    std::uint32_t visits_in_vain = patience; ///< since one moved something

    /// After so many the library is taken to have nothing pending.
    static constexpr std::uint32_t patience = 2048;
  };
  static wait::Visit progress_others(void* link);

  std::unique_ptr<transport::Transport> through_memory(const ChannelOptions& options);
  std::unique_ptr<transport::Transport> through_library(const ChannelOptions& options, Rank rank,
                                                        std::int32_t ranks);

  std::shared_ptr<Link> link_;
  NodeMembers node_;
  bool has_other_nodes_ = false;
  std::optional<Agreement> node_agreement_;
  std::string why_no_memory_;
  bool has_shared_memory_ = false;
  transport::AggregatingTransport* aggregation_ = nullptr; ///< a part of the transport
  std::shared_ptr<transport::Transport> transport_;
};

} // namespace thalweg::job
