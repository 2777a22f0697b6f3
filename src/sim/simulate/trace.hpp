// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// When everything began in a simulation, and because of what: from this follow the critical path and the
// timeline.

#include "model/flow_network.hpp"
#include "simulate/message_costs.hpp"

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

} // namespace thalweg::simulate
