// SPDX-License-Identifier: BSD-3-Clause

// Under `thalweg run` the program's MPI calls let its streams progress: rank 0 waits in a call of a stream
// for rank 1, which waits in an MPI call for rank 0. Without the interposer that hangs.

#include "checks.hpp"
#include "thalweg/stream.hpp"

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int sender = 0;
constexpr int receiver = 1;
constexpr int tag = 7;
constexpr int item_count = 20'000; // more than there are buffers for

thalweg::stream_options small_buffers() {
  thalweg::stream_options options;
  options.buffer_bytes = 512;
  return options;
}

struct Wait {
  std::string name;
  std::function<void(int& message)> receive;
};

std::vector<Wait> waits() {
  const auto start = [](int& message) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&message, 1, MPI_INT, sender, tag, MPI_COMM_WORLD, &request);
    return request;
  };
  const auto receive = [](int& message) {
    MPI_Recv(&message, 1, MPI_INT, sender, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  return {{"MPI_Recv", receive},
          {"MPI_Wait",
           [=](int& message) {
             MPI_Request request = start(message);
             MPI_Wait(&request, MPI_STATUS_IGNORE);
           }},
          {"MPI_Waitall",
           [=](int& message) {
             MPI_Request request = start(message);
             MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
           }},
          {"MPI_Waitany",
           [=](int& message) {
             MPI_Request request = start(message);
             int index = 0;
             MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
           }},
          {"MPI_Test",
           [=](int& message) {
             MPI_Request request = start(message);
             for (int flag = 0; flag == 0;)
               MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
           }},
          {"MPI_Probe",
           [=](int& message) {
             MPI_Probe(sender, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
             receive(message);
           }},
          {"MPI_Iprobe", [=](int& message) {
             for (int flag = 0; flag == 0;)
               MPI_Iprobe(sender, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
             receive(message);
           }}};
}

/// Rank 0 sends a message when all its items have left. If rank 1 has used the stream in this phase, they are
/// handled while it waits for that message; else they are kept for its next call of a stream.
void items_leave(int rank, const Wait& wait, bool is_used) {
  int come = 0;
  const std::thread::id own = std::this_thread::get_id();
  thalweg::stream<int> items(
      MPI_COMM_WORLD,
      [&](const int& number) {
        checks::require(number == come, "item %d came as number %d", number, come);
        ++come;
        checks::require(std::this_thread::get_id() == own, "a handler runs in another thread");
      },
      small_buffers());
  if (rank == sender) {
    for (int number = 0; number < item_count; ++number)
      items.send(receiver, number);
    items.flush();
    MPI_Send(&item_count, 1, MPI_INT, receiver, tag, MPI_COMM_WORLD);
  } else if (rank == receiver) {
    if (is_used)
      items.flush();
    int message = 0;
    wait.receive(message);
    checks::require(message == item_count, "%d came", message);
    // Between nodes the library may have room for all of them.
    if (!is_used || std::getenv("THALWEG_SHARED_MEMORY") == nullptr)
      checks::require((come > 0) == is_used, "%d items were handled in %s", come, wait.name.c_str());
  }
  items.finish();
  checks::require(come == (rank == receiver ? item_count : 0), "%d items came", come);
}

/// Rank 0 waits for an answer, in a phase in which rank 1 has made a call of another stream.
void questions_are_answered(int rank) {
  thalweg::stream<thalweg::query<int, long>> questions(
      MPI_COMM_WORLD, thalweg::handlers{[](int question) { return question + 1L; }, [](long) {}});
  thalweg::stream<int> other(MPI_COMM_WORLD, [](const int&) {});
  int message = 1;
  if (rank == sender) {
    questions.ask(receiver, 41);
    questions.wait_for_answers();
    MPI_Send(&message, 1, MPI_INT, receiver, tag, MPI_COMM_WORLD);
  } else if (rank == receiver) {
    other.progress();
    MPI_Recv(&message, 1, MPI_INT, sender, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  questions.finish();
  other.finish();
}

/// A handler that calls MPI is not interrupted by another one, nor by itself.
void handlers_call_mpi(int rank) {
  bool runs = false;
  int come = 0;
  thalweg::stream<int> items(
      MPI_COMM_WORLD,
      [&](const int& number) {
        checks::require(!runs, "a handler runs within a handler");
        runs = true;
        int echo = -1;
        MPI_Sendrecv(&number, 1, MPI_INT, 0, tag + 1, &echo, 1, MPI_INT, 0, tag + 1, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        checks::require(echo == number, "%d came for %d", echo, number);
        ++come;
        runs = false;
      },
      small_buffers());
  int message = 0;
  if (rank == sender) {
    for (int number = 0; number < item_count / 20; ++number)
      items.send(receiver, number);
    items.flush();
    MPI_Send(&message, 1, MPI_INT, receiver, tag, MPI_COMM_WORLD);
  } else if (rank == receiver) {
    items.flush();
    MPI_Recv(&message, 1, MPI_INT, sender, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  items.finish();
  checks::require(come == (rank == receiver ? item_count / 20 : 0), "%d items came", come);
}

/// What a handler throws in an MPI call ends the phase on all ranks.
void handlers_fail(int rank) {
  thalweg::stream<int> items(
      MPI_COMM_WORLD, [](const int&) { throw std::runtime_error("the handler's own reason"); },
      small_buffers());
  int message = 0;
  if (rank == sender) {
    for (int number = 0; number < item_count; ++number)
      items.send(receiver, number);
    MPI_Send(&message, 1, MPI_INT, receiver, tag, MPI_COMM_WORLD);
  } else if (rank == receiver) {
    items.flush();
    MPI_Recv(&message, 1, MPI_INT, sender, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  bool has_failed = false;
  try {
    items.finish();
  } catch (const std::exception& failed) {
    has_failed = std::string(failed.what()).find("the handler's own reason") != std::string::npos;
  }
  checks::require(has_failed, "the failure is lost");
}

/// A phase that ends in two parts goes on in MPI calls.
void phases_end(int rank) {
  int come = 0;
  thalweg::stream<int> items(MPI_COMM_WORLD, [&](const int&) { ++come; });
  items.send(receiver, rank);
  thalweg::request end = items.start_finish();
  int message = 0;
  if (rank == sender) {
    end.wait();
    MPI_Send(&message, 1, MPI_INT, receiver, tag, MPI_COMM_WORLD);
  } else if (rank == receiver) {
    MPI_Recv(&message, 1, MPI_INT, sender, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    checks::require(come == items.size(), "%d items came", come);
  }
  end.wait();
}

} // namespace

int main(int argc, char** argv) {
  const bool is_threaded = argc > 1;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, is_threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const Wait& wait : waits())
    for (const bool is_used : {true, false})
      items_leave(rank, wait, is_used);
  questions_are_answered(rank);
  handlers_call_mpi(rank);
  handlers_fail(rank);
  phases_end(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == sender)
    std::printf("all right\n");
  MPI_Finalize();
}
