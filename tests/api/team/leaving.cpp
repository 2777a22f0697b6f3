// SPDX-License-Identifier: BSD-3-Clause

// What a rank has for others leaves with the call that starts it, though no call follows. One of two ranks
// starts a collective in which it waits for nobody, and then does not call anything until the other has what
// it waits for; then it waits for its request, and all make a call of the library alone.
//
// leaving FOLDER: one that both ranks see.

#include "checks.hpp"
#include "flags.h"
#include "thalweg/team.hpp"

#include <functional>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using checks::require;
using thalweg::request;
using thalweg::team;

constexpr int nobody = -1;

struct Buffers {
  explicit Buffers(std::size_t count)
      : in(count, 1.0), out(count), in_of_all(2 * count, 1.0), out_of_all(2 * count) {}
  std::vector<double> in, out, in_of_all, out_of_all;
  std::span<const double> mine() const { return in; }
  std::span<double> row() { return out; }
  std::span<const double> all() const { return in_of_all; }
  std::span<double> rows() { return out_of_all; }
};

/// A collective on two ranks, of which `leaving` has nothing to wait for once it has begun.
struct Case {
  std::string name;
  int leaving;
  std::function<request(team&)> start;
};

std::vector<Case> cases(Buffers& b) {
  return {
      {"broadcast", 0, [&](team& t) { return t.start().broadcast(b.row(), 0); }},
      {"scatter", 0, [&](team& t) { return t.start().scatter(b.all(), b.row(), 0); }},
      {"gather", 0, [&](team& t) { return t.start().gather(b.mine(), b.rows(), 1); }},
      {"reduce", 0, [&](team& t) { return t.start().reduce(b.mine(), b.row(), 1, MPI_SUM); }},
      {"scan", 0, [&](team& t) { return t.start().scan(b.mine(), b.row(), MPI_SUM); }},
      {"allgather", nobody, [&](team& t) { return t.start().allgather(b.mine(), b.rows()); }},
      {"alltoall", nobody, [&](team& t) { return t.start().alltoall(b.all(), b.rows()); }},
      {"allreduce", nobody, [&](team& t) { return t.start().allreduce(b.mine(), b.row(), MPI_SUM); }},
      {"barrier", nobody, [&](team& t) { return t.start().barrier(); }},
      {"loose broadcast", 0,
       [&](team& t) {
         usleep(1000); // alone, and not in a row
         t.broadcast(b.row(), 0, thalweg::loose);
         if (t.rank() == 1)
           t.complete();
         return request();
       }},
      {"broadcast behind a loose one", 0,
       [&](team& t) {
         t.broadcast(b.row(), 0, thalweg::loose);
         return t.start().broadcast(b.row(), 0);
       }},
      {"waiting broadcast behind loose ones", 0,
       [&](team& t) {
         for (int call = 0; call < 3; ++call)
           t.broadcast(b.row(), 0, thalweg::loose);
         t.broadcast(b.row(), 0);
         return request();
       }},
      {"message", 0,
       [&](team& t) {
         if (t.rank() == 0)
           t.send<double>(b.mine(), 1, 3);
         else
           t.receive(b.row(), 0, 3);
         return request();
       }},
  };
}

class Pair {
public:
  Pair(team& of, const char* below) : team_(of) {
    require(make_flags(&flags_, below) != 0, "no folder can be made in %s", below);
  }
  ~Pair() {
    if (team_.rank() == 0)
      remove_flags(&flags_);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  void run(const Case& one) {
    for (const int leaving : {0, 1})
      if (one.leaving == nobody || one.leaving == leaving)
        run(one, leaving);
    request again = one.start(team_);
    again.wait();
    MPI_Barrier(MPI_COMM_WORLD);
    if (team_.rank() == 0) {
      request tested = one.start(team_);
      tested.test();
    } else {
      one.start(team_).wait();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    team_.complete();
  }

private:
  void run(const Case& one, int leaving) {
    ++step_;
    request started = one.start(team_);
    if (team_.rank() == leaving) {
      require(see_flag(&flags_, 1 - leaving, step_) != 0,
              "the %s of rank %d has not left it, which makes no call", one.name.c_str(), leaving);
      started.wait();
    } else {
      started.wait();
      require(raise_flag(&flags_, team_.rank(), step_) != 0, "no flag can be made in %s", flags_.folder);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  team& team_;
  Flags flags_;
  int step_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    team all(MPI_COMM_WORLD);
    require(all.size() == 2 && argc == 2, "%s", "two ranks and a folder are wanted");
    all.open_inboxes();
    all.use("allreduce=recursive_doubling;allgather=ring;alltoall=direct;barrier=dissemination;scan=chain");
    Pair pair(all, argv[1]);
    for (const std::size_t count : {1UL, 100UL, 300UL}) {
      Buffers buffers(count);
      for (const Case& one : cases(buffers))
        pair.run(one);
      all.barrier();
    }
    if (all.rank() == 0)
      std::printf("all right\n");
  }
  MPI_Finalize();
}
