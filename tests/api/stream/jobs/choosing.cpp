// SPDX-License-Identifier: BSD-3-Clause

// Streams that go from mesh to mesh while a program runs: loads change, handlers send, also to another stream
// whose phase ends. Every item has to arrive once, whatever is chosen.
//
// choosing PHASES [EACH]: EACH items from each rank to each, in all phases; without it loads change. In each
// phase a rank comes to the stream only when a long message of the program has gone to its neighbor, who
// waits in the stream while the library holds the receive.

#include "forms.hpp"

#include <cstdlib>
#include <set>
#include <vector>

namespace {

using checks::require;
using forms::rank_of_world;
using forms::ranks_of_world;
using forms::sum_of;

struct Item {
  std::int64_t value;
  std::int64_t hops;
};

int load_of(int phase, const char* each) {
  if (each != nullptr)
    return std::atoi(each);
  constexpr int loads[] = {1, 1, 20, 0, 300};
  return loads[phase / 8 % std::size(loads)];
}

/// A message of the program that is on its way while a phase goes on.
class OpenMessage {
public:
  explicit OpenMessage(int phase)
      : sender_(phase % ranks_of_world()), receiver_((sender_ + 1) % ranks_of_world()) {
    if (sender_ == receiver_)
      return;
    if (rank_of_world() == receiver_)
      MPI_Irecv(bytes_.data(), message_bytes, MPI_BYTE, sender_, 0, MPI_COMM_WORLD, &request_);
    if (rank_of_world() == sender_)
      MPI_Send(bytes_.data(), message_bytes, MPI_BYTE, receiver_, 0, MPI_COMM_WORLD);
  }
  void finish() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

private:
  static constexpr int message_bytes = 1 << 20; // no library takes that without the receiver's help
  int sender_;
  int receiver_;
  std::vector<char> bytes_ = std::vector<char>(message_bytes);
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// One phase; gives how many items were handled here.
template <typename First, typename Second>
void send_phase(First& items, Second& others, int each, long& sent) {
  const int ranks = ranks_of_world();
  for (int number = 0; number < each; ++number)
    for (int step = 0; step < ranks; ++step, sent += 2) // each leads to one of the other stream
      items.send((rank_of_world() + step) % ranks, Item{number, 1});
  items.finish();
  others.finish();
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int phases = argc > 1 ? std::atoi(argv[1]) : 100;
  const char* const each = argc > 2 ? argv[2] : nullptr;
  {
    long sent = 0;
    long handled = 0;
    thalweg::stream<Item> others(MPI_COMM_WORLD, [&](const Item&) { ++handled; });
    thalweg::stream<Item> items(MPI_COMM_WORLD, [&](const Item& item) {
      ++handled;
      if (item.hops > 0)
        others.send(static_cast<int>(item.value) % others.size(), Item{item.value, item.hops - 1});
    });
    std::set<std::string> shapes;
    for (int phase = 0; phase < phases; ++phase) {
      OpenMessage message(phase);
      send_phase(items, others, load_of(phase, each), sent);
      message.finish();
      require(sum_of(sent) == sum_of(handled), "an item of a phase was lost, or came twice");
      shapes.insert(items.shape());
      if (phase == 0 && rank_of_world() == 0)
        std::printf("after one phase %s\n", items.shape().c_str());
    }
    require(std::string(thalweg_stream_explain(nullptr)).empty(), "no stream explains something");
    if (rank_of_world() == 0)
      std::printf("%zu shapes were used\n%sall right\n", shapes.size(), items.explain().c_str());
  }
  MPI_Finalize();
}
