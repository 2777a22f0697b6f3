// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A simulation on levels `loggp`, `flow` and `packet`, and what each event does in it (loggp.hpp has the
// rules). Each part has its own state: what happens next (LoggpEvents), which operations may begin
// (Requirements), when processors and interfaces are free and what waits for them (Stations), what delays
// them (Delays), messages on their way (Transfers), and messages that wait for their receives (Matching).

#include "simulate/delays.hpp"
#include "simulate/matching.hpp"
#include "simulate/requirements.hpp"
#include "simulate/stations.hpp"
#include "simulate/transfers.hpp"

namespace thalweg::simulate {

class LoggpSimulation {
public:
  LoggpSimulation(const Program& program, const LoggpOptions& options);
  LoggpSimulation(const LoggpSimulation&) = delete;
  LoggpSimulation& operator=(const LoggpSimulation&) = delete;
  Result run();

private:
  /// One end of a message that has met its receive.
  struct End {
    std::uint32_t number;
    std::uint32_t rank;
    Ticks time; ///< from when on what requires it may begin
    Cause cause;
  };

  void handle(const LoggpEvent& event);
  void finish(std::uint32_t rank, std::uint32_t number, Ticks time, Cause cause);
  void admit(std::uint32_t rank);
  void enter(std::uint32_t rank, const Requirements::Freed& freed);
  void wait(std::uint32_t rank, std::uint32_t number, const Operation& one);
  void handle_operation(const LoggpEvent& event);
  Ticks work_of(std::uint32_t rank, const Operation& one) const;
  void compute(std::uint32_t rank, std::uint32_t number, const Operation& one, const Start& start);
  void send(std::uint32_t rank, std::uint32_t number, const Operation& one, const Start& start);
  void post(std::uint32_t rank, std::uint32_t number, const Operation& one, Ticks now);
  void handle_message(const LoggpEvent& event);
  void take_in(const LoggpEvent& event, const Operation& send, std::uint32_t target, const Start& start,
               bool has_waited);
  void meet(const End& sent, const End& received, bool begins);
  void hold(const End& sent, const Operation& send);
  Result outcome() const;
  void require_done() const;

  const Program& program_;
  const LoggpOptions& options_;
  CostTable costs_;
  std::vector<OperationState> states_;
  LoggpEvents events_;
  Requirements requirements_;
  Stations stations_;
  Delays delays_;
  Matching matching_;
  Recorder recorder_;
  Transfers transfers_;
  std::uint64_t finished_ = 0; // operations
  std::uint64_t messages_ = 0;
  std::uint64_t met_ = 0; // messages that met their receive
};

} // namespace thalweg::simulate
