// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// When everything began in a simulation, and because of what: from this follow the critical path and the
// timeline. And what notes it.

#include "model/flow_network.hpp"
#include "simulate/message_costs.hpp"
#include "simulate/program.hpp"

#include <vector>

namespace thalweg::simulate {

/// Why something began when it did. Operations are named by their numbers among all ranks', a message's
/// arrival by its send.
enum class Reason : std::uint8_t {
  start,           ///< the program began
  after_operation, ///< the processor had ended a send or a computation
  after_message,   ///< the processor had taken a message in
  with_operation,  ///< at the moment at which an operation began
  with_message,    ///< at the moment at which a message was begun to be taken in
  gap_of_send,     ///< the interface could send again after this send
  gap_of_message,  ///< the interface could receive again after this message
  arrived,         ///< the message had come
};

struct Cause {
  std::uint32_t operation = 0;
  Reason reason = Reason::start;
};

struct Moment {
  Ticks begin = -1; ///< -1: never
  Cause cause;
};

/// How a message was on its way: what it was held up by, as the last of its spans, and its latency.
struct Carriage {
  Ticks latency = 0;
  std::uint32_t last_span = model::FlowNetwork::none;
};

/// How much longer a processor was at something than that takes.
struct Delay {
  Ticks core = 0;  ///< before it began: it had no core
  Ticks noise = 0; ///< meanwhile: it was away
};

struct Trace {
  std::vector<Moment> operations; ///< when each began; a receive: when it was posted
  std::vector<Moment> messages;   ///< when each send's message was begun to be taken in
  /// What delayed the processor, where there is noise, or cores are shared.
  std::vector<Delay> delays_of_operations;
  std::vector<Delay> delays_of_messages;
  std::vector<Cause> last;         ///< what each processor did last
  std::vector<Ticks> ends;         ///< and when it had done it
  std::vector<Carriage> carriages; ///< of each send's message, where there is a network
  std::vector<model::FlowSpan> spans;
};

/// Notes when and why operations begin, where somebody wants to know.
class Recorder {
public:
  Recorder(const Program& program, Trace* trace, bool has_network, bool has_delays) : trace_(trace) {
    if (trace == nullptr)
      return;
    trace->operations.assign(program.operation_count, {});
    trace->messages.assign(program.operation_count, {});
    if (has_delays) {
      trace->delays_of_operations.assign(program.operation_count, {});
      trace->delays_of_messages.assign(program.operation_count, {});
    }
    if (has_network)
      trace->carriages.assign(program.operation_count, {});
    cpus_.resize(std::size_t{program.size()} * program.cpus);
    out_.resize(std::size_t{program.size()} * program.nics);
    in_.resize(out_.size());
  }

  bool is_on() const { return trace_ != nullptr; }

  /// An operation that may begin only later than its processor.
  void note_due(std::uint32_t number, Ticks time, Cause cause) {
    if (trace_ != nullptr)
      trace_->operations[number] = {time, cause};
  }

  /// A send (`is_gap`: which its interface let begin) or a computation begins; the processor does it last.
  void note_begin(std::uint32_t number, Ticks now, std::size_t cpu, const std::size_t* nic, bool is_gap) {
    if (trace_ == nullptr)
      return;
    Moment& moment = trace_->operations[number];
    if (moment.begin != now)
      moment = {now, is_gap ? out_[*nic] : cpus_[cpu]};
    cpus_[cpu] = {number, Reason::after_operation};
    if (nic != nullptr)
      out_[*nic] = {number, Reason::gap_of_send};
  }

  void note_post(std::uint32_t number, Ticks time, std::size_t cpu) {
    if (trace_ != nullptr && trace_->operations[number].begin < 0)
      trace_->operations[number] = {time, cpus_[cpu]};
  }

  /// A message is taken in: because it came, or because processor or interface let it.
  void note_message(std::uint32_t number, Ticks now, bool has_waited, std::size_t cpu, std::size_t nic,
                    bool is_gap) {
    if (trace_ == nullptr)
      return;
    const Cause cause = !has_waited ? Cause{number, Reason::arrived} : is_gap ? in_[nic] : cpus_[cpu];
    trace_->messages[number] = {now, cause};
    cpus_[cpu] = {number, Reason::after_message};
    in_[nic] = {number, Reason::gap_of_message};
  }

  /// The processor or the interface of a sender that waited for its receiver.
  void note_held_cpu(std::size_t cpu, Cause cause) {
    if (trace_ != nullptr)
      cpus_[cpu] = cause;
  }
  void note_held_nic(std::size_t nic, Cause cause) {
    if (trace_ != nullptr)
      out_[nic] = cause;
  }

  /// What delayed a processor at an operation, or while a message was taken in.
  void note_operation_delay(std::uint32_t number, const Delay& delay) {
    if (trace_ != nullptr && delay.core + delay.noise > 0)
      trace_->delays_of_operations[number] = delay;
  }
  void note_message_delay(std::uint32_t number, const Delay& delay) {
    if (trace_ != nullptr && delay.core + delay.noise > 0)
      trace_->delays_of_messages[number] = delay;
  }

  /// How the network carried a message.
  void note_carriage(std::uint32_t number, const Carriage& carriage) {
    if (trace_ != nullptr)
      trace_->carriages[number] = carriage;
  }
  void keep_spans(const std::vector<model::FlowSpan>& spans) {
    if (trace_ != nullptr)
      trace_->spans = spans;
  }

  /// The processors have done everything.
  void end(std::vector<Ticks> ends) {
    if (trace_ == nullptr)
      return;
    trace_->last = std::move(cpus_);
    trace_->ends = std::move(ends);
  }

private:
  Trace* trace_;
  std::vector<Cause> cpus_; ///< what each has done last
  std::vector<Cause> out_;  ///< what each interface has sent last
  std::vector<Cause> in_;
};

} // namespace thalweg::simulate
