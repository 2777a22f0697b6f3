// SPDX-License-Identifier: BSD-3-Clause

// The C interface of arrays of other languages' elements (thalweg/objects_foreign.h).

#include "base/error.hpp"
#include "boundary/guarded.hpp"
#include "boundary/sized.hpp"
#include "objects/mpi/foreign.hpp"
#include "objects/mpi/structures.hpp"

#include <memory>

using thalweg::boundary::guarded;
using thalweg::boundary::must_be_given;
using namespace thalweg::objects;

namespace {

/// What every call of an array begins with.
template <typename Work>
thalweg_status with_array(std::string_view call, thalweg_foreign_array* array, Work&& work) {
  const thalweg::boundary::Caller caller{.call = call,
                                         .rank = array == nullptr ? -1 : array->array.rank(),
                                         .ranks = array == nullptr ? 0 : array->array.ranks()};
  return guarded(caller, [&] {
    must_be_given(array, "array");
    try {
      work(*array);
    } catch (const thalweg::error& inner) { // of the array
      throw thalweg::Error(inner.what(), "", inner.status());
    }
  });
}

void must_be_element(const thalweg_foreign_array& array, std::uint32_t element) {
  if (element >= array.array.size())
    throw thalweg::Error("no element " + std::to_string(element),
                         "the array has " + std::to_string(array.array.size()));
}

const thalweg::detail::entry& call_record() {
  return thalweg::detail::call_entry<ForeignElement, &ForeignElement::run>::record();
}

std::map<std::uint32_t, std::vector<std::uint32_t>> by_rank(const thalweg_foreign_array& array,
                                                            std::span<const std::uint32_t> elements) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> found;
  for (const std::uint32_t element : elements) {
    must_be_element(array, element);
    found[array.array.rank_of(element)].push_back(element);
  }
  return found;
}

struct SectionKind {
  using traveling = TravelingSection;
  static const thalweg::detail::entry& record() {
    return thalweg::detail::section_entry<ForeignElement, &ForeignElement::run>::record();
  }
};
struct MulticastKind {
  using traveling = TravelingPieces;
  static const thalweg::detail::entry& record() {
    return thalweg::detail::multicast_entry<ForeignElement, &ForeignElement::run>::record();
  }
};

/// Throws Error for a function that is not there: all of them are called.
thalweg_foreign_functions whole(const thalweg_foreign_functions& given) {
  const thalweg_foreign_functions all = thalweg::boundary::sized(given);
  const auto need = [](auto function, std::string_view name) {
    must_be_given(reinterpret_cast<const void*>(function), name);
  };
  need(all.make, "functions->make");
  need(all.run, "functions->run");
  need(all.pack, "functions->pack");
  need(all.enter, "functions->enter");
  need(all.leave, "functions->leave");
  need(all.combine, "functions->combine");
  need(all.reduced, "functions->reduced");
  need(all.begin_anew, "functions->begin_anew");
  return all;
}

ForeignAssociation& association_of(thalweg_foreign_array& array, std::uint32_t number) {
  if (number >= array.associations.size() || array.associations[number] == nullptr)
    throw thalweg::Error("no association " + std::to_string(number) + ", or it has ended",
                         std::to_string(array.associations.size()) + " were made of the array");
  return *array.associations[number];
}

} // namespace

extern "C" {

THALWEG_API thalweg_status(thalweg_foreign_create)();
// What programs call that were compiled when headers did not tell their version.
thalweg_status(thalweg_foreign_create)() {
  return guarded({.call = "array"}, thalweg::boundary::refuse_first_version);
}

thalweg_status thalweg_foreign_create_for(int header_version, MPI_Comm communicator, const int64_t* shape,
                                          int dimensions, const char* type, uint64_t signature,
                                          const thalweg_foreign_functions* functions,
                                          thalweg_foreign_array** array) {
  return guarded({.call = "array"}, [&] {
    thalweg::boundary::must_fit(header_version);
    must_be_given(shape, "shape");
    must_be_given(type, "type");
    must_be_given(functions, "functions");
    must_be_given(array, "array");
    try {
      auto made = std::make_unique<thalweg_foreign_array>(
          communicator, std::vector<std::int64_t>(shape, shape + dimensions), type, signature,
          whole(*functions));
      made->array.finish(); // throws on all ranks where an element could not be made on one
      *array = made.release();
    } catch (const thalweg::error& inner) {
      throw thalweg::Error(inner.what(), "", inner.status());
    }
  });
}

thalweg_status thalweg_foreign_free(thalweg_foreign_array** array) {
  return guarded({.call = "array"}, [&] {
    must_be_given(array, "array");
    delete *array;
    *array = nullptr;
  });
}

thalweg_objects* thalweg_foreign_objects(thalweg_foreign_array* array) {
  return array == nullptr ? nullptr : array->array.objects();
}

thalweg_status thalweg_foreign_call(thalweg_foreign_array* array, uint32_t element, uint16_t flags,
                                    const thalweg_piece* pieces, size_t count) {
  return with_array("call", array, [&](thalweg_foreign_array& open) {
    must_be_element(open, element);
    open.array.send<TravelingPieces>(element, call_record(), flags, Pieces{{pieces, count}});
  });
}

thalweg_status thalweg_foreign_broadcast(thalweg_foreign_array* array, const thalweg_piece* pieces,
                                         size_t count) {
  return with_array("broadcast", array, [&](thalweg_foreign_array& open) {
    for (int rank = 0; rank < open.array.ranks(); ++rank)
      open.array.send_to<TravelingPieces>(static_cast<std::uint32_t>(rank), THALWEG_OBJECTS_ALL,
                                          call_record(), 0, Pieces{{pieces, count}});
  });
}

thalweg_status thalweg_foreign_section(thalweg_foreign_array* array, const uint32_t* elements,
                                       size_t element_count, const thalweg_piece* pieces, size_t count) {
  return with_array("section", array, [&](thalweg_foreign_array& open) {
    for (const auto& [rank, numbers] : by_rank(open, {elements, element_count}))
      open.array.send_to<TravelingSection>(rank, THALWEG_OBJECTS_NOBODY, SectionKind::record(), 0, numbers,
                                           Pieces{{pieces, count}});
  });
}

thalweg_status thalweg_foreign_associate(thalweg_foreign_array* array, const char* strategy,
                                         uint32_t* association) {
  return with_array("association", array, [&](thalweg_foreign_array& open) {
    must_be_given(strategy, "strategy");
    must_be_given(association, "association");
    open.associations.push_back(std::make_unique<ForeignAssociation>(open.array, strategy));
    *association = static_cast<std::uint32_t>(open.associations.size() - 1);
  });
}

thalweg_status thalweg_foreign_dissociate(thalweg_foreign_array* array, uint32_t association) {
  return with_array("association", array, [&](thalweg_foreign_array& open) {
    association_of(open, association);
    open.associations[association].reset();
  });
}

thalweg_status thalweg_foreign_begin(thalweg_foreign_array* array, uint32_t association) {
  return with_array("begin", array,
                    [&](thalweg_foreign_array& open) { association_of(open, association).begin(); });
}

thalweg_status thalweg_foreign_end(thalweg_foreign_array* array, uint32_t association) {
  return with_array("end", array,
                    [&](thalweg_foreign_array& open) { association_of(open, association).end(); });
}

thalweg_status thalweg_foreign_call_in(thalweg_foreign_array* array, uint32_t association,
                                       thalweg_foreign_array* to, uint32_t element,
                                       const thalweg_piece* pieces, size_t count) {
  return with_array("call", array, [&](thalweg_foreign_array& open) {
    must_be_given(to, "to");
    must_be_element(*to, element);
    association_of(open, association)
        .send<TravelingPieces>(to->array, to->array.rank_of(element), element, call_record(),
                               Pieces{{pieces, count}});
  });
}

thalweg_status thalweg_foreign_section_in(thalweg_foreign_array* array, uint32_t association,
                                          thalweg_foreign_array* to, const uint32_t* elements,
                                          size_t element_count, const thalweg_piece* pieces, size_t count) {
  return with_array("call", array, [&](thalweg_foreign_array& open) {
    must_be_given(to, "to");
    association_of(open, association)
        .send_some<MulticastKind, SectionKind>(to->array, by_rank(*to, {elements, element_count}),
                                               Pieces{{pieces, count}});
  });
}

thalweg_status thalweg_foreign_send(thalweg_foreign_array* array, uint32_t rank, const thalweg_piece* pieces,
                                    size_t count) {
  return with_array("send", array, [&](thalweg_foreign_array& open) {
    if (rank >= static_cast<std::uint32_t>(open.array.ranks()))
      throw thalweg::Error("no rank " + std::to_string(rank),
                           "the array has " + std::to_string(open.array.ranks()));
    open.array.send_to<TravelingPieces>(rank, THALWEG_OBJECTS_NOBODY,
                                        thalweg::detail::registered<ForeignElement, ForeignMessage>::record,
                                        0, Pieces{{pieces, count}});
  });
}

thalweg_status thalweg_foreign_migrate(thalweg_foreign_array* array, uint32_t element, int rank) {
  return with_array("migrate", array,
                    [&](thalweg_foreign_array& open) { open.array[{element}].migrate(rank); });
}

int thalweg_foreign_rank_of(thalweg_foreign_array* array, uint32_t element) {
  return array == nullptr ? -1 : static_cast<int>(array->array.rank_of(element));
}

thalweg_status thalweg_foreign_contribute(thalweg_foreign_array* array, const void* value, size_t bytes) {
  return with_array("reduce", array, [&](thalweg_foreign_array& open) {
    const auto* const first = static_cast<const std::byte*>(value);
    open.array.contribute<&ForeignElement::has_reduced>(ForeignCombination(open.array),
                                                        std::vector<std::byte>(first, first + bytes));
  });
}

thalweg_status thalweg_foreign_hold(thalweg_foreign_array* array, uint32_t element) {
  return with_array("hold", array,
                    [&](thalweg_foreign_array& open) { open.array.hold(*open.array.find(element)); });
}

thalweg_status thalweg_foreign_release(thalweg_foreign_array* array, uint32_t element) {
  return with_array("release", array,
                    [&](thalweg_foreign_array& open) { open.array.release_hold(*open.array.find(element)); });
}

void thalweg_foreign_give(const void* from, size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(from);
  foreign_result().given.assign(first, first + bytes);
}

void thalweg_foreign_fail(const char* why) {
  foreign_result().failure = why;
}

void* thalweg_foreign_keep(thalweg_foreign_array* array) {
  return thalweg_objects_keep(array->array.objects());
}

void thalweg_foreign_free_kept(void* memory) {
  thalweg_objects_free_kept(memory);
}

} // extern "C"
