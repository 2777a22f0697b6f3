// SPDX-License-Identifier: BSD-3-Clause
#include "objects/mpi/foreign.hpp"

#include <map>
#include <stdexcept>
#include <utility>

namespace thalweg::objects {

namespace {

std::map<const detail::array_base*, thalweg_foreign_array*>& owners() {
  static std::map<const detail::array_base*, thalweg_foreign_array*> all;
  return all;
}

} // namespace

ForeignResult& foreign_result() {
  static thread_local ForeignResult result;
  return result;
}

void ForeignResult::must(int failed) const {
  if (failed != 0)
    throw std::runtime_error(failure);
}

ForeignElement::ForeignElement() : owner_(&thalweg_foreign_array::of(array())) {
  if (owner_->functions.make(owner_->functions.context, number()) != 0)
    thalweg_objects_fail(thalweg_foreign_objects(owner_), foreign_result().failure.c_str());
}

ForeignElement::ForeignElement(byte_reader& from) : owner_(&thalweg_foreign_array::of(array())) {
  std::vector<char> bytes(from.left());
  from.read(bytes.data(), bytes.size());
  foreign_result().must(
      owner_->functions.enter(owner_->functions.context, number(), bytes.data(), bytes.size()));
}

ForeignElement::~ForeignElement() {
  owner_->functions.leave(owner_->functions.context, number());
}

// What fails here is named by the caller, who knows the call.
void ForeignElement::run(std::span<const Block> arguments) {
  if (owner_->functions.run(owner_->functions.context, number(), static_cast<std::uint32_t>(array().rank()),
                            arguments.data(), arguments.size_bytes()) != 0)
    thalweg_objects_fail(thalweg_foreign_objects(owner_), foreign_result().failure.c_str());
}

void ForeignElement::has_reduced(const std::vector<std::byte>& value) {
  if (owner_->functions.reduced(owner_->functions.context, number(), value.data(), value.size()) != 0)
    thalweg_objects_fail(thalweg_foreign_objects(owner_), foreign_result().failure.c_str());
}

void ForeignElement::pack(byte_writer& to) const {
  foreign_result().must(owner_->functions.pack(owner_->functions.context, number()));
  to.write(foreign_result().given.data(), foreign_result().given.size());
}

void ForeignElement::describe(const detail::array_base& array, thalweg_objects_array& functions,
                              std::uint64_t& signature) {
  const thalweg_foreign_array& owner = thalweg_foreign_array::of(array);
  functions.type = owner.type.c_str();
  functions.shape = owner.shape.data();
  functions.dimensions = static_cast<int>(owner.shape.size());
  signature ^= owner.signature;
  functions.begin_anew = [](void* context) {
    auto& foreign = *static_cast<ForeignArray*>(context);
    const thalweg_foreign_functions& given = thalweg_foreign_array::of(foreign).functions;
    foreign.forget_moves();
    if (given.begin_anew(given.context) != 0)
      thalweg_objects_fail(foreign.objects(), foreign_result().failure.c_str());
    foreign.begin_anew();
  };
}

std::vector<std::byte> ForeignCombination::operator()(const std::vector<std::byte>& one,
                                                      const std::vector<std::byte>& other) const {
  thalweg_foreign_array& owner = thalweg_foreign_array::of(array_);
  foreign_result().must(
      owner.functions.combine(owner.functions.context, one.data(), one.size(), other.data(), other.size()));
  return foreign_result().given;
}

void ForeignMessage::run(detail::array_base& array, detail::element_record*, std::uint32_t source,
                         const char* base, std::size_t bytes) {
  const auto [arguments] = detail::arguments<std::span<const Block>>::read(base, bytes);
  thalweg_foreign_array& owner = thalweg_foreign_array::of(array);
  if (owner.functions.run(owner.functions.context, THALWEG_OBJECTS_NOBODY, source, arguments.data(),
                          arguments.size_bytes()) != 0)
    thalweg_objects_fail(thalweg_foreign_objects(&owner), foreign_result().failure.c_str());
}

std::size_t Pieces::blocks() const {
  std::size_t count = 0;
  for (const thalweg_piece& one : all)
    count += detail::align_up(one.bytes, sizeof(Block)) / sizeof(Block);
  return count;
}

void Pieces::write(char* at) const {
  for (const thalweg_piece& one : all) {
    if (one.bytes != 0)
      std::memcpy(at, one.from, one.bytes);
    at += detail::align_up(one.bytes, sizeof(Block));
  }
}

} // namespace thalweg::objects

using thalweg::objects::owners;

thalweg_foreign_array::Registration::Registration(thalweg_foreign_array& owner) : key(&owner.array) {
  owners()[key] = &owner;
}
thalweg_foreign_array::Registration::~Registration() {
  owners().erase(key);
}

thalweg_foreign_array::thalweg_foreign_array(MPI_Comm communicator, std::vector<std::int64_t> sides,
                                             std::string type_name, std::uint64_t signature_of,
                                             const thalweg_foreign_functions& functions_of)
    : functions(functions_of), shape(std::move(sides)), type(std::move(type_name)), signature(signature_of),
      registration(*this), array(communicator, {[&] {
                                   std::int64_t elements = 1;
                                   for (const std::int64_t side : shape)
                                     if (side <= 0 || __builtin_mul_overflow(elements, side, &elements))
                                       return std::int64_t{0}; // refused there
                                   return elements;
                                 }()}) {}

thalweg_foreign_array::~thalweg_foreign_array() = default;

thalweg_foreign_array& thalweg_foreign_array::of(const thalweg::detail::array_base& array) {
  return *owners().at(&array);
}
