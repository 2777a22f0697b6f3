// SPDX-License-Identifier: BSD-3-Clause

// Random programs of real ranks, on meshes, and on parts of the ranks.

#include "checks.hpp"
#include "stream/random_program.hpp"
#include "thalweg/stream.hpp"

#include <memory>

namespace {

using random_program::Item;
using random_program::Program;
using Stream = thalweg::stream<Item>;

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

random_program::Stream actions(Stream& stream) {
  const auto end = std::make_shared<thalweg::request>();
  return {[&](int rank, const Item& item) { stream.send(rank, item); },
          [&] { stream.flush(); },
          [&] { stream.progress(); },
          [&] { stream.finish(); },
          [&, end] { *end = stream.start_finish(); },
          [end] { return end->test(); }};
}

void run(MPI_Comm communicator, unsigned seed) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  std::mt19937 random(seed); // the same on all ranks
  const random_program::Plan plan = random_program::random_plan(random);
  Program program(plan, rank, ranks, seed);
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<random_program::Stream> used;
  for (int stream = 0; stream < plan.streams; ++stream) {
    thalweg::stream_options options;
    options.buffer_bytes = std::size_t{64} << (random() % 6);
    options.shape = random_shape(random, ranks);
    options.period_us = random() % 2 != 0 ? 1 : 0;
    streams.push_back(std::make_unique<Stream>(
        communicator, [&, stream](const Item& item) { program.handle(stream, item); }, options));
    used.push_back(actions(*streams.back()));
  }
  program.use(std::move(used));
  program.run();
  checks::require(program.failure().empty(), "seed %u: %s", seed, program.failure().c_str());
  const std::int64_t own = program.sent_but_not_handled();
  std::int64_t left = 0;
  MPI_Allreduce(&own, &left, 1, MPI_INT64_T, MPI_SUM, communicator);
  checks::require(left == 0, "seed %u: %ld items were lost, or came twice", seed, static_cast<long>(left));
}

void run_on_halves(unsigned seed) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  run(half, seed);
  MPI_Comm_free(&half);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const unsigned programs = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 40;
  for (unsigned seed = 1; seed <= programs; ++seed)
    if (seed % 4 == 0)
      run_on_halves(seed);
    else
      run(MPI_COMM_WORLD, seed);
  std::printf("all right\n");
  MPI_Finalize();
}
