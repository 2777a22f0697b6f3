// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One rank's end of a stream: links that are filled, slots that come and go, and how a phase ends.

#include "stream/choosing.hpp"
#include "stream/deferred.hpp"
#include "stream/inbox.hpp"
#include "stream/mesh.hpp"
#include "stream/overflow.hpp"
#include "stream/pace.hpp"
#include "stream/phase_history.hpp"
#include "stream/quiescence.hpp"
#include "stream/slot_pool.hpp"
#include "stream/statistics.hpp"
#include "stream/stream_set.hpp"
#include "stream/wave.hpp"
#include "wait/policy.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::streams {

/// Where the ranks of a stream are, for one of them.
struct Fabric {
  Rank rank = 0;
  std::int32_t ranks = 1;
  std::vector<Rank> node_ranks{}; ///< of this node, by their number on it
  wait::Policy policy{};
  /// Ranks sleep until their doorbells ring. Who rings waits until all that it has written is there, which is
  /// worth it where ranks outnumber cores.
  bool rings = true;

  /// A rank's number on this node, or -1.
  Rank near(Rank of) const {
    const auto found = std::ranges::find(node_ranks, of);
    return found == node_ranks.end() ? -1 : static_cast<Rank>(found - node_ranks.begin());
  }
};

struct StreamOptions {
  std::uint32_t item_bytes = 0;     ///< of an item; 0: they differ
  std::uint32_t max_item_bytes = 0; ///< that slots of all meshes hold, the tag included
  std::uint32_t max_slot_bytes = 0; ///< of slots of all meshes
  std::size_t max_overflow_bytes = std::size_t{1} << 30;
  std::uint64_t period_ns = 1'000'000; ///< what has waited for so long in a link is sent
};

class ItemStream final : public Member {
public:
  /// `choosing`: who may change the mesh, and outlives the stream; null: it never changes.
  ItemStream(const Mesh& mesh, Fabric fabric, const thalweg_stream_handler& handler,
             const StreamOptions& options, std::shared_ptr<StreamSet> set, Choosing* choosing = nullptr);
  ~ItemStream() override;
  ItemStream(const ItemStream&) = delete;
  ItemStream& operator=(const ItemStream&) = delete;

  thalweg_stream_view* view() { return &view_; }
  const ItemRoute& route() const { return mesh_.route; }
  /// Since it was made.
  Statistics statistics() const;
  /// Of phases that have ended.
  const PhaseHistory& phases() const { return history_; }

  /// Sends what the link has and makes place for `bytes` more. In a handler it does not wait.
  void refill(std::uint32_t link, std::size_t bytes);
  /// What the link has goes on its way: at once, or as soon as that pays. It does not wait.
  void hurry(std::uint32_t link, bool at_once);
  /// Sends what all links have, this rank's successors first: all do so at about the same time.
  void flush();
  /// Takes in what has arrived, for all streams of the process, and sends what has waited for long. Nothing
  /// in a handler: handlers do not interrupt one another.
  /// Was there anything?
  bool progress();
  /// To be called by who looks again and again and finds nothing: lets the MPI library go on, and other ranks
  /// where these outnumber cores.
  void looked_in_vain();
  /// Waits as all waits of streams do, and takes in what arrives, until `reached` says so. What is in buffers
  /// is sent where nothing arrives.
  void wait_for(const std::function<bool()>& reached);

  /// Begins to end the phase: nothing more is sent but by handlers. What is in buffers leaves.
  void start_finish();
  bool test_finish();
  /// Waits until all items of all ranks have been handled. Throws Error where some rank's handler has failed.
  void finish();
  bool is_finishing() const { return is_finishing_; }
  /// While `on`, what arrives is kept for later instead of being handled, as long as there is memory for it.
  void hold(bool on) { holds_ = on; }
  /// The handler that is running fails for this reason.
  void fail(std::string why);

  bool take_in(std::uint32_t from_dimension, bool copies) override;
  void advance() override;
  void defer(bool on) override;
  bool runs_handler() const override { return view_.in_handler != 0; }
  bool look_at_clock() override;

private:
  static constexpr int slots_in_row = 64; // of one dimension, before others are looked after

  struct Link {
    Slot* slot = nullptr; // that is being filled
    bool is_overflow = false;
    bool was_seen = false; // when it was last looked whether it has waited for long
  };
  struct Outbox {
    Rank near = -1; // who the link's peer is on this node; -1: he is on another one
    MailboxEnd mailbox;
    std::uint32_t fill_bytes = 0; // of its next slot
  };

  void enter(const Mesh& mesh);
  void point_view();
  std::uint32_t first_fill(const Outbox& outbox) const;
  SlotPool& pool_of(std::uint32_t link) { return pools_[mesh_.route.peers()[link].dimension]; }
  void give(std::uint32_t link, Slot& slot, bool is_overflow);
  bool has_place(std::uint32_t link, std::size_t bytes) const;
  void wait_for_slot(std::uint32_t link);
  thalweg_stream_link part_of(std::uint32_t link, Slot& slot) const;
  thalweg_stream_window window_of(std::uint32_t link, const Slot& slot) const;
  std::size_t stride(std::uint32_t link) const;
  void release_held();
  void send_links();
  void send_old(std::uint64_t now_ns);
  void send_when_idle(bool moved);
  Slot& make_overflow();
  void refill_deferred(std::uint32_t link);
  void send_deferred();
  void wait(const std::function<wait::Look()>& look);

  void post(std::uint32_t link, std::uint8_t flags, Reason reason);
  void dispatch(std::uint32_t link, Slot& slot);
  bool drain_overflow();

  bool handles(std::uint32_t phase) const { return phase == phase_ && !holds_; }
  bool may_hold_more() const { return !holds_ || overflow_.bytes() < options_.max_overflow_bytes / 2; }
  bool take_early(std::uint32_t dimension, bool copies);
  bool take_near(std::uint32_t dimension, bool copies);
  bool take_far(std::uint32_t dimension, bool copies);
  Slot& copy(const Slot& slot);
  bool take_from(Inbox& inbox, std::uint32_t dimension, bool copies);
  bool take_shown(std::uint64_t now_ns);
  bool take_shown(Inbox& inbox, std::uint32_t dimension);
  void take_notice(const Notice& notice, std::uint32_t dimension);
  void take_mark(std::uint32_t dimension, std::uint8_t flags);
  void handle(Slot& slot, std::uint32_t taken);
  void take_failure(const SlotHead& head, std::span<const char> text);
  void handle_items(std::span<const char> items, std::uint32_t dimension);
  void free_near(Slot& slot);
  void ring(Rank near);

  void begin_wave();
  bool close(std::uint32_t link);
  std::uint8_t flags_to(std::uint32_t link) const;
  void begin_finish();
  bool has_closed(std::uint32_t end);
  bool take_step();
  bool check_quiescence();
  void end_waves();
  bool choose();
  PhaseSeen seen_of_phase() const;
  void end_phase();
  void count_phase();
  void complete(Statistics& done, std::uint64_t now_ns) const;
  std::size_t memory_bytes() const;
  bool carries_items(const Slot& slot) const;
  void must_have_succeeded();
  void must_not_be_nested() const;

  Mesh mesh_;
  Fabric fabric_;
  Rank near_rank_;
  thalweg_stream_handler handler_;
  StreamOptions options_;
  std::shared_ptr<StreamSet> set_;
  Choosing* choosing_;
  std::vector<thalweg_stream_link> open_links_;
  std::vector<thalweg_stream_window> windows_;
  std::vector<Link> links_;
  std::vector<Outbox> outboxes_;            // by link
  std::vector<std::vector<Inbox>> inboxes_; // by dimension, of senders on this node
  std::vector<SlotPool> pools_;
  struct Early {
    Slot* slot;
    bool is_copy;
    std::uint32_t taken = 0; // bytes of it, before
  };
  std::vector<std::deque<Early>> early_; // of the next phase, by dimension
  Overflow overflow_;
  std::unique_ptr<Deferred> deferred_; // once it was needed
  bool defers_ = false;
  Wave wave_;
  QuiescenceCheck quiescence_;
  thalweg_stream_view view_{};
  Statistics statistics_; // of the phase that is open
  PhaseHistory history_;
  std::uint64_t phase_began_ns_ = 0;
  std::uint64_t finish_began_ns_ = 0;

  std::uint8_t phase_ = 0;
  bool is_finishing_ = false;
  bool holds_ = false;
  bool has_ended_ = false;     // its last wave has, but nobody was told yet
  bool was_active_ = false;    // anything was sent in this phase, as all ranks know
  bool is_due_ = false;        // the ranks tell each other what they have seen of it
  bool is_choosing_ = false;   // all waves have ended, and it is not said yet how to go on
  std::uint64_t began_ns_ = 0; // this rank's first item did; 0: it has sent none
  std::uint32_t closing_dimension_ = 0;
  std::uint32_t closing_link_ = 0;
  std::uint64_t looked_ns_ = 0;
  std::uint64_t shown_ns_ = 0;      // when it looked into windows
  Pace pace_{10, 10'000'000};       // of short messages to other nodes: a tenth of the time
  std::uint32_t looks_in_vain_ = 0; ///< one after the other, while a phase ends

  Rank failed_rank_ = -1;
  std::string failure_;
  bool failed_since_wave_ = false;
};

} // namespace thalweg::streams
