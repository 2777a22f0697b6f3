#pragma once

// The short way: calls that repeat an earlier one but for its addresses.
//
// Most programs make the same few calls again and again. Those with one count and one predefined datatype a
// side are remembered with everything that binding and looking up would find, so that a repetition compares a
// few words.

#include <array>

#include "mpi/call/call_signature.hpp"
#include "mpi/run/communicator_plans.hpp"

namespace thalweg::mpi {

class RecentCall {
public:
  // Is this call the same, made under the same choice?
  bool matches(const CollectiveCall& call, std::int64_t choice) const {
    return choice == choice_ && call.function->operation == function_->operation &&
           signature_of(call) == signature_;
  }
  // Are the buffers in the host's memory, where the plan may run on them? Those of the last call are known.
  bool are_on_host(const void* sendbuf, const void* recvbuf);
  bool is_empty() const { return plan_ == nullptr; }
  // Remembers a call that has just been bound; the plan and operator must do for every repetition.
  void remember(const CollectiveCall& call, std::int64_t choice, const CallBinding& bound,
                std::shared_ptr<const engine::Plan> plan, CommunicatorPlans& plans);
  // Runs the plan on a matching call's buffers.
  void run(const void* sendbuf, void* recvbuf);
  // What is remembered, without buffers.
  CollectiveCall call() const;

private:
  std::int64_t choice_ = 0; // no choice has this number: matches nothing
  const FunctionInfo* function_ = nullptr;
  CallSignature signature_;
  std::int64_t input_offset_ = 0; // of in-place input in the output buffer
  const void* host_sendbuf_ = nullptr;
  const void* host_recvbuf_ = nullptr;
  CommunicatorPlans* plans_ = nullptr;
  std::shared_ptr<const engine::Plan> plan_;
  std::unique_ptr<engine::Execution> execution_;
  job::MpiOperator reduction_;
};

// Do the call's handles say all of its type and operation? Those of what the program made do not: they are
// given to others once it is freed.
bool is_identified_by_handles(const CollectiveCall& call);

// Can a repetition of the call be told by what RecentCall compares?
bool is_repeatable(const CollectiveCall& call, const CallBinding& bound);

// A handful of remembered calls, by what they ask for.
class RecentCalls {
public:
  RecentCall& place_for(const CollectiveCall& call) {
    const auto key = static_cast<std::size_t>(call.recvcount) * 31 +
                     static_cast<std::size_t>(call.function->operation) * 7 +
                     static_cast<std::size_t>(call.root);
    return calls_[(key ^ key >> 5) % calls_.size()];
  }

private:
  std::array<RecentCall, 16> calls_;
};

} // namespace thalweg::mpi
