#pragma once

// A rank's part in the brackets of an association: calls that are kept until all elements of the rank have
// ended the iteration, and then go on combined, phase by phase along a virtual mesh (Kumar 2005, section
// 6.2.1).
//
//     begin() call call end()    element a      -- last element's end() --> phase 0: to each rank of the row
//       begin() call end()       element b          all of the row's came --> phase 1: along the column ..
//
// Messages say which iteration they are of: a fast rank's next ones may come before a slow one's last. All
// phases but the last are awaited, so in these a rank that has nothing to send sends an empty message; in
// the last one it sends none. A rank without elements begins an iteration when the first message of it
// comes.
//
// Nothing may wait for ever. Where no message is left anywhere and brackets are still open, the ranks send
// what is kept straight to where it is for, and a new *epoch* begins: all count iterations from 0 again. It
// does so too whenever all have finished. A message of another epoch is handed on and not counted.

#include "objects/bracket_routes.hpp"
#include "objects/growing_buffer.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace thalweg::objects {

class Bracket {
public:
  struct Ports {
    /// Sends pieces as one message, which take() is given there.
    std::function<void(Rank to, std::span<const std::span<const char>> pieces)> send;
    /// Messages for this rank, one behind the other, each at a multiple of 16 bytes.
    std::function<void(const char* messages, std::size_t bytes)> deliver;
    std::function<std::size_t()> elements; ///< of the rank, that end each iteration
  };

  Bracket(Combining combining, std::int32_t ranks, Rank rank, Ports ports);

  /// Place for a message of `bytes` from `element`. Null where it has to go on its own.
  char* deposit(std::uint32_t element, Rank to, std::size_t bytes);
  /// An element has ended its iteration.
  void end(std::uint32_t element);
  /// What another rank has sent.
  void take(const char* combined, std::size_t bytes);

  /// Bytes of messages that are kept.
  std::uint64_t held() const;
  /// A new epoch; what is kept is sent, or dropped. Does nothing where that epoch has begun.
  void begin_epoch(std::uint32_t epoch, bool sends);

private:
  struct Iteration {
    std::size_t ended = 0; ///< elements
    std::size_t phase = 0; ///< that is sent next
    std::vector<std::size_t> arrived;
    std::map<Rank, GrowingBuffer> kept; ///< messages by where they are for, with a group's head before them
  };
  using Pieces = std::vector<std::span<const char>>;

  Iteration& iteration(std::uint32_t number);
  void keep(Iteration& one, Rank destination, const char* messages, std::size_t bytes);
  void go_on(std::uint32_t number);
  void send_phase(std::uint32_t number, Iteration& one);
  void send(Rank to, std::uint32_t number, std::uint32_t phase, const Pieces& groups);
  void send_straight(Rank destination, GrowingBuffer& group);

  Combining combining_;
  Rank rank_;
  Ports ports_;
  BracketRoutes routes_;
  std::uint32_t epoch_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> ended_; // iterations, by element
  std::map<std::uint32_t, Iteration> open_;
  Iteration* last_ = nullptr;      // that was deposited in,
  std::uint32_t last_element_ = 0; // and by whom
};

} // namespace thalweg::objects
