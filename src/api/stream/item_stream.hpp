// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One rank's end of a stream. Its parts have a state each:
//
//   Handler     the program's handler, and the view through which it puts items into links
//   Links       slots that are filled, and when they are sent        Departures  slots on their way out
//   Arrivals    slots that come, and what came early                 SpareSlots  memory beside the node's
//   PhaseEnd    which marks were sent and have come                  Failure     why the phase fails
//   DeferredItems    what belongs to a phase whose mesh is not known      PhaseRecord what was done
//
// Here they are put together: what a call of the program does, and what a wait does.

#include "stream/arrivals.hpp"
#include "stream/handler.hpp"
#include "stream/links.hpp"
#include "stream/mesh.hpp"
#include "stream/overflow.hpp"
#include "stream/phase_end.hpp"
#include "stream/statistics.hpp"
#include "stream/stream_set.hpp"
#include "wait/policy.hpp"

#include <functional>
#include <memory>
#include <string>

namespace thalweg::streams {

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
             const StreamOptions& options, std::shared_ptr<StreamSet> set, MeshChooser* choosing = nullptr);

  thalweg_stream_view* view() { return &handler_.view(); }
  /// Since it was made.
  Statistics statistics() const;
  /// Of phases that have ended.
  const PhaseHistory& phases() const { return record_.phases(); }

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
  bool is_finishing() const { return phase_end_.is_finishing(); }
  /// While `on`, what arrives is kept for later instead of being handled, as long as there is memory for it.
  void hold(bool on) { arrivals_.hold(on); }
  /// The handler that is running fails for this reason.
  void fail(std::string why) { failure_.happened(std::move(why)); }

  bool take_in(std::uint32_t from_dimension, bool copies) override;
  void advance() override;
  void defer(bool on) override;
  bool runs_handler() const override { return handler_.runs(); }
  bool look_at_clock() override;

private:
  void show_links();
  void wait(const std::function<wait::Look()>& look);
  void wait_for_slot(std::uint32_t link);
  void release_held();
  void begin_finish();
  void end_phase();

  MeshEnd mesh_;
  Membership membership_;
  PhaseRecord record_;
  SpareSlots spare_;
  Failure failure_;
  Handler handler_;
  DeferredItems deferred_;
  Departures departures_;
  Links links_;
  PhaseEnd phase_end_;
  Arrivals arrivals_;
  std::uint64_t period_ns_; ///< after which what is in links is sent
  std::uint64_t looked_ns_; ///< when a period began
};

} // namespace thalweg::streams
