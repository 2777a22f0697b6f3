// SPDX-License-Identifier: BSD-3-Clause

// Ranks of a job agree: through memory and through the library, some of them late, with many tasks under way
// at once, on a group and on its halves.

#include "../checked_operations.hpp"
#include "checks.hpp"
#include "job/library/group.hpp"
#include "job/library/mpi_library.hpp"

#include <chrono>
#include <memory>
#include <numeric>
#include <thread>

namespace {

using thalweg::Rank;
using thalweg::control::Control;
using thalweg::control::TaskRun;
using thalweg::job::Group;

/// A group and its control.
struct GroupWithControl {
  GroupWithControl(MPI_Comm communicator, bool has_transport, std::vector<Rank> order)
      : group(thalweg::job::duplicate(communicator, "test"), nullptr, has_transport),
        control(group.channels().transport(), group.channels().make_mailbox(), group.channels().policy(),
                std::move(order)) {}
  Group group;
  Control control;
};

std::vector<Rank> shuffled(int ranks) {
  std::vector<Rank> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  return order;
}

void be_late_if(bool is_late) {
  if (is_late)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

void check_one_at_a_time(GroupWithControl& all) {
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    be_late_if(static_cast<Rank>(seed) == all.group.rank());
    all.control.run(check_each(all.control, seed));
  }
}

/// All ranks begin the same tasks in the same order, and each looks after them in an order of its own.
void check_many_at_once(GroupWithControl& whole, GroupWithControl& half, std::uint32_t seed) {
  std::mt19937 random(seed * 64 + static_cast<std::uint32_t>(whole.group.rank()));
  std::vector<std::unique_ptr<TaskRun<void>>> under_way;
  const auto look_after_one = [&] {
    auto& one = under_way[random() % under_way.size()];
    if (one->look() != thalweg::wait::Look::reached)
      return;
    one->result();
    std::swap(one, under_way.back());
    under_way.pop_back();
  };
  for (std::uint32_t task = 0; task < 12; ++task) {
    Control& control = (task % 3 == 1 ? half : whole).control;
    const std::uint32_t part = task % 3 == 1 ? seed * 100 + 50 : seed * 100;
    under_way.push_back(std::make_unique<TaskRun<void>>(control, check_some(control, part + task, 4)));
    for (unsigned looks = random() % 20; looks > 0 && !under_way.empty(); --looks)
      look_after_one();
  }
  while (!under_way.empty()) {
    look_after_one();
    std::this_thread::yield();
  }
}

/// A long message of the program's goes to rank 0, which waits for rank 1, which sends it before it comes.
void check_waiting(GroupWithControl& all) {
  if (all.control.ranks() < 2)
    return;
  std::vector<char> message(8 << 20);
  const int bytes = static_cast<int>(message.size());
  MPI_Request receive = MPI_REQUEST_NULL;
  if (all.group.rank() == 0)
    MPI_Irecv(message.data(), bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &receive);
  if (all.group.rank() == 1)
    MPI_Send(message.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  all.control.run(all.control.barrier());
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  try {
    for (const bool has_transport : {false, true}) {
      GroupWithControl all(MPI_COMM_WORLD, has_transport, shuffled(ranks));
      GroupWithControl part(half, has_transport, {});
      check_one_at_a_time(all);
      for (std::uint32_t seed = 0; seed < 10; ++seed)
        check_many_at_once(all, part, seed);
      check_waiting(all);
    }
  } catch (const std::exception& failure) {
    checks::require(false, "%s", failure.what());
  }
  MPI_Comm_free(&half);
  if (rank == 0)
    std::printf("all right\n");
  MPI_Finalize();
}
