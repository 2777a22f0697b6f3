// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The hosts beside this one: sends datagrams to their agents, and knows which hosts are silent.
//
// A host is alive where its agent says something, and also where its kernel refuses what is sent to a port at
// which nobody listens. So an agent that has ended, or is given no time, is not taken for a host that is
// gone.

#include "base/files.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <netinet/in.h>
#include <span>

namespace thalweg::nic {

/// `address` in network order, `port` in the host's.
sockaddr_in socket_address(std::uint32_t address, std::uint16_t port);

/// Listens there, for as long as the descriptor is open in any process. Throws Error where it may not.
Descriptor listen_for_probes(std::uint32_t own, std::uint16_t port);

/// Whether another host has an agent, or is there at all, by a connection to the port of agents that carries
/// nothing. A host's kernel takes it for the agent, also where that one is stopped, and ends it when the
/// agent has ended. Then it refuses each further one. That is surer than to hear that datagrams are refused:
/// of those a kernel tells one in a second, and cards' packets are among them where the programs are gone.
class AgentProbe {
public:
  AgentProbe(std::uint32_t own, std::uint32_t other, std::uint16_t port)
      : own_(own), other_(other), port_(port) {}

  /// What the other host's kernel has said: nothing new, that no agent is there, or that the one that was is
  /// gone. Another one may be in its place.
  enum class Finding : std::uint8_t { nothing, refused, ended };
  /// Tries to connect, or looks what has become of it; does not wait.
  Finding look();

private:
  void connect();

  std::uint32_t own_;
  std::uint32_t other_;
  std::uint16_t port_;
  Descriptor socket_;
};

/// Where a datagram is from, or is to go.
struct Sender {
  std::uint32_t address = 0; ///< in network order
  std::uint16_t port = 0;    ///< in the host's
};

class Neighbors {
public:
  using Clock = std::chrono::steady_clock;

  /// Listens at that address of this host, in network order. Throws Error where it may not.
  explicit Neighbors(std::uint32_t own);
  ~Neighbors();
  Neighbors(const Neighbors&) = delete;
  Neighbors& operator=(const Neighbors&) = delete;

  /// To be polled for what arrives.
  int descriptor() const { return listening_; }
  /// Gives all that has arrived to `visit`.
  void receive(const std::function<void(const Sender&, std::span<const std::byte>)>& visit);
  /// Sends the agent of a host beside this one something, as is done each round.
  void send(std::uint32_t address, std::span<const std::byte> datagram);
  /// Sends something once, from the port of agents.
  void send_once(const Sender& to, std::span<const std::byte> datagram) const;
  /// Three beats were missed after `since`, though this process had the time to hear them, and has sent some
  /// itself.
  bool is_silent(std::uint32_t address, Clock::time_point now, Clock::time_point since) const;
  /// Its agent was seen to end after `since`, or its host refuses what is sent to it, again and again, and
  /// has only begun to after `since`.
  bool has_no_agent(std::uint32_t address, Clock::time_point since) const;
  /// Before each round of beats: `now` is compared with the last round's.
  void begin_round(Clock::time_point now);
  /// Forgets who was not sent to for long.
  void forget_old(Clock::time_point now);

private:
  struct Neighbor {
    int beats;
    Clock::time_point heard;
    Clock::time_point sent;
    Clock::time_point refused; ///< first by the agent's port, since something was heard
    Clock::time_point ended;   ///< an agent was seen to
    int times_refused;
    AgentProbe probe;
    AgentProbe closed; ///< of a port at which nobody listens: its host refuses while it lives
    Clock::time_point probed;
  };

  Neighbor& find_or_make(std::uint32_t address);
  int connect_to(std::uint32_t address) const;

  std::uint32_t own_;
  int listening_ = -1;
  Descriptor probed_; ///< by others
  Clock::time_point round_{};
  std::map<std::uint32_t, Neighbor> neighbors_{};
};

} // namespace thalweg::nic
