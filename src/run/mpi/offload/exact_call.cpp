// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/exact_call.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include <fmt/format.h>

#include "mpi/abi/library_api.hpp"
#include "mpi/offload/nic_notes.hpp"
#include "nic/exact_sum.hpp"
#include "strategies/host_tree.hpp"

namespace thalweg::mpi {

namespace {

bool asks_for_exact(const strategies::Scheduled& scheduled) {
  const std::pair wanted{std::string(strategies::host_tree_sum().name), std::int64_t{1}};
  return std::ranges::find(scheduled.parameters(), wanted) != scheduled.parameters().end();
}

bool is_double(MPI_Datatype type) {
  return type == MPI_DOUBLE;
}

bool is_integer(MPI_Datatype type) {
  const job::PredefinedOperators& known = library_operators();
  const auto found = std::ranges::find(known.types, type, &std::pair<MPI_Datatype, engine::Number>::first);
  return found != known.types.end() && found->second != engine::Number::float32 &&
         found->second != engine::Number::float64;
}

std::size_t words_each(MPI_Datatype type) {
  return is_double(type) ? nic::ExactSum<double>::words : nic::ExactSum<float>::words;
}

template <typename Value>
void split_all(const void* numbers, std::span<std::int64_t> into) {
  const auto* from = static_cast<const std::byte*>(numbers);
  for (; !into.empty(); into = into.subspan(nic::ExactSum<Value>::words), from += sizeof(Value)) {
    Value value = 0;
    std::memcpy(&value, from, sizeof value);
    nic::ExactSum<Value>::split(value, into.first(nic::ExactSum<Value>::words));
  }
}

template <typename Value>
void round_all(std::span<const std::int64_t> summed, int ranks, void* numbers) {
  auto* to = static_cast<std::byte*>(numbers);
  for (; !summed.empty(); summed = summed.subspan(nic::ExactSum<Value>::words), to += sizeof(Value)) {
    const Value value = nic::ExactSum<Value>::round(summed.first(nic::ExactSum<Value>::words), ranks);
    std::memcpy(to, &value, sizeof value);
  }
}

} // namespace

std::unique_ptr<ExactCall> ExactCall::of(const CollectiveCall& call, CommunicatorState& communicator,
                                         const strategies::Scheduled& scheduled) {
  if (call.op != MPI_SUM || !asks_for_exact(scheduled) || is_integer(call.recvtype))
    return nullptr;
  const char* why_not = nullptr;
  if (call.recvtype != MPI_DOUBLE && call.recvtype != MPI_FLOAT)
    why_not = "of a datatype other than MPI_DOUBLE and MPI_FLOAT";
  else if (communicator.size > nic::ExactSum<double>::numbers_max ||
           call.recvcount > static_cast<MPI_Count>(INT_MAX / words_each(call.recvtype)))
    why_not = "of too many ranks or numbers";
  if (why_not == nullptr)
    return std::make_unique<ExactCall>(call, communicator);
  note_nic(fmt::format("{} {}: its sums are rounded in the schedule's order", function_name(call), why_not));
  return nullptr;
}

ExactCall::ExactCall(const CollectiveCall& call, CommunicatorState& communicator)
    : call_(call), inner_(call),
      is_wanted_(call.function->operation != Operation::reduce || communicator.rank == call.root),
      ranks_(communicator.size) {
  const std::size_t words = static_cast<std::size_t>(call.recvcount) * words_each(call.recvtype);
  brought_.resize(words);
  summed_.resize(is_wanted_ ? words : 0);
  inner_.sendbuf = brought_.data();
  inner_.recvbuf = summed_.data();
  inner_.sendcount = inner_.recvcount = static_cast<MPI_Count>(words);
  inner_.sendtype = inner_.recvtype = MPI_INT64_T;
}

void ExactCall::prepare() {
  const void* const from = is_in_place(call_) ? call_.recvbuf : call_.sendbuf;
  if (is_double(call_.recvtype))
    split_all<double>(from, brought_);
  else
    split_all<float>(from, brought_);
}

void ExactCall::deliver() {
  if (is_double(call_.recvtype))
    round_all<double>(summed_, ranks_, call_.recvbuf);
  else
    round_all<float>(summed_, ranks_, call_.recvbuf);
}

namespace {

class ExactCollective final : public BackgroundCall {
public:
  ExactCollective(std::shared_ptr<ExactCall> exact, std::unique_ptr<BackgroundCall> inner)
      : exact_(std::move(exact)), inner_(std::move(inner)) {}

  bool progress() noexcept override {
    if (!inner_->progress())
      return false;
    if (inner_->code() == MPI_SUCCESS)
      exact_->deliver();
    return true;
  }
  void restart() noexcept override {
    exact_->prepare();
    inner_->restart();
  }
  int code() const noexcept override { return inner_->code(); }

private:
  std::shared_ptr<ExactCall> exact_; // outlives the inner call, which has its buffers
  std::unique_ptr<BackgroundCall> inner_;
};

} // namespace

std::unique_ptr<BackgroundCall> exactly(std::shared_ptr<ExactCall> exact,
                                        std::unique_ptr<BackgroundCall> inner) {
  if (!exact)
    return inner;
  return std::make_unique<ExactCollective>(std::move(exact), std::move(inner));
}

} // namespace thalweg::mpi
