// SPDX-License-Identifier: BSD-3-Clause
#include "stream/item_stream.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "boundary/guarded.hpp"

#include <fmt/format.h>
#include <utility>

namespace thalweg::streams {

namespace {

/// Sleeps on this rank's doorbell: whoever sends a slot to it, or frees one of its own, rings. So does who
/// has shown it something, so that before and after it windows are looked into, whenever that was done last.
struct DoorbellSystem : wait::System {
  DoorbellSystem(transport::Doorbell& own, const std::function<wait::Look()>& looking, Arrivals& arriving)
      : doorbell(&own), look(&looking), arrivals(&arriving) {}
  void sleep_us(std::uint32_t duration) {
    arrivals->show_at_once();
    doorbell->sleep_unless([this] { return (*look)() != wait::Look::nothing; }, duration);
    arrivals->show_at_once();
  }
  transport::Doorbell* doorbell;
  const std::function<wait::Look()>* look;
  Arrivals* arrivals;
};

/// What a stream's view calls, with the stream as its first argument.
template <typename Work>
int called_by_view(const char* call, void* stream, Work work) {
  auto& self = *static_cast<ItemStream*>(stream);
  const thalweg_stream_view& view = *self.view();
  return boundary::guarded(
      {.call = call, .rank = static_cast<Rank>(view.rank), .ranks = static_cast<std::int32_t>(view.ranks)},
      [&] { work(self); });
}

void fill_in_calls(thalweg_stream_view& view) {
  view.refill = [](void* stream, std::uint32_t link, std::size_t bytes) -> int {
    return called_by_view("send", stream, [&](ItemStream& self) { self.refill(link, bytes); });
  };
  view.hurry = [](void* stream, std::uint32_t link, int at_once) -> int {
    return called_by_view("send", stream, [&](ItemStream& self) { self.hurry(link, at_once != 0); });
  };
  view.fail = [](void* stream, const char* why) -> int {
    return called_by_view("fail", stream, [&](ItemStream& self) {
      self.fail(why);
      throw Error(why, "", thalweg_error_handler);
    });
  };
}

} // namespace

ItemStream::ItemStream(const Mesh& mesh, Fabric fabric, const thalweg_stream_handler& handler,
                       const StreamOptions& options, std::shared_ptr<StreamSet> set, MeshChooser* choosing)
    : mesh_(mesh, std::move(fabric), options.max_slot_bytes), membership_(std::move(set), *this),
      record_(wait::System::now_ns()),
      spare_(options.max_slot_bytes, options.max_overflow_bytes, record_.open().max_overflow_bytes),
      failure_(mesh_.fabric().rank), handler_(handler, membership_),
      deferred_(spare_, options.max_item_bytes), departures_(mesh_, spare_, record_.open()),
      links_(mesh_, departures_, options.item_bytes, record_.open()),
      phase_end_(mesh_.route(), failure_, handler_.view().has_sent, record_, choosing),
      arrivals_(mesh_, spare_, handler_, phase_end_, failure_), period_ns_(options.period_ns),
      looked_ns_(wait::System::now_ns()) {
  THALWEG_ASSERT(light, options.max_item_bytes <= mesh.memory.slot_bytes());
  thalweg_stream_view& view = handler_.view();
  view.ranks = static_cast<std::uint32_t>(mesh_.fabric().ranks);
  view.rank = static_cast<std::uint32_t>(mesh_.fabric().rank);
  view.shares_memory = mesh_.fabric().node_ranks.size() > 1 ? 1 : 0;
  view.max_item_bytes = options.max_item_bytes;
  view.stream = this;
  fill_in_calls(view);
  show_links();
}

// Programs put items into the links of the mesh, or into those of what is deferred.
void ItemStream::show_links() {
  if (deferred_.is_on())
    deferred_.show_in(handler_.view());
  else
    links_.show_in(handler_.view());
}

Statistics ItemStream::statistics() const {
  return record_.until(wait::System::now_ns(), handler_.delivered_bytes(), departures_.memory_bytes());
}

// --- sending ---

void ItemStream::refill(std::uint32_t link, std::size_t bytes) {
  const std::uint32_t slot_bytes =
      deferred_.is_on() ? handler_.view().max_item_bytes : mesh_.mesh().memory.slot_bytes();
  if (bytes > slot_bytes)
    throw Error(fmt::format("an item of {} B, with its tag", bytes),
                fmt::format("a slot of this stream holds {} B: make it with larger buffers", slot_bytes));
  if (deferred_.is_on()) {
    deferred_.refill(link);
    return;
  }
  THALWEG_ASSERT(normal, mesh_.route().peers()[link].rank >= 0);
  const bool in_handler = membership_.set().runs_handler();
  if (is_finishing() && !in_handler && !membership_.set().is_nested())
    throw Error("an item is sent while the phase ends",
                "send after its request has finished, or in a handler");
  // A link's first item seldom costs a look: where there are messages, that takes as long as many items.
  const bool was_full = links_.is_filling(link);
  const std::uint64_t now_ns = was_full ? 0 : wait::System::now_ns();
  if (was_full)
    links_.send(link, Reason::full);
  else
    record_.item_sent(now_ns);
  if (!in_handler && (was_full || now_ns - looked_ns_ >= period_ns_))
    progress();
  links_.widen(link, bytes);
  // What has been taken in meanwhile may have filled the link again.
  while (!links_.has_place(link, bytes)) {
    if (links_.is_filling(link))
      links_.send(link, Reason::full);
    if (links_.fill(link))
      continue;
    if (in_handler)
      links_.fill_spare(link);
    else
      wait_for_slot(link);
  }
}

void ItemStream::hurry(std::uint32_t link, bool at_once) {
  if (!deferred_.is_on()) // or it belongs to the next phase
    links_.hurry(link, at_once);
}

void ItemStream::release_held() {
  if (!is_finishing())
    handler_.release();
}

void ItemStream::flush() {
  release_held();
  links_.send_all();
  if (departures_.is_empty())
    return;
  departures_.progress(); // which frees slots
  departures_.drain();
}

// What is sent while a phase ends is for the next one.
void ItemStream::defer(bool on) {
  if (deferred_.turn(on && is_finishing()))
    show_links();
}

// --- waiting, and taking in ---

bool ItemStream::take_in(std::uint32_t from_dimension, bool copies) {
  const bool moved = departures_.drain();
  departures_.progress();
  return arrivals_.take(from_dimension, copies) || moved;
}

// A link that holds the same slot as one period ago waits for more in vain.
bool ItemStream::look_at_clock() {
  const std::uint64_t now_ns = wait::System::now_ns();
  const bool moved = arrivals_.take_shown(now_ns);
  if (now_ns - looked_ns_ >= period_ns_) {
    looked_ns_ = now_ns;
    release_held();
    links_.send_old();
  }
  return moved;
}

bool ItemStream::progress() {
  StreamSet& set = membership_.set();
  return !set.is_nested() && set.progress(nullptr);
}

void ItemStream::looked_in_vain() {
  const wait::Policy& policy = mesh_.fabric().policy;
  if (policy.progress_others != nullptr)
    policy.progress_others(policy.context);
  wait::System system;
  if (mesh_.fabric().rings)
    wait::yield_or_sleep(system, wait::thread_yield_history(), policy.settings.sleep_us_min);
}

void ItemStream::wait(const std::function<wait::Look()>& look) {
  const wait::Policy& policy = mesh_.fabric().policy;
  if (mesh_.fabric().rings)
    wait::until(policy, look, DoorbellSystem(mesh_.own_doorbell(), look, arrivals_));
  else
    wait::until(policy, look);
}

void ItemStream::wait_for(const std::function<bool()>& reached) {
  membership_.set().must_not_be_nested();
  links_.looked(true); // looks in vain are counted from here on
  wait([&] {
    const bool moved = membership_.set().progress(nullptr);
    if (reached())
      return wait::Look::reached;
    links_.looked(moved);
    return moved ? wait::Look::moved : wait::Look::nothing;
  });
}

void ItemStream::wait_for_slot(std::uint32_t link) {
  Statistics& done = record_.open();
  ++done.waits;
  const std::uint64_t begin_ns = wait::System::now_ns();
  wait([&] {
    const bool moved = membership_.set().progress_from(*this, departures_.dimension(link));
    if (!departures_.is_waited_for(link) && departures_.has_free(link))
      return wait::Look::reached;
    return moved ? wait::Look::moved : wait::Look::nothing;
  });
  done.waited_ns += wait::System::now_ns() - begin_ns;
}

// --- the end of a phase ---

// What fills links leaves now, as the program may be long in coming back. What handlers send to it later goes
// with another wave.
void ItemStream::start_finish() {
  begin_finish();
  phase_end_.close_first(links_);
}

void ItemStream::begin_finish() {
  if (is_finishing())
    throw Error("the phase is ending already", "wait for its request first");
  membership_.set().must_not_be_nested();
  release_held();
  record_.finish_began(wait::System::now_ns());
  phase_end_.begin();
}

void ItemStream::advance() {
  if (!is_finishing())
    return;
  phase_end_.advance(links_);
  // What this rank has said last may still be on its way, in slots of the mesh that it leaves.
  if (!phase_end_.is_choosing() || (mesh_.remote() != nullptr && mesh_.remote()->has_sends()))
    return;
  record_.memory_seen(departures_.memory_bytes()); // the mesh in use may be gone behind this
  const Mesh* const next = phase_end_.choose();
  if (next == nullptr)
    return;
  if (next->base == mesh_.mesh().base) {
    mesh_.fill(next->fill_bytes);
    return;
  }
  mesh_.enter(*next);
  THALWEG_ASSERT(light, handler_.view().max_item_bytes <= next->memory.slot_bytes());
  departures_.enter();
  links_.enter();
  arrivals_.enter();
  phase_end_.enter();
  show_links();
}

bool ItemStream::test_finish() {
  membership_.set().must_not_be_nested();
  if (!is_finishing())
    return true;
  const bool moved = membership_.set().progress(this);
  if (!phase_end_.has_ended()) {
    links_.looked(moved);
    if (!moved)
      looked_in_vain();
    return false;
  }
  end_phase();
  return true;
}

void ItemStream::finish() {
  membership_.set().must_not_be_nested();
  if (!is_finishing())
    begin_finish();
  // Others may not have come to the end of the phase, and wait for what handlers have sent here.
  wait([&] {
    const bool moved = membership_.set().progress(this);
    if (phase_end_.has_ended())
      return wait::Look::reached;
    links_.looked(moved);
    return moved ? wait::Look::moved : wait::Look::nothing;
  });
  end_phase();
}

void ItemStream::end_phase() {
  phase_end_.end();
  record_.phase_ended(wait::System::now_ns(), handler_.delivered_bytes(), departures_.memory_bytes());
  handler_.begin_phase();
  arrivals_.end_phase();
  links_.end_phase();
  // As in a handler, nobody waits.
  if (!deferred_.is_empty())
    deferred_.drain([this](std::span<const char> items, std::uint32_t odd) { handler_.resend(items, odd); });
  failure_.end_phase();
}

} // namespace thalweg::streams
