// SPDX-License-Identifier: BSD-3-Clause

// Whoever waits in a call of a stream lets the MPI library go on. Rank 1 comes to each call only when a long
// message of the program has gone to rank 0, and rank 0 waits there for rank 1 while the library holds the
// receive.

#include "checks.hpp"
#include "thalweg/stream.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr int message_bytes = 8 << 20; // no library takes that without the receiver's help
constexpr int receiver = 0;
constexpr int sender = 1;

struct Item {
  std::int64_t value;
};
using Stream = thalweg::stream<Item>;

struct Case {
  std::string name;
  std::function<void(Stream&)> call;
};

std::vector<Case> cases() {
  return {
      {"finish", [](Stream& s) { s.finish(); }},
      {"request wait", [](Stream& s) { s.start_finish().wait(); }},
      {"request test",
       [](Stream& s) {
         thalweg::request end = s.start_finish();
         while (!end.test()) {
         }
       }},
      {"send without a free buffer",
       [](Stream& s) {
         for (int item = 0; item < 100'000; ++item)
           s.send(sender, {item});
         s.finish();
       }},
      {"finish with senders",
       [](Stream& s) {
         auto one = s.make_sender();
         one.send(sender, {1});
         one.done();
         s.finish();
       }},
      {"create", [](Stream&) { Stream another(MPI_COMM_WORLD, [](const Item&) {}); }},
  };
}

/// Rank 0 waits for the end of the requests while its answers lie in the replies' buffers.
void answers_leave_while_their_sender_waits(int rank) {
  thalweg::stream<int>* out = nullptr;
  bool answered = false;
  thalweg::stream<int> requests(MPI_COMM_WORLD, [&](const int& from) { out->send(from, 42); });
  thalweg::stream<int> replies(MPI_COMM_WORLD, [&](const int&) { answered = true; });
  out = &replies;
  if (rank == sender) {
    requests.send(receiver, rank);
    requests.flush();
    while (!answered) {
      requests.progress();
      replies.progress();
    }
  }
  requests.finish();
  replies.finish();
}

/// Rank 0 looks after the later stream's end only. Rank 1, which has to end it too, first sends what belongs
/// to the first one's next phase, and more than there are buffers.
void ends_are_looked_for_in_another_order(int rank, const thalweg::stream_options& options) {
  int come = 0;
  Stream first(
      MPI_COMM_WORLD, [&](const Item&) { ++come; }, options);
  Stream second(
      MPI_COMM_WORLD, [](const Item&) {}, options);
  if (rank == receiver) {
    thalweg::request first_end = first.start_finish();
    thalweg::request second_end = second.start_finish();
    while (!second_end.test()) {
    }
    checks::require(come == 0, "%d items were handled before their phase", come);
    first_end.wait();
  } else {
    first.finish();
    for (int item = 0; rank == sender && item < 10'000; ++item)
      first.send(receiver, {item});
    second.finish();
  }
  first.finish();
  checks::require(come == (rank == receiver ? 10'000 : 0), "%d items came", come);
}

using Questions = thalweg::stream<thalweg::query<int, long>>;

/// Rank 0 waits for rank 1's answer.
void wait_for_answers(Questions& questions, int rank) {
  if (rank == receiver) {
    questions.ask(sender, 7);
    questions.wait_for_answers();
  }
  questions.finish();
}

/// Rank 1 makes `call` when a long message has gone to rank 0.
template <typename Call>
void while_a_message_is_under_way(int rank, std::vector<char>& message, const std::string& name, Call call) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == receiver)
    MPI_Irecv(message.data(), message_bytes, MPI_CHAR, sender, 1, MPI_COMM_WORLD, &request);
  if (rank == sender)
    MPI_Send(message.data(), message_bytes, MPI_CHAR, receiver, 1, MPI_COMM_WORLD);
  call();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == receiver)
    std::printf("%s\n", name.c_str());
}

} // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    thalweg::stream_options options;
    options.buffer_bytes = 512;
    Stream items(
        MPI_COMM_WORLD, [](const Item&) {}, options);
    std::vector<char> message(message_bytes);
    for (const Case& one : cases())
      while_a_message_is_under_way(rank, message, one.name, [&] { one.call(items); });
    Questions questions(MPI_COMM_WORLD,
                        thalweg::handlers{[](int question) { return question + 1L; }, [](long) {}});
    while_a_message_is_under_way(rank, message, "wait for answers",
                                 [&] { wait_for_answers(questions, rank); });
  }
  answers_leave_while_their_sender_waits(rank);
  {
    thalweg::stream_options options;
    options.buffer_bytes = 512;
    ends_are_looked_for_in_another_order(rank, options);
  }
  if (rank == receiver)
    std::printf("all right\n");
  MPI_Finalize();
}
