// Random programs of real ranks: sends, sending handlers, several streams, meshes, parts of the ranks, phases
// ended in one and in two parts. Every item is handled once, in its sender's order, in its phase.

#include "checks.hpp"
#include "thalweg/stream.hpp"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

struct Item {
  std::int32_t source;
  std::int32_t destination;
  std::int32_t number; // of those from source to destination, or -1 of a chain
  std::int32_t hops;   // how often handlers send it on
  std::int32_t phase;
};

std::string random_shape(std::mt19937& random, int ranks) {
  std::string shape;
  int left = ranks;
  while (left > 3 && random() % 3 != 0) {
    const int side = 2 + static_cast<int>(random() % 2);
    shape += std::to_string(side) + "x";
    left = (left + side - 1) / side;
  }
  return shape.empty() ? (random() % 2 != 0 ? "direct" : "") : shape + std::to_string(left);
}

/// A program's counts and streams on this rank.
class Program {
public:
  Program(MPI_Comm communicator, unsigned seed) : common_(seed), own_(seed * 1009) {
    MPI_Comm_rank(communicator, &rank_);
    MPI_Comm_size(communicator, &ranks_);
    own_.seed(seed * 1009 + static_cast<unsigned>(rank_));
    const int streams = 1 + static_cast<int>(common_() % 2);
    numbers_.resize(static_cast<std::size_t>(streams * ranks_));
    seen_.resize(numbers_.size());
    phases_.resize(static_cast<std::size_t>(streams));
    for (int stream = 0; stream < streams; ++stream) {
      thalweg::stream_options options;
      options.buffer_bytes = std::size_t{64} << (common_() % 6);
      options.shape = random_shape(common_, ranks_);
      options.period_us = common_() % 2 != 0 ? 1 : 0;
      streams_.push_back(std::make_unique<thalweg::stream<Item>>(
          communicator, [this, stream](const Item& item) { handle(stream, item); }, options));
    }
  }

  void run() {
    const int phases = 1 + static_cast<int>(common_() % 3);
    max_items_ = common_() % 4 == 0 ? 1 : static_cast<int>(common_() % 3000);
    max_hops_ = common_() % 3 == 0 ? 4 : 0;
    for (int phase = 0; phase < phases; ++phase) {
      send_some(phase);
      for (std::size_t stream = 0; stream < streams_.size(); ++stream)
        finish(stream);
    }
    std::int64_t total = sent_ - handled_;
    std::int64_t left = 0;
    MPI_Allreduce(&total, &left, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    checks::require(left == 0, "%ld items were lost, or came twice", static_cast<long>(left));
  }

private:
  void handle(int stream, const Item& item) {
    checks::require(item.destination == rank_, "an item for rank %d came", item.destination);
    checks::require(item.phase == phases_[static_cast<std::size_t>(stream)], "an item of phase %d came in %d",
                    item.phase, phases_[static_cast<std::size_t>(stream)]);
    ++handled_;
    int& seen = seen_[static_cast<std::size_t>(stream * ranks_ + item.source)];
    if (item.number >= 0)
      checks::require(item.number == seen++, "item %d of rank %d came out of order", item.number,
                      item.source);
    if (item.hops > 0) {
      const int later = stream + 1 < static_cast<int>(streams_.size()) && own_() % 2 != 0 ? 1 : 0;
      send(stream + later, {rank_, random_rank(), -1, item.hops - 1, item.phase});
    }
  }

  void send(int stream, const Item& item) {
    ++sent_;
    streams_[static_cast<std::size_t>(stream)]->send(item.destination, item);
  }

  void send_some(int phase) {
    const int count = static_cast<int>(own_() % static_cast<unsigned>(max_items_ + 1));
    for (int item = 0; item < count; ++item) {
      const auto stream = static_cast<int>(own_() % streams_.size());
      const int to = random_rank();
      const int hops = max_hops_ == 0 ? 0 : static_cast<int>(own_() % static_cast<unsigned>(max_hops_));
      send(stream, {rank_, to, numbers_[static_cast<std::size_t>(stream * ranks_ + to)]++, hops, phase});
      if (own_() % 200 == 0)
        streams_[static_cast<std::size_t>(stream)]->flush();
      if (own_() % 200 == 0)
        streams_[static_cast<std::size_t>(stream)]->progress();
    }
  }

  void finish(std::size_t stream) {
    if (own_() % 2 == 0) {
      streams_[stream]->finish();
    } else {
      thalweg::request end = streams_[stream]->start_finish();
      while (!end.test()) {
      }
    }
    ++phases_[stream];
  }

  int random_rank() { return static_cast<int>(own_() % static_cast<unsigned>(ranks_)); }

  std::mt19937 common_; // the same on all ranks
  std::mt19937 own_;
  int rank_ = 0;
  int ranks_ = 1;
  int max_items_ = 0;
  int max_hops_ = 0;
  std::int64_t sent_ = 0;
  std::int64_t handled_ = 0;
  std::vector<int> numbers_;
  std::vector<int> seen_;
  std::vector<int> phases_;
  std::vector<std::unique_ptr<thalweg::stream<Item>>> streams_;
};

void run_on_halves(unsigned seed) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  Program program(half, seed);
  MPI_Comm_free(&half); // streams have their own
  program.run();
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const unsigned programs = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 40;
  for (unsigned seed = 1; seed <= programs; ++seed)
    if (seed % 4 == 0)
      run_on_halves(seed);
    else
      Program(MPI_COMM_WORLD, seed).run();
  std::printf("all right\n");
  MPI_Finalize();
}
