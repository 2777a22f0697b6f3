// SPDX-License-Identifier: BSD-3-Clause

// What goes wrong is said, on all ranks that it concerns, and nothing hangs.

#include "checks.hpp"
#include "thalweg/stream.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace {

using checks::failure_of;
using checks::require;

struct Item {
  std::int64_t value;
};

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void require_text(const thalweg::error& failed, thalweg_status status, const std::string& text) {
  require(failed.status() == status, "status %d: %s", static_cast<int>(failed.status()), failed.what());
  require(std::string(failed.what()).find(text) != std::string::npos, "no '%s' in: %s", text.c_str(),
          failed.what());
}

void bad_ranks() {
  thalweg::stream<Item> items(MPI_COMM_WORLD, [](const Item&) {});
  for (const int rank : {-1, items.size(), 1 << 30})
    require_text(failure_of([&] { items.send(rank, {1}); }), thalweg_error_invalid_argument,
                 "an item for rank " + std::to_string(rank));
  items.finish();
}

// All ranks learn of it, the failing one gets its own exception, and the next phase works.
void failing_handlers(const std::string& shape) {
  const int rank = rank_of_world();
  std::int64_t sum = 0;
  bool fails = true;
  int last = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &last);
  --last;
  thalweg::stream_options options;
  options.shape = shape;
  options.buffer_bytes = 256;
  thalweg::stream<Item> items(
      MPI_COMM_WORLD,
      [&](const Item& item) {
        if (fails && rank == last && item.value == 7)
          throw std::runtime_error("seven is too much");
        sum += item.value;
      },
      options);
  for (std::int64_t value = 0; value < 1000; ++value)
    items.send(static_cast<int>(value) % items.size(), {value == 500 ? 7 : 1});
  items.send(last, {7});
  if (rank == last) {
    bool has_thrown = false;
    try {
      items.finish();
    } catch (const std::runtime_error& failed) {
      has_thrown = std::string(failed.what()) == "seven is too much";
    }
    require(has_thrown, "%s", "the handler's exception was lost");
  } else {
    require_text(failure_of([&] { items.finish(); }), thalweg_error_handler,
                 "a handler failed on rank " + std::to_string(last) + ": seven is too much");
  }
  fails = false;
  sum = 0;
  items.send(0, {3});
  items.finish();
  require(sum == (rank == 0 ? 3 * items.size() : 0), "a sum of %ld after the failure",
          static_cast<long>(sum));
}

void sends_between_start_and_end() {
  thalweg::stream<Item> items(MPI_COMM_WORLD, [](const Item&) {});
  thalweg::request end = items.start_finish();
  require_text(failure_of([&] { items.send(0, {1}); }), thalweg_error_invalid_argument,
               "an item is sent while the phase ends");
  require_text(failure_of([&] { items.start_finish(); }), thalweg_error_invalid_argument,
               "the phase is ending already");
  end.wait();
  items.send(0, {1});
  items.finish();
}

/// A request knows nothing of exceptions; the next phase is none that has failed.
void failures_that_a_request_reports() {
  bool fails = true;
  thalweg::stream<Item> items(MPI_COMM_WORLD, [&](const Item&) {
    if (fails)
      throw std::runtime_error("all are too much");
  });
  items.send(0, {1});
  thalweg::request end = items.start_finish();
  require_text(failure_of([&] { end.wait(); }), thalweg_error_handler, "all are too much");
  fails = false;
  items.send(0, {1});
  items.finish();
}

void requests_that_outlive_their_stream() {
  thalweg::request end;
  {
    thalweg::stream<Item> items(MPI_COMM_WORLD, [](const Item&) {});
    end = items.start_finish();
  }
  require_text(failure_of([&] { end.test(); }), thalweg_error_invalid_argument, "its stream was freed");
  require_text(failure_of([&] { end.wait(); }), thalweg_error_invalid_argument, "its stream was freed");
}

void finish_in_a_handler() {
  thalweg::stream<Item>* self = nullptr;
  thalweg::stream<Item> items(MPI_COMM_WORLD, [&](const Item&) { self->finish(); });
  self = &items;
  if (rank_of_world() == 0)
    items.send(0, {1});
  const thalweg::error failed = failure_of([&] { items.finish(); });
  require_text(failed, rank_of_world() == 0 ? thalweg_error_invalid_argument : thalweg_error_handler,
               "a handler ends the phase");
}

void streams_come_and_go_in_a_handler() {
  const auto alone = [](auto work) {
    thalweg::stream<Item> items(MPI_COMM_SELF, [&](const Item&) { work(); });
    items.send(0, {1});
    return failure_of([&] { items.finish(); });
  };
  const thalweg::error made = alone([] { thalweg::stream<Item> another(MPI_COMM_SELF, [](const Item&) {}); });
  require_text(made, thalweg_error_invalid_argument, "a handler makes a stream");

  thalweg_stream_options options{};
  options.item_bytes = sizeof(Item);
  thalweg_stream_handler handler{};
  handler.deliver = [](void*, const char*, std::size_t) { return 0; };
  thalweg_stream* other = nullptr;
  require(thalweg_stream_create(MPI_COMM_SELF, &options, &handler, &other) == thalweg_success, "no stream");
  const thalweg::error freed = alone([&] { thalweg::detail::check(thalweg_stream_free(&other)); });
  require_text(freed, thalweg_error_invalid_argument, "a handler frees a stream");
  require(thalweg_stream_free(&other) == thalweg_success && other == nullptr, "it is not freed");
}

void too_much_from_handlers() {
  thalweg::stream_options options;
  options.buffer_bytes = 256;
  options.max_overflow_bytes = 1 << 20;
  thalweg::stream<Item>* self = nullptr;
  // Each item leads to two.
  thalweg::stream<Item> items(
      MPI_COMM_WORLD,
      [&](const Item& item) {
        self->send((static_cast<int>(item.value) + 1) % self->size(), {item.value + 1});
        self->send((static_cast<int>(item.value) + 2) % self->size(), {item.value + 1});
      },
      options);
  self = &items;
  items.send(0, {0});
  // On the rank that it has happened to the send has failed, on the others that one's handler.
  const thalweg::error failed = failure_of([&] { items.finish(); });
  require_text(failed, failed.call() == "send" ? thalweg_error_out_of_memory : thalweg_error_handler,
               "wait for slots");
}

void different_options() {
  thalweg::stream_options options;
  options.buffer_bytes = rank_of_world() == 0 ? 1024 : 2048;
  require_text(failure_of([&] {
                 thalweg::stream<Item> items(
                     MPI_COMM_WORLD, [](const Item&) {}, options);
               }),
               thalweg_error_mismatch, "ranks 0 and 1 make the stream with different options");
}

void bad_shapes() {
  for (const char* shape : {"x", "0", "2x", "1x1x1x1", "99999999999", "direct4", "4x-1"}) {
    thalweg::stream_options options;
    options.shape = shape;
    require_text(failure_of([&] {
                   thalweg::stream<Item> items(
                       MPI_COMM_WORLD, [](const Item&) {}, options);
                 }),
                 thalweg_error_invalid_argument, std::string("the shape ") + shape);
  }
}

void communicators() {
  require_text(failure_of([] { thalweg::stream<Item> items(MPI_COMM_NULL, [](const Item&) {}); }),
               thalweg_error_invalid_argument, "MPI_COMM_NULL");
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  std::int64_t sum = 0;
  thalweg::stream<Item> items(copy, [&](const Item& item) { sum += item.value; });
  items.send(0, {1});
  MPI_Comm_free(&copy);
  items.send(0, {1});
  items.finish();
  require(sum == (rank_of_world() == 0 ? 2 * items.size() : 0), "a sum of %ld", static_cast<long>(sum));
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bad_ranks();
  failing_handlers("direct");
  if (ranks == 4)
    failing_handlers("2x2");
  sends_between_start_and_end();
  failures_that_a_request_reports();
  requests_that_outlive_their_stream();
  finish_in_a_handler();
  streams_come_and_go_in_a_handler();
  too_much_from_handlers();
  if (ranks > 1)
    different_options();
  bad_shapes();
  communicators();
  std::printf("all right\n");
  MPI_Finalize();
}
