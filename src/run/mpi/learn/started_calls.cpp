// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/started_calls.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "mpi/comm/clocks.hpp"
#include "mpi/learn/agreement.hpp"
#include "mpi/observe/ticks.hpp"
#include "transport/shm/line_distance.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

namespace thalweg::mpi {

namespace {

// The program may complete a round's last calls some starts later.
constexpr std::uint32_t calls_to_complete = 4;
// So many rounds in a row that told nothing end the learning of a kind.
constexpr std::uint32_t lost_max = 4;

// Requests may end after their communicator, so nothing of these is ever freed.
struct FiguresPool {
  std::mutex mutex;
  std::vector<tune::RoundFigures*> free;
};

tune::RoundFigures* take_figures() {
  auto& pool = of_process<FiguresPool>();
  const std::lock_guard lock(pool.mutex);
  if (pool.free.empty())
    return std::make_unique<tune::RoundFigures>().release();
  tune::RoundFigures* const taken = pool.free.back();
  pool.free.pop_back();
  return taken;
}

void give_back(tune::RoundFigures* figures) {
  figures->open({});
  auto& pool = of_process<FiguresPool>();
  const std::lock_guard lock(pool.mutex);
  pool.free.push_back(figures);
}

// Loads of lines that have left the other core's caches take longer, so that only near and far are told
// apart, by the smallest of a side's glances.
double distance_class(double ticks) {
  if (ticks <= 0)
    return 0;
  return ticks < static_cast<double>(transport::LineDistance::far_ticks) ? 1 : 2;
}

} // namespace

StartedCalls::StartedCalls(CommunicatorState& communicator, std::uint32_t number)
    : communicator_(communicator), number_(number), figures_(take_figures()) {
  THALWEG_ASSERT(light, number < max_kinds);
}

StartedCalls::StartedCalls(CommunicatorState& communicator, std::shared_ptr<transport::Transport> transport,
                           std::int32_t first_tag)
    : communicator_(communicator), figures_(take_figures()) {
  glances_.at = dynamic_cast<transport::NeighborGlances*>(transport.get());
  agreement_.emplace(std::move(transport), first_tag);
}

StartedCalls::~StartedCalls() {
  finish();
  give_back(figures_);
}

void StartedCalls::finish() {
  if (agreement_ && agreement_->is_pending())
    agreement_->complete();
  phase_ = Phase::lost;
}

StartedCalls::Between StartedCalls::at_start(TuningContext& context) {
  switch (phase_) {
  case Phase::open:
    if (!context.is_measured())
      break;
    if (++calls_since_ > calls_to_complete)
      begin_agreement(context);
    return Between::incumbent;
  case Phase::measured:
    return agreement_->holds_at_this_start() ? Between::agreed : Between::incumbent;
  case Phase::ordering: {
    if (!agreement_->holds_at_this_start())
      return Between::incumbent;
    agreement_->complete();
    const Ordering ordering = ordering_of(agreement_->text());
    context.add_candidates(ordering.candidates, ordering.seconds);
    break;
  }
  case Phase::closed:
    if (!communicator_.is_open())
      return Between::incumbent;
    return open_round(context, wanted_) ? Between::round : Between::incumbent;
  case Phase::lost:
    return Between::incumbent;
  case Phase::between:
    break;
  }
  return open_round(context, context.learner().next_round()) ? Between::round : Between::incumbent;
}

bool StartedCalls::open_round(TuningContext& context, const tune::Round& round) {
  if (round.kind != tune::Round::Kind::run && !agreement_ && !communicator_.is_open()) {
    wanted_ = round;
    phase_ = Phase::closed;
    return false;
  }
  if (round.kind == tune::Round::Kind::order) {
    begin_ordering(context);
    return false;
  }
  phase_ = Phase::open;
  calls_since_ = 0;
  context.open(round);
  if (context.is_measured()) {
    figures_->open(round);
    glances_.calls = 0;
    if (communicator_.is_open())
      glances_.at = dynamic_cast<transport::NeighborGlances*>(communicator_.channels()->transport().get());
  }
  return true;
}

// The transport is there as long as anybody needs it.
StartedAgreement& StartedCalls::agreement() {
  if (!agreement_) {
    const std::shared_ptr<transport::Transport>& transport = communicator_.channels()->transport();
    agreement_.emplace(transport, transport->tag_limit() - tags +
                                      static_cast<std::int32_t>(number_) * StartedAgreement::tags);
  }
  return *agreement_;
}

void StartedCalls::begin_agreement(TuningContext& context) {
  std::vector<double> row = figures_->to_maximize();
  for (const double number : context.to_maximize(agreement_seconds_))
    row.push_back(number);
  agreement().begin(row, context.to_sum());
  phase_ = Phase::measured;
}

// All of them take long to predict; the default ones have most of the gain.
void StartedCalls::begin_ordering(TuningContext& context) {
  std::string text = no_ordering_text;
  if (communicator_.rank == 0 && communicator_.is_open())
    text = ordering_text(context.kind(), {context.bytes(), context.degree()},
                         context.learner().batches() == 0 ? tune::Breadth::defaults : tune::Breadth::all,
                         communicator_, StartedAgreement::text_bytes);
  agreement().begin(text);
  phase_ = Phase::ordering;
}

bool StartedCalls::learn(TuningContext& context) {
  THALWEG_ASSERT(light, phase_ == Phase::measured);
  phase_ = Phase::between;
  agreement_seconds_ = agreement_->complete();
  const std::size_t figures = figures_->to_maximize().size();
  const std::vector<double> maxima = agreement_->maxima(figures + common_figures);
  const std::span<const double> all = maxima;
  const std::optional<tune::RoundTimes> times = tune::times_of(context.round(), all.first(figures));
  lost_ = times ? 0 : lost_ + 1;
  if (lost_ == lost_max)
    phase_ = Phase::lost;
  return context.learn_started(times, all.subspan(figures), agreement_->sums(context.to_sum().size()),
                               communicator_.size);
}

void StartedCalls::starts() {
  starting_ = {figures_, figures_->generation(), figures_->start(local_seconds()), observe::ticks()};
}

MeasuredStart StartedCalls::started(TuningContext& context, bool refused, const pattern::Traffic& traffic) {
  context.started(refused, traffic);
  glance(context);
  return starting_;
}

void StartedCalls::glance(TuningContext& context) {
  const tune::Round& round = context.round();
  if (glances_.at == nullptr || glances_.calls == round.incumbent_calls + round.candidate_calls)
    return;
  const auto ticks = static_cast<double>(glances_.at->glance_at_neighbor());
  if (glances_.calls == 0 || glances_.calls == round.incumbent_calls)
    glances_.min = 0;
  if (ticks > 0)
    glances_.min = glances_.min > 0 ? std::min(glances_.min, ticks) : ticks;
  ++glances_.calls;
  if (glances_.calls == round.incumbent_calls || context.needs_round())
    context.see_distance(distance_class(glances_.min));
}

} // namespace thalweg::mpi
