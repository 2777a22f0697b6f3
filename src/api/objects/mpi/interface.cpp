// SPDX-License-Identifier: BSD-3-Clause

// The C interface (thalweg/objects.h) over Scheduler.

#include "base/error.hpp"
#include "boundary/guarded.hpp"
#include "boundary/sized.hpp"
#include "job/library/mpi_library.hpp"
#include "objects/mpi/associations.hpp"
#include "objects/mpi/checkpoint.hpp"
#include "objects/mpi/migration.hpp"
#include "objects/mpi/scheduler.hpp"
#include "objects/mpi/structures.hpp"
#include "thalweg/error.hpp"

#include <memory>

using thalweg::boundary::guarded;
using thalweg::boundary::must_be_given;
using thalweg::boundary::sized;
using thalweg::job::must;
using thalweg::objects::Associations;
using thalweg::objects::Checkpoint;
using thalweg::objects::FenceNotes;
using thalweg::objects::Migration;
using thalweg::objects::Scheduler;

struct thalweg_objects {
  explicit thalweg_objects(MPI_Comm of)
      : scheduler(of), associations(scheduler, notes), migration(scheduler, notes),
        checkpoint(scheduler, migration) {}

  Scheduler scheduler;
  FenceNotes notes;
  std::string explanation; // that was given last
  Associations associations;
  Migration migration;
  Checkpoint checkpoint;
  MPI_Comm communicator = MPI_COMM_NULL; // of the program, which knows this by an attribute; null: it is gone
  int holders = 1;
};

namespace {

thalweg::boundary::Caller caller(std::string_view call, const thalweg_objects* objects) {
  if (objects == nullptr)
    return {.call = call};
  const thalweg::job::Group& group = objects->scheduler.group();
  return {.call = call, .rank = group.rank(), .ranks = group.ranks()};
}

/// What every call of a scheduler begins with.
template <typename Work>
thalweg_status with_scheduler(std::string_view call, thalweg_objects* objects, Work&& work) {
  return guarded(caller(call, objects), [&] {
    must_be_given(objects, "objects");
    try {
      work(*objects);
    } catch (const thalweg::error& inner) { // of the stream, or of the balancer
      throw thalweg::Error(inner.what(), "", inner.status());
    }
  });
}

extern "C" int communicator_ends(MPI_Comm, int, void* objects, void*) {
  static_cast<thalweg_objects*>(objects)->communicator = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

// By which communicators know their schedulers. Their duplicates have others.
int attribute() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    must(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicator_ends, &made, nullptr),
         "MPI_Comm_create_keyval");
    return made;
  }();
  return key;
}

/// The scheduler of a communicator, or null.
thalweg_objects* known_of(MPI_Comm communicator) {
  thalweg::job::mpi_must_run();
  void* known = nullptr;
  int is_known = 0;
  if (communicator != MPI_COMM_NULL)
    must(PMPI_Comm_get_attr(communicator, attribute(), &known, &is_known), "MPI_Comm_get_attr");
  return is_known != 0 ? static_cast<thalweg_objects*>(known) : nullptr;
}

/// Throws Error for a function that is not there and is always called.
thalweg_objects_array whole(const thalweg_objects_array& given) {
  const thalweg_objects_array all = sized(given);
  const auto need = [](auto function, std::string_view name) {
    must_be_given(reinterpret_cast<const void*>(function), name);
  };
  need(all.run, "array->run");
  need(all.save, "array->save");
  need(all.begin_anew, "array->begin_anew");
  need(all.count, "array->count");
  need(all.anchored, "array->anchored");
  need(all.unsettled, "array->unsettled");
  return all;
}

/// What calls for all arrays of a communicator begin with.
template <typename Work>
thalweg_status with_folder(std::string_view call, MPI_Comm communicator, const char* folder, Work&& work) {
  thalweg_objects* known = nullptr;
  const thalweg_status found = guarded({.call = call}, [&] {
    must_be_given(folder, "folder");
    known = known_of(communicator);
    if (known == nullptr)
      throw thalweg::Error("the communicator has no arrays", "make them first, of this communicator");
  });
  return found != thalweg_success ? found : with_scheduler(call, known, work);
}

} // namespace

extern "C" {

THALWEG_API thalweg_status(thalweg_objects_open)();
// What programs call that were compiled when headers did not tell their version.
thalweg_status(thalweg_objects_open)() {
  return guarded({.call = "array"}, thalweg::boundary::refuse_first_version);
}

thalweg_status thalweg_objects_open_for(int header_version, MPI_Comm communicator,
                                        thalweg_objects** objects) {
  return guarded({.call = "array"}, [&] {
    thalweg::boundary::must_fit(header_version);
    must_be_given(objects, "objects");
    if (thalweg_objects* const known = known_of(communicator)) {
      *objects = known;
      ++known->holders;
      return;
    }
    auto made = std::make_unique<thalweg_objects>(communicator);
    must(PMPI_Comm_set_attr(communicator, attribute(), made.get()), "MPI_Comm_set_attr");
    made->communicator = communicator;
    *objects = made.release();
  });
}

thalweg_status thalweg_objects_close(thalweg_objects** objects) {
  return guarded(caller("array", objects == nullptr ? nullptr : *objects), [&] {
    must_be_given(objects, "objects");
    if (*objects == nullptr)
      return;
    thalweg::job::mpi_must_run();
    (*objects)->scheduler.must_not_run("a message ends an array");
    if (--(*objects)->holders == 0) {
      if ((*objects)->communicator != MPI_COMM_NULL)
        must(PMPI_Comm_delete_attr((*objects)->communicator, attribute()), "MPI_Comm_delete_attr");
      delete *objects;
    }
    *objects = nullptr;
  });
}

thalweg_objects_view* thalweg_objects_view_of(thalweg_objects* objects) {
  return objects == nullptr ? nullptr : &objects->scheduler.view();
}

thalweg_status thalweg_objects_add(thalweg_objects* objects, const thalweg_objects_array* array,
                                   uint64_t signature, uint16_t* number) {
  return with_scheduler("array", objects, [&](thalweg_objects& open) {
    must_be_given(array, "array");
    must_be_given(number, "number");
    *number = open.scheduler.add(whole(*array), signature);
  });
}

thalweg_status thalweg_objects_remove(thalweg_objects* objects, uint16_t number) {
  return with_scheduler("array", objects, [&](thalweg_objects& open) { open.scheduler.remove(number); });
}

thalweg_status thalweg_objects_refill(thalweg_objects* objects, int queue, size_t bytes) {
  return with_scheduler(
      "call", objects, [&](thalweg_objects& open) { open.scheduler.queues().numbered(queue).refill(bytes); });
}

thalweg_status thalweg_objects_place(thalweg_objects* objects, uint32_t rank, size_t bytes, char** place) {
  return with_scheduler(
      "call", objects, [&](thalweg_objects& open) { *place = open.scheduler.messages().place(rank, bytes); });
}

thalweg_status thalweg_objects_begin_large(thalweg_objects* objects, size_t bytes, char** place) {
  return with_scheduler(
      "call", objects, [&](thalweg_objects& open) { *place = open.scheduler.messages().begin_large(bytes); });
}

thalweg_status thalweg_objects_send_large(thalweg_objects* objects, uint32_t rank) {
  return with_scheduler("call", objects,
                        [&](thalweg_objects& open) { open.scheduler.messages().send_large(rank); });
}

void thalweg_objects_fail(thalweg_objects* objects, const char* why) {
  (void)with_scheduler("fail", objects, [&](thalweg_objects& open) { open.scheduler.fail(why); });
}

thalweg_status thalweg_objects_flush(thalweg_objects* objects) {
  return with_scheduler("flush", objects, [](thalweg_objects& open) { open.scheduler.flush(); });
}

thalweg_status thalweg_objects_progress(thalweg_objects* objects) {
  return with_scheduler("progress", objects, [](thalweg_objects& open) { open.scheduler.progress(); });
}

thalweg_status thalweg_objects_finish(thalweg_objects* objects) {
  return with_scheduler("finish", objects, [](thalweg_objects& open) {
    open.scheduler.finish();
    open.associations.drop_ended();
  });
}

thalweg_status thalweg_objects_fence(thalweg_objects* objects, const thalweg_fence_options* options,
                                     thalweg_fence_outcome* outcome) {
  return with_scheduler("fence", objects, [&](thalweg_objects& open) {
    const thalweg_fence_options terms = sized(options);
    thalweg::boundary::must_take_result(outcome);
    open.scheduler.finish();
    open.associations.drop_ended();
    open.notes.begin_fence();
    open.associations.switch_strategies();
    const thalweg_fence_outcome done = open.migration.fence(terms);
    open.associations.begin_period(done.was_worth != 0);
    thalweg::boundary::give_result(done, outcome);
  });
}

thalweg_status thalweg_objects_associate(thalweg_objects* objects, uint16_t array, const char* strategy,
                                         uint32_t unused, uint32_t* bit, uint16_t* number) {
  return with_scheduler("association", objects, [&](thalweg_objects& open) {
    must_be_given(strategy, "strategy");
    must_be_given(bit, "bit");
    must_be_given(number, "number");
    *number = open.associations.add(array, strategy, unused, *bit);
  });
}

thalweg_status thalweg_objects_dissociate(thalweg_objects* objects, uint16_t number) {
  return with_scheduler("association", objects,
                        [&](thalweg_objects& open) { open.associations.remove(number); });
}

thalweg_status thalweg_objects_deposit(thalweg_objects* objects, uint16_t association, uint32_t element,
                                       uint32_t rank, size_t bytes, char** place) {
  return with_scheduler("call", objects, [&](thalweg_objects& open) {
    *place = open.associations.bracket(association).deposit(element, static_cast<thalweg::Rank>(rank), bytes);
  });
}

thalweg_status thalweg_objects_deposit_multicast(thalweg_objects* objects, uint16_t association,
                                                 uint32_t element, const thalweg_multicast_part* parts,
                                                 size_t count, size_t bytes, char** place) {
  return with_scheduler("call", objects, [&](thalweg_objects& open) {
    std::vector<thalweg::objects::MulticastPart> to;
    for (const thalweg_multicast_part& one : std::span(parts, count))
      to.push_back({static_cast<thalweg::Rank>(one.rank), {static_cast<const char*>(one.prefix), one.bytes}});
    *place = open.associations.bracket(association).deposit(element, to, bytes);
  });
}

thalweg_status thalweg_objects_end_bracket(thalweg_objects* objects, uint16_t association, uint32_t element) {
  return with_scheduler("end", objects,
                        [&](thalweg_objects& open) { open.associations.bracket(association).end(element); });
}

void* thalweg_objects_keep(thalweg_objects* objects) {
  return objects == nullptr ? nullptr : objects->scheduler.keep();
}

void thalweg_objects_free_kept(void* memory) {
  thalweg::objects::FreeMessage()(static_cast<char*>(memory));
}

void thalweg_objects_sample(thalweg_objects* objects, uint16_t array, uint32_t element, size_t bytes) {
  (void)with_scheduler("call", objects,
                       [&](thalweg_objects& open) { open.scheduler.sample().add(array, element, bytes); });
}

const char* thalweg_objects_explain(thalweg_objects* objects) {
  const char* text = "";
  (void)with_scheduler("explain", objects, [&](thalweg_objects& open) {
    open.explanation = open.notes.text();
    text = open.explanation.c_str();
  });
  return text;
}

thalweg_status thalweg_objects_checkpoint(MPI_Comm communicator, const char* folder) {
  return with_folder("checkpoint", communicator, folder,
                     [&](thalweg_objects& open) { open.checkpoint.write(folder); });
}

thalweg_status thalweg_objects_restore(MPI_Comm communicator, const char* folder) {
  return with_folder("restore", communicator, folder,
                     [&](thalweg_objects& open) { open.checkpoint.restore(folder); });
}

} // extern "C"
