// SPDX-License-Identifier: BSD-3-Clause
#include "control/collective.hpp"

#include "base/assertion.hpp"
#include "engine/self_describing.hpp"
#include "strategies/index.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::control {

namespace {

using schedule::Operation;

// Messages are short, so what counts is the number of rounds. Reductions keep the order of operands.
std::string_view strategy_of(const CollectiveCall& call) {
  switch (call.operation) {
  case Operation::broadcast:
  case Operation::gather:
    return "knomial";
  case Operation::allgather:
    return call.connects_few ? "gather_broadcast" : "bruck";
  case Operation::barrier:
    return "dissemination";
  default:
    THALWEG_ASSERT(normal, call.operation == Operation::allreduce || call.operation == Operation::exscan);
    return "recursive_doubling";
  }
}

engine::Layout packed_layout(const CollectiveCall& call, std::int32_t pieces) {
  return engine::Layout::packed({call.elements_of_all.begin(), call.elements_of_all.end()}, pieces,
                                call.element_bytes);
}

engine::Layouts layouts_of(const CollectiveCall& call, const schedule::Schedule& schedule) {
  const std::int32_t pieces = schedule.pieces;
  if (call.are_units_alike)
    return engine::uniform_layouts({.operation = call.operation, .ranks = schedule.ranks, .root = call.root},
                                   pieces, call.elements, call.element_bytes);
  // The strategy has no scratch, as what supports unequal blocks (proven).
  return {.input = engine::Layout::uniform(call.elements, pieces, call.element_bytes),
          .output = packed_layout(call, pieces),
          .canonical = engine::Layout::uniform(0, 1, 1)};
}

// Never written, as Buffers says of inputs and batches of what is sent.
std::byte* bytes_of(const void* data) {
  return const_cast<std::byte*>(static_cast<const std::byte*>(data));
}

} // namespace

Endpoint::Endpoint(std::shared_ptr<transport::Transport> transport, std::vector<Rank> order)
    : transport_(std::move(transport)), order_(std::move(order)), tags_(transport_->tag_limit()) {
  const auto ranks = static_cast<std::size_t>(transport_->ranks());
  if (order_.empty()) {
    order_.resize(ranks);
    std::iota(order_.begin(), order_.end(), 0);
  }
  THALWEG_ASSERT(light, order_.size() == ranks);
  positions_.resize(ranks);
  for (std::size_t position = 0; position < ranks; ++position)
    positions_[static_cast<std::size_t>(order_[position])] = static_cast<std::int32_t>(position);
  position_ = position_of(transport_->rank());
  THALWEG_ASSERT(light, rank_at(position_) == transport_->rank());
}

// Positions are the schedule's ranks; its messages go to the ranks there.
schedule::Schedule Endpoint::schedule_of(const CollectiveCall& call) const {
  const strategies::Strategy& strategy = strategies::find(call.operation, strategy_of(call));
  const schedule::Problem problem{.operation = call.operation,
                                  .ranks = ranks(),
                                  .root = call.root,
                                  .commutative = false,
                                  .parameters = strategies::resolve(strategy, {})};
  schedule::Schedule schedule = strategies::build(strategy, problem, position_);
  for (schedule::Step& step : schedule.steps)
    if (is_message(step))
      step.peer = rank_at(step.peer);
  return schedule;
}

std::shared_ptr<const engine::Plan> Endpoint::plan_of(const CollectiveCall& call) {
  if (!call.are_units_alike)
    return make_plan(call);
  engine::PlanKey key{static_cast<std::int64_t>(call.operation), call.element_bytes, call.elements, call.root,
                      call.connects_few ? 1 : 0};
  std::shared_ptr<const engine::Plan> plan = plans_.find(key);
  if (!plan) {
    plan = make_plan(call);
    plans_.insert(std::move(key), plan);
  }
  return plan;
}

std::shared_ptr<const engine::Plan> Endpoint::make_plan(const CollectiveCall& call) const {
  const schedule::Schedule schedule = schedule_of(call);
  engine::Combining combining;
  if (schedule::is_reduction(call.operation))
    combining = {static_cast<std::size_t>(call.element_bytes), transport_->max_granule()};
  return std::make_shared<const engine::Plan>(schedule, layouts_of(call, schedule), combining);
}

std::unique_ptr<transport::Batch> Endpoint::take_batch() {
  if (batches_.empty())
    return transport_->make_batch();
  std::unique_ptr<transport::Batch> batch = std::move(batches_.back());
  batches_.pop_back();
  return batch;
}

void Collective::begin_with(engine::Tags tags) {
  THALWEG_ASSERT(normal, !execution_ && call_.root >= 0 && call_.root < endpoint_.ranks());
  THALWEG_ASSERT(normal, combine_ != nullptr || !schedule::is_reduction(call_.operation));
  batch_ = endpoint_.take_batch();
  if (call_.operation == Operation::gather && !call_.are_units_alike)
    begin_self_describing(tags);
  else
    begin_plan(tags);
}

void Collective::begin_plan(engine::Tags tags) {
  plan_ = endpoint_.plan_of(call_);
  scratch_.resize(static_cast<std::size_t>(plan_->scratch_bytes()));
  staging_.resize(static_cast<std::size_t>(plan_->staging_bytes()));
  auto execution = std::make_unique<engine::Execution>(*plan_, *batch_);
  execution->start(
      {bytes_of(call_.input), static_cast<std::byte*>(call_.output), scratch_.data(), staging_.data()}, tags,
      combine_);
  execution_ = std::move(execution);
}

void Collective::begin_self_describing(engine::Tags tags) {
  schedule_ = endpoint_.schedule_of(call_);
  auto execution = std::make_unique<engine::SelfDescribingExecution>(*schedule_, *batch_);
  const std::int32_t pieces = schedule_->pieces;
  execution->start(
      {bytes_of(call_.input), engine::Layout::uniform(call_.elements, pieces, call_.element_bytes)},
      {static_cast<std::byte*>(call_.output), packed_layout(call_, pieces)}, tags);
  execution_ = std::move(execution);
}

wait::Look Collective::look() {
  THALWEG_ASSERT(normal, execution_ != nullptr); // it was begun, and has not ended
  const std::size_t stage = execution_->stage();
  const bool has_ended = execution_->progress();
  batch_->flush(); // also what was sent last: nobody may look again
  if (!has_ended)
    return execution_->stage() == stage ? wait::Look::nothing : wait::Look::moved;
  execution_.reset();
  endpoint_.give_back(std::move(batch_));
  return wait::Look::reached;
}

void Transfer::begin(TaskContext& context) {
  batch_ = endpoint_.take_batch();
  batch_->reserve(receives_.size() + sends_.size());
  const std::int32_t tag = context.next_tags().first;
  const auto message = [&](const MessagePart& part) {
    THALWEG_ASSERT(normal, part.rank >= 0 && part.rank < endpoint_.ranks() && part.data != nullptr);
    return transport::Message{.peer = part.rank, .tag = tag, .data = part.data, .bytes = part.bytes};
  };
  std::uint32_t id = 0;
  for (const MessagePart& part : receives_)
    if (part.bytes > 0)
      batch_->start_receive(id++, message(part));
  for (const MessagePart& part : sends_)
    if (part.bytes > 0)
      batch_->start_send(id++, message(part));
}

wait::Look Transfer::look() {
  const bool has_ended = batch_->all_finished();
  batch_->flush();
  if (!has_ended)
    return wait::Look::nothing;
  endpoint_.give_back(std::move(batch_));
  return wait::Look::reached;
}

bool Arrivals::take_in() {
  if (!mailbox_->receive(message_))
    return false;
  std::uint64_t label = 0;
  THALWEG_ASSERT(normal, message_.size() >= sizeof label);
  std::memcpy(&label, message_.data(), sizeof label);
  std::vector<std::byte>& row = by_label_[label];
  row.insert(row.end(), message_.begin() + sizeof label, message_.end());
  return true;
}

SparseExchange::~SparseExchange() {
  arrivals_.forget(label_);
}

void SparseExchange::begin(TaskContext& context) {
  THALWEG_ASSERT(normal, sent_.empty() && !has_come_);
  label_ = context.next_label();
  tags_ = context.next_tags();
  std::vector<std::byte> message(sizeof label_ + value_bytes_);
  std::memcpy(message.data(), &label_, sizeof label_);
  for (std::size_t i = 0; i < to_.size(); ++i) {
    std::memcpy(message.data() + sizeof label_, values_ + i * value_bytes_, value_bytes_);
    sent_.push_back(arrivals_.mailbox().send(endpoint_.rank_at(to_[i]), message));
  }
}

wait::Look SparseExchange::look() {
  if (arrivals_.take_in())
    return wait::Look::moved;
  if (has_come_)
    return barrier_.look();
  std::erase_if(sent_, [&](std::uint64_t number) { return arrivals_.mailbox().was_received(number); });
  if (!sent_.empty())
    return wait::Look::nothing;
  has_come_ = true;
  barrier_.begin_with(tags_);
  return barrier_.look() == wait::Look::reached ? wait::Look::reached : wait::Look::moved;
}

} // namespace thalweg::control
