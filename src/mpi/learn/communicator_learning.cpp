#include "mpi/learn/communicator_learning.hpp"

#include <cassert>

#include <fmt/format.h>

#include "mpi/abi/library_api.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "mpi/comm/clocks.hpp"
#include "mpi/learn/ordering.hpp"
#include "mpi/learn/traffic_of.hpp"
#include "mpi/run/recent_calls.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/polling.hpp"

namespace thalweg::mpi {

namespace {

// More kinds of calls than this on a communicator are left alone.
constexpr std::size_t most_streams = 128;
constexpr int clock_trials = 5;
// Seconds that may be spent before they are earned, once in a run.
constexpr double advance_per_percent = 5e-3;

// Is the unit's size told by one count a side, whoever is the root?
bool has_one_size(const CollectiveCall& call) {
  switch (call.form->operation) {
  case Operation::barrier:
  case Operation::bcast:
  case Operation::reduce:
  case Operation::allreduce:
  case Operation::allgather:
  case Operation::alltoall:
  case Operation::reduce_scatter_block:
  case Operation::scan:
  case Operation::exscan:
    return true;
  default:
    return false;
  }
}

} // namespace

CommunicatorLearning::CommunicatorLearning(CommunicatorState& communicator)
    : communicator_(communicator), purse_{.advance_seconds = communicator.handle == MPI_COMM_WORLD
                                                                 ? runtime.settings.learn_budget_percent *
                                                                       advance_per_percent
                                                                 : 0} {}

CommunicatorLearning::~CommunicatorLearning() {
  finish();
}

void CommunicatorLearning::finish() {
  for (auto& [key, stream] : streams_)
    if (stream.fence.is_pending())
      stream.fence.complete();
  stopped_ = true;
}

CommunicatorLearning::Stream* CommunicatorLearning::stream_of(const Kind& kind) {
  const auto known = streams_.find(kind.key());
  if (known != streams_.end())
    return &known->second;
  if (streams_.size() == most_streams)
    return nullptr;
  Stream& stream = streams_[kind.key()];
  stream.current = &lesson_of(stream, kind, {kind.size, 0}, kind.bytes);
  return &stream;
}

Lesson& CommunicatorLearning::lesson_of(Stream& stream, const Kind& kind, pattern::TrafficClass traffic,
                                        std::int64_t bytes) {
  std::unique_ptr<Lesson>& lesson = stream.lessons[traffic];
  if (!lesson) {
    const TunedChoices::Entry* start = tuned_choices().nearest(kind.operation, bytes, communicator_);
    const bool searched = start != nullptr && start->finder != TunedChoices::Finder::interrupted &&
                          pattern::size_class(start->bytes) == pattern::size_class(bytes);
    lesson = std::make_unique<Lesson>(kind, start == nullptr ? nullptr : &start->choice, searched,
                                      communicator_.size, purse_);
  }
  return *lesson;
}

const CommunicatorLearning::RecentCall& CommunicatorLearning::find(const CollectiveCall& call) {
  const auto word =
      static_cast<std::size_t>(call.recvcount) * 31 + static_cast<std::size_t>(call.form->operation) * 7;
  RecentCall& place = recent_[(word ^ word >> 5) % recent_.size()];
  CallWords words = words_of(call);
  words.root = 0; // nothing that is learned depends on it
  if (place.form == call.form && place.words == words)
    return place;
  RecentCall& result = has_one_size(call) && is_told_by_handles(call) ? place : unlike_any_;
  const std::optional<Kind> kind = kind_of(call, communicator_);
  const bool wanted = kind && (kind->exact || runtime.settings.learn == LearnMode::all);
  result = {call.form, words, wanted ? stream_of(*kind) : nullptr, kind ? kind->bytes : 0};
  return result;
}

const Choice* CommunicatorLearning::choose(const CollectiveCall& call) {
  if (stopped_)
    return nullptr;
  const RecentCall& found = find(call);
  Stream* const stream = found.stream;
  if (stream == nullptr)
    return nullptr;
  if (stream->current->needs_round()) [[unlikely]] {
    close_round(*stream);
    open_round(*stream);
    if (stopped_)
      return nullptr;
  }
  const Choice& choice = stream->current->next(found.bytes);
  if (stream->current->is_measured()) [[unlikely]] {
    measuring_ = stream;
    communicator_.is_measured = true;
    stream->current->arrived(local_seconds() + clock_offset_seconds_);
  }
  return &choice;
}

void CommunicatorLearning::measured(const CollectiveCall& call, bool refused) {
  Lesson& lesson = *measuring_->current;
  lesson.departed(local_seconds() + clock_offset_seconds_, refused,
                  lesson.kind().is_private ? traffic_of(call, communicator_) : pattern::Traffic{});
  if (lesson.needs_round())
    measuring_->fence.begin(lesson.to_maximize(measuring_->fence_seconds), lesson.to_sum(),
                            communicator_.shadow->handle());
}

void CommunicatorLearning::close_round(Stream& stream) {
  if (!stream.fence.is_pending())
    return;
  stream.fence_seconds = stream.fence.complete();
  Lesson& lesson = *stream.current;
  if (!lesson.learn(stream.fence.maxima(), stream.fence.sums(), communicator_.size,
                    communicator_.node_count())) {
    stopped_ = true;
    say(fmt::format("learning of {} on {} ranks has gone different ways and stops; please report this",
                    call_name(lesson.kind().operation), communicator_.size));
    assert(!"ranks have gone different ways");
    return;
  }
  if (lesson.kind().is_private) {
    const Kind kind = lesson.kind();
    stream.current = &lesson_of(stream, kind, lesson.traffic(), lesson.bytes());
  }
}

void CommunicatorLearning::open_round(Stream& stream) {
  Lesson& lesson = *stream.current;
  tune::Round round = lesson.learner().next_round();
  if (round.kind != tune::Round::Kind::run && !is_ready()) {
    stopped_ = true;
    return;
  }
  while (round.kind == tune::Round::Kind::order) {
    order_candidates(lesson);
    round = lesson.learner().next_round();
  }
  lesson.open(round);
}

bool CommunicatorLearning::is_ready() {
  if (ready_)
    return true;
  // What follows blocks inside of the library.
  meet_before_constructing(communicator_.handle);
  if (!open_channels_now(communicator_))
    return false;
  measure_clock();
  return ready_ = true;
}

void CommunicatorLearning::measure_clock() {
  if (communicator_.node_count() == 1)
    return;
  const std::vector<int>& nodes = communicator_.nodes();
  std::vector<double> offsets_ns =
      clock_offsets_ns(communicator_.shadow->handle(), communicator_.rank, nodes,
                       job::agreement_tag(library_api(), communicator_.shadow->handle()), clock_trials);
  MPI_Request request = MPI_REQUEST_NULL;
  native.Ibcast(offsets_ns.data(), static_cast<int>(offsets_ns.size()), MPI_DOUBLE, 0,
                communicator_.shadow->handle(), &request);
  poll_request(&request, MPI_STATUS_IGNORE);
  clock_offset_seconds_ =
      1e-9 * offsets_ns[static_cast<std::size_t>(nodes[static_cast<std::size_t>(communicator_.rank)])];
}

void CommunicatorLearning::order_candidates(Lesson& lesson) {
  // All of them take long to predict; the standard ones have most of the gain.
  const tune::Breadth breadth =
      lesson.learner().offerings() == 0 ? tune::Breadth::standard : tune::Breadth::all;
  const Ordering ordering = agreed_ordering(lesson.kind().operation, lesson.bytes(), breadth, communicator_);
  lesson.offer(ordering.offers, ordering.seconds);
}

} // namespace thalweg::mpi
