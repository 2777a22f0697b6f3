// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/learned.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "mpi/comm/gathering.hpp"
#include "mpi/learn/communicator_learning.hpp"
#include "mpi/learn/learned_entry.hpp"
#include "mpi/learn/persistent_call.hpp"
#include "mpi/state/runtime.hpp"

#include <algorithm>
#include <mutex>
#include <tuple>

namespace thalweg::mpi {

namespace {

// By call, ranks, nodes, bytes and degree: what the communicator with the most such calls has learned.
class Collection {
public:
  void add(LearnedEntry entry) {
    const auto known =
        std::ranges::find_if(entries_, [&](const LearnedEntry& other) { return other.is_same_case(entry); });
    if (known == entries_.end()) {
      entries_.push_back(std::move(entry));
      return;
    }
    const std::uint64_t communicators = known->communicators + entry.communicators;
    if (known->calls < entry.calls)
      *known = std::move(entry);
    known->communicators = communicators;
  }
  std::vector<LearnedEntry> sorted() const {
    std::vector<LearnedEntry> result = entries_;
    std::ranges::sort(result, {}, [](const LearnedEntry& entry) {
      return std::tie(entry.call, entry.ranks, entry.nodes, entry.bytes, entry.degree);
    });
    return result;
  }

private:
  std::vector<LearnedEntry> entries_;
};

// What ranks agree on for a persistent request that this rank has freed: others may have yet to begin it.
struct LeftAgreement {
  std::shared_ptr<CommunicatorState> communicator;
  std::unique_ptr<StartedCalls> calls; // ends first
};

struct LearningStore {
  std::mutex mutex;
  Collection collection;
  std::vector<PersistentCall*> persistent; // that have not been freed
  std::vector<LeftAgreement> left;
};

LearningStore& kept() {
  return of_process<LearningStore>();
}

// A persistent call and a nonblocking one may have a pick for the same case: that of more trials.
void add(std::vector<tune::Pick>& picks, tune::Pick pick) {
  const auto known = std::ranges::find_if(picks, [&](const tune::Pick& other) {
    return std::tie(other.call, other.ranks, other.nodes, other.bytes, other.degree) ==
           std::tie(pick.call, pick.ranks, pick.nodes, pick.bytes, pick.degree);
  });
  if (known == picks.end())
    picks.push_back(std::move(pick));
  else if (known->trials < pick.trials)
    *known = std::move(pick);
}

std::int32_t rounded_degree(double degree) {
  return degree > 0 ? std::max(1, static_cast<std::int32_t>(degree + 0.5)) : 0;
}

LearnedEntry entry_of(const TuningContext& context, CommunicatorState& communicator) {
  const tune::Learner& learner = context.learner();
  LearnedEntry entry;
  entry.call = LearnedEntry::name_of(call_name(context.kind().operation), context.kind().blocks,
                                     context.kind().is_persistent);
  entry.ranks = communicator.size;
  entry.nodes = communicator.group().node_count();
  entry.bytes = context.bytes();
  entry.degree = context.degree() < communicator.size - 1 ? rounded_degree(context.degree()) : 0;
  entry.calls = learner.calls();
  entry.state = learner.state();
  entry.searched = learner.has_searched();
  entry.searches = learner.searches();
  entry.use = learner.trials()[learner.incumbent()].text;
  entry.seconds = learner.budget().total_seconds();
  entry.spent_seconds = learner.budget().spent_seconds();
  entry.measured_calls = context.arrivals().calls;
  entry.arrival_skew_seconds = context.arrivals().skew_seconds;
  entry.transfer_seconds = context.arrivals().transfer_seconds;
  entry.trials = learner.trials();
  return entry;
}

void collect(const TuningContext& context, CommunicatorState& communicator, Collection& collection) {
  if (communicator.rank == 0 && context.arrivals().calls > 0)
    collection.add(entry_of(context, communicator));
}

void collect(const CommunicatorLearning& learning, Collection& collection) {
  learning.for_each(
      [&](const TuningContext& context) { collect(context, learning.communicator(), collection); });
}

} // namespace

void keep_learned(const CommunicatorLearning& learning) {
  LearningStore& all = kept();
  const std::lock_guard lock(all.mutex);
  collect(learning, all.collection);
}

namespace {

// What all ranks have begun, as all of them have made the same starts.
void finish_persistent() {
  std::vector<PersistentCall*> living;
  std::vector<LeftAgreement> left;
  {
    LearningStore& all = kept();
    const std::lock_guard lock(all.mutex);
    living = all.persistent;
    left.swap(all.left);
  }
  for (PersistentCall* call : living)
    call->finish_learning();
}

} // namespace

LearningResults gather_learned() {
  finish_persistent();
  Collection own = kept().collection;
  for (const PersistentCall* call : kept().persistent)
    collect(call->context(), call->communicator(), own);
  for (CommunicatorState* communicator : living_communicators())
    if (communicator->learning) {
      auto& learning = static_cast<CommunicatorLearning&>(*communicator->learning);
      learning.finish();
      collect(learning, own);
    }
  Collection all;
  for (const std::vector<std::uint8_t>& packed : gather_bytes(pack(own.sorted())))
    for (LearnedEntry& entry : unpack(packed))
      all.add(std::move(entry));
  LearningResults learned;
  const std::vector<LearnedEntry> entries = all.sorted();
  if (entries.empty())
    return learned;
  learned.document = document_of(entries);
  for (const LearnedEntry& entry : entries)
    if (std::optional<tune::Pick> pick = pick_of(entry))
      add(entry.blocks() ? learned.picks : learned.nonblocking, *std::move(pick));
  return learned;
}

namespace {

// What it has learned outlives its communicator.
class KeptLearning final : public CommunicatorLearning {
public:
  using CommunicatorLearning::CommunicatorLearning;
  ~KeptLearning() override {
    finish();
    keep_learned(*this);
  }
};

CommunicatorLearning& learning_of(CommunicatorState& communicator) {
  if (!communicator.learning)
    communicator.learning = std::make_unique<KeptLearning>(communicator);
  return static_cast<CommunicatorLearning&>(*communicator.learning);
}

/// Its request is freed by one rank after the other, and none waits for another then.
class KeptPersistentCall final : public PersistentCall {
public:
  KeptPersistentCall(const CollectiveCall& call, const CallKind& kind, CommunicatorState& communicator,
                     engine::Tags tags)
      : PersistentCall(call, kind, communicator, tags) {
    LearningStore& all = kept();
    const std::lock_guard lock(all.mutex);
    all.persistent.push_back(this);
  }
  ~KeptPersistentCall() override {
    LearningStore& all = kept();
    const std::lock_guard lock(all.mutex);
    std::erase(all.persistent, this);
    collect(context(), communicator(), all.collection);
    std::erase_if(all.left, [](const LeftAgreement& one) { return !one.calls->is_agreeing(); });
    if (std::unique_ptr<StartedCalls> calls = take_agreement())
      all.left.push_back({shared_communicator(), std::move(calls)});
  }
};

} // namespace

Decision learned_choice(const CollectiveCall& call, CommunicatorState& communicator) {
  try {
    return learning_of(communicator).choose(call);
  } catch (const std::exception& error) {
    log_line(std::string(function_name(call)) + ": learning failed: " + error.what());
    return {};
  }
}

MeasuredStart learned_call_ended(const CollectiveCall& call, CommunicatorState& communicator, bool refused) {
  THALWEG_ASSERT(light, communicator.is_measured && communicator.learning != nullptr);
  communicator.is_measured = false;
  try {
    return static_cast<CommunicatorLearning&>(*communicator.learning).measured(call, refused);
  } catch (const std::exception& error) {
    log_line(std::string(function_name(call)) + ": learning failed: " + error.what());
  }
  return {};
}

std::optional<LearnedPersistent>
make_learned_persistent(const CollectiveCall& call, CommunicatorState& communicator, TakeTags take_tags) {
  try {
    const std::optional<CallKind> kind = learning_of(communicator).add_persistent(call);
    const engine::Tags tags = kind ? take_tags(communicator) : engine::Tags{0, 0};
    if (tags.count == 0)
      return std::nullopt;
    auto made = std::make_unique<KeptPersistentCall>(call, *kind, communicator, tags);
    const LearnedPersistent result{call.function->native(call), &made->begins_with()};
    if (result.code == MPI_SUCCESS)
      stand_in(std::move(made), call.comm, *call.request);
    return result;
  } catch (const std::exception& error) {
    log_line(std::string(function_name(call)) + ": learning failed: " + error.what());
  }
  return std::nullopt;
}

void pass_over_learned_persistent(const CollectiveCall& call, CommunicatorState& communicator,
                                  TakeTags take_tags) {
  if (learning_of(communicator).add_persistent(call))
    take_tags(communicator);
}

MeasuredStart take_measured_start() {
  return take_measure_of_start();
}

} // namespace thalweg::mpi
