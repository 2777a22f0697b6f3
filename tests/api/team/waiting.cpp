// SPDX-License-Identifier: BSD-3-Clause

// Whoever waits in a call of a team lets the MPI library and the team's other collectives go on. Rank 1 comes
// to each call only when a long message of the program has gone to rank 0, and rank 0 waits there for rank 1
// while the library holds the receive.

#include "checks.hpp"
#include "thalweg/team.hpp"

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int message_bytes = 8 << 20; // no library takes that without the receiver's help
constexpr std::size_t count = 64;
constexpr int receiver = 0;
constexpr int sender = 1;

struct Case {
  std::string name;
  std::function<void(thalweg::team&)> call;
};

using thalweg::request;
using thalweg::team;

struct Buffers {
  explicit Buffers(const team& all)
      : mine(count, 1.0), row(count), whole(count * static_cast<std::size_t>(all.size()), 1.0),
        other(count * static_cast<std::size_t>(all.size())) {}
  std::span<const double> in() const { return mine; }
  std::span<double> out() { return row; }
  std::span<const double> all_in() const { return whole; }
  std::span<double> all_out() { return other; }

  std::vector<double> mine;
  std::vector<double> row;
  std::vector<double> whole;
  std::vector<double> other;
  std::vector<double> long_row = std::vector<double>(1 << 20); // its sender waits for the receiver
};

/// A message from one rank to another, which asks for one of `wanted`.
void pass(team& t, std::span<double> message, int from, int to, int wanted) {
  if (t.rank() == from)
    t.send<double>(message, to, 1);
  if (t.rank() == to)
    checks::require(t.receive(message, wanted, 1).bytes == message.size_bytes(), "a message of %s",
                    "another length");
}

/// Every call of a team in which rank 0 may have to wait for rank 1.
std::vector<Case> cases(Buffers& b) {
  return {
      {"barrier", [](team& t) { t.barrier(); }},
      {"broadcast", [&](team& t) { t.broadcast(b.out(), sender); }},
      {"scatter", [&](team& t) { t.scatter(b.all_in(), b.out(), sender); }},
      {"gather", [&](team& t) { t.gather(b.in(), b.all_out(), receiver); }},
      {"allgather", [&](team& t) { t.allgather(b.in(), b.all_out()); }},
      {"alltoall", [&](team& t) { t.alltoall(b.all_in(), b.all_out()); }},
      {"reduce", [&](team& t) { t.reduce(b.in(), b.out(), receiver, MPI_SUM); }},
      {"allreduce", [&](team& t) { t.allreduce(b.in(), b.out(), MPI_SUM); }},
      {"scan between barriers", [&](team& t) { t.scan(b.in(), b.out(), MPI_SUM, thalweg::strict); }},
      {"request wait", [&](team& t) { t.start().allgather(b.in(), b.all_out()).wait(); }},
      {"request test",
       [&](team& t) {
         request sum = t.start().allreduce(b.in(), b.out(), MPI_SUM);
         while (!sum.test()) {
         }
       }},
      {"wait_all",
       [&](team& t) {
         request first = t.start().barrier();
         request second = t.start().barrier();
         thalweg::wait_all(first, second);
       }},
      {"complete",
       [&](team& t) {
         t.broadcast(b.out(), sender, thalweg::loose);
         t.complete();
       }},
      {"allocate and release",
       [](team& t) {
         thalweg::symmetric_memory<double> memory = t.allocate<double>(count);
         t.release(memory);
       }},
      {"split and free", [](team& t) { team part = t.split(0); }},
      {"create", [](team&) { team another(MPI_COMM_WORLD); }},
      {"open inboxes and free",
       [](team& t) {
         team part = t.split(0);
         part.open_inboxes();
       }},
      {"receive from anybody", [&](team& t) { pass(t, b.out(), sender, receiver, thalweg_any); }},
      {"receive from a rank", [&](team& t) { pass(t, b.out(), sender, receiver, sender); }},
      {"receive of a long message", [&](team& t) { pass(t, b.long_row, sender, receiver, thalweg_any); }},
      {"send of a long message", [&](team& t) { pass(t, b.long_row, receiver, sender, receiver); }},
  };
}

/// Calls of a team for which rank 0 comes early, with a collective in flight that rank 1 still waits for.
std::vector<Case> calls_beside_a_collective() {
  return {
      {"allocate and release beside a collective",
       [](team& t) {
         thalweg::symmetric_memory<double> memory = t.allocate<double>(count);
         t.release(memory);
       }},
      {"split beside a collective", [](team& t) { team part = t.split(0); }},
      {"barrier beside a collective", [](team& t) { t.barrier(); }},
      {"receive beside a collective",
       [](team& t) {
         double word = 1;
         pass(t, std::span(&word, 1), sender, receiver, thalweg_any);
       }},
  };
}

void announce(const Case& one, const team& all) {
  if (all.rank() != receiver)
    return;
  std::printf("%s\n", one.name.c_str());
  std::fflush(stdout); // a hang is to be told by the last line
}

/// More than any channel holds: it moves only while both ranks look after it.
void check_beside_a_collective(const Case& one, team& all) {
  announce(one, all);
  std::vector<double> in(1 << 20, 1.0);
  std::vector<double> out(in.size());
  request sum = all.start().allreduce(std::span<const double>(in), std::span<double>(out), MPI_SUM);
  if (all.rank() == sender)
    sum.wait();
  one.call(all);
  sum.wait();
  checks::require(out.back() == all.size(), "%s: the sum is %f", one.name.c_str(), out.back());
}

/// `delay`: of the sender, for others to come to the call after this one.
void check(const Case& one, team& all, std::chrono::milliseconds delay = {}) {
  announce(one, all);
  std::vector<char> message(message_bytes);
  MPI_Request pending = MPI_REQUEST_NULL;
  if (all.rank() == receiver)
    MPI_Irecv(message.data(), message_bytes, MPI_CHAR, sender, 1, MPI_COMM_WORLD, &pending);
  if (all.rank() == sender) {
    std::this_thread::sleep_for(delay);
    MPI_Send(message.data(), message_bytes, MPI_CHAR, receiver, 1, MPI_COMM_WORLD);
  }
  one.call(all);
  MPI_Wait(&pending, MPI_STATUS_IGNORE);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    team all(MPI_COMM_WORLD);
    all.open_inboxes();
    Buffers buffers(all);
    for (const Case& one : cases(buffers))
      check(one, all);
    // Rank 2 has left the sum then, and rank 0 has what that one sends it through the library to agree.
    const Case with_one_ahead{"reduce while another one is ahead", [&](team& t) {
                                t.reduce(buffers.in(), buffers.out(), receiver, MPI_SUM);
                                t.open_inboxes();
                              }};
    check(with_one_ahead, all, std::chrono::milliseconds(100));
    for (const Case& one : calls_beside_a_collective())
      check_beside_a_collective(one, all);
    if (all.rank() == receiver)
      std::printf("all right\n");
  }
  MPI_Finalize();
}
