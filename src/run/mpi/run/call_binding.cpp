// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/call_binding.hpp"

#include "base/assertion.hpp"
#include "mpi/call/datatypes.hpp"
#include "mpi/call/gpu_memory.hpp"
#include "mpi/call/sides.hpp"
#include "mpi/run/neighbors.hpp"

#include <algorithm>
#include <climits>

namespace thalweg::mpi {

TypeShape shape_of(MPI_Datatype type) {
  TypeShape shape;
  MPI_Count size = 0;
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  native.Type_size_x(type, &size);
  native.Type_get_extent(type, &low, &extent);
  int integers = 0;
  int addresses = 0;
  int datatypes = 0;
  int combiner = MPI_COMBINER_NAMED;
  native.Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner);
  shape.size = size;
  shape.extent = extent;
  shape.named = combiner == MPI_COMBINER_NAMED;
  // A derived type may be in any order inside even where it has no gaps, so only predefined ones are taken as
  // they lie.
  shape.contiguous = shape.named && low == 0 && size == extent;
  return shape;
}

void BufferBinding::measure(MPI_Datatype type, Purpose purpose) {
  const TypeShape shape = shape_of(type);
  purpose_ = purpose;
  extent_ = shape.extent;
  types_ = {type};
  if (purpose == Purpose::reduction) {
    element_bytes_ = shape.extent; // whole elements, with the padding that pair types have
    staged_ = !shape.named;
  } else {
    staged_ = !shape.contiguous;
  }
}

BufferBinding BufferBinding::uniform(void* address, int units, std::int64_t count, MPI_Datatype type,
                                     Purpose purpose) {
  THALWEG_ASSERT(light, units >= 0 && count >= 0);
  BufferBinding binding;
  binding.address_ = static_cast<std::byte*>(address);
  binding.units_ = units;
  binding.unit_count_ = count;
  binding.measure(type, purpose);
  binding.unit_elements_ = purpose == Purpose::reduction ? count : count * shape_of(type).size;
  return binding;
}

BufferBinding BufferBinding::varied(void* address, int units, const IntegerArray& counts,
                                    const IntegerArray& displacements, MPI_Datatype type) {
  THALWEG_ASSERT(light, units == 0 || (units > 0 && counts && displacements));
  BufferBinding binding;
  binding.address_ = static_cast<std::byte*>(address);
  binding.units_ = units;
  binding.measure(type, Purpose::data);
  const std::int64_t size = shape_of(type).size;
  for (int u = 0; u < units; ++u) {
    const auto index = static_cast<std::size_t>(u);
    binding.user_counts_.push_back(counts[index]);
    binding.counts_.push_back(counts[index] * size);
    binding.offsets_.push_back(displacements[index] * binding.extent_);
  }
  return binding;
}

BufferBinding BufferBinding::mixed(void* address, int units, const IntegerArray& counts,
                                   const IntegerArray& displacements, const MPI_Datatype* types) {
  THALWEG_ASSERT(light, units == 0 || (units > 0 && counts && displacements && types != nullptr));
  BufferBinding binding;
  binding.address_ = static_cast<std::byte*>(address);
  binding.units_ = units;
  binding.types_.assign(types, types + units);
  for (int u = 0; u < units; ++u) {
    const auto index = static_cast<std::size_t>(u);
    const std::int64_t count = counts[index];
    // MPI leaves the type of an empty unit open; some programs give MPI_DATATYPE_NULL there.
    const TypeShape shape = count > 0 ? shape_of(types[u]) : TypeShape{0, 0, true, true};
    binding.staged_ |= !shape.contiguous;
    binding.user_counts_.push_back(count);
    binding.counts_.push_back(count * shape.size);
    binding.offsets_.push_back(displacements[index]);
  }
  return binding;
}

BufferBinding BufferBinding::row(void* address, int units, const IntegerArray& counts, MPI_Datatype type) {
  THALWEG_ASSERT(light, units > 0 && counts);
  BufferBinding binding;
  binding.address_ = static_cast<std::byte*>(address);
  binding.units_ = units;
  binding.measure(type, Purpose::reduction);
  std::int64_t offset = 0;
  for (int u = 0; u < units; ++u) {
    const std::int64_t count = counts[static_cast<std::size_t>(u)];
    binding.user_counts_.push_back(count);
    binding.counts_.push_back(count);
    binding.offsets_.push_back(offset);
    offset += count * binding.extent_;
  }
  return binding;
}

engine::Layout BufferBinding::layout(int pieces) const {
  THALWEG_ASSERT(light, pieces > 0 && counts_.size() == offsets_.size());
  if (is_uniform())
    return engine::Layout::uniform(unit_elements_, pieces, element_bytes_);
  if (staged_)
    return engine::Layout::packed(counts_, pieces, element_bytes_);
  return engine::Layout::separate(offsets_, counts_, pieces, element_bytes_);
}

std::int64_t BufferBinding::staging_bytes() const {
  if (is_uniform())
    return units_ * unit_elements_ * element_bytes_;
  std::int64_t total = 0;
  for (const std::int64_t count : counts_)
    total += count * element_bytes_;
  return total;
}

BufferBinding::Unit BufferBinding::unit(int u) const {
  THALWEG_ASSERT(normal, u >= 0 && u < units_);
  const auto index = static_cast<std::size_t>(u);
  if (is_uniform())
    return {u * unit_count_ * extent_, unit_count_, types_[0]};
  return {offsets_[index], user_counts_[index], types_[types_.size() == 1 ? 0 : index]};
}

int BufferBinding::stage_in(std::byte* staging) const {
  return move(staging, true);
}
int BufferBinding::stage_out(std::byte* staging) const {
  return move(staging, false);
}

int BufferBinding::move(std::byte* staging, bool in) const {
  THALWEG_ASSERT(light, staged_ && (staging != nullptr || units_ == 0 || staging_bytes() == 0));
  [[maybe_unused]] const std::byte* const begin = staging;
  for (int u = 0; u < units_; ++u) {
    const Unit part = unit(u);
    if (part.count == 0)
      continue;
    std::byte* user = address_ + part.offset;
    int code = MPI_SUCCESS;
    std::int64_t bytes = 0;
    if (purpose_ == Purpose::reduction) {
      code = in ? copy_elements(user, staging, part.count, part.type)
                : copy_elements(staging, user, part.count, part.type);
      bytes = part.count * extent_;
    } else {
      bytes = is_uniform() ? unit_elements_ : counts_[static_cast<std::size_t>(u)];
      code = in ? pack(user, part.count, part.type, staging) : unpack(staging, user, part.count, part.type);
    }
    if (code != MPI_SUCCESS)
      return code;
    staging += bytes;
  }
  THALWEG_ASSERT(heavy, staging - begin == staging_bytes());
  return MPI_SUCCESS;
}

void BufferBinding::retain_types() {
  if (staged_)
    keep_types();
}

void BufferBinding::keep_types() {
  if (!retained_.empty())
    return;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    const bool used = types_.size() == 1 || user_counts_[i] != 0;
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    // Predefined types stay; not every library can duplicate them.
    if (used && !shape_of(types_[i]).named && native.Type_dup(types_[i], &copy) == MPI_SUCCESS) {
      types_[i] = copy;
      retained_.push_back(copy);
    }
  }
}

void BufferBinding::release_types() {
  for (MPI_Datatype& type : retained_)
    native.Type_free(&type);
  retained_.clear();
}

BufferBinding BufferBinding::borrowing() const {
  BufferBinding other = *this;
  other.retained_.clear();
  return other;
}

namespace {

using Purpose = BufferBinding::Purpose;
using Sizes = SideShape::Sizes;

BufferBinding binding_of(const Side& side, const SideShape& shape, Purpose purpose) {
  // What a rank gives is not written, though the engine takes plain pointers.
  auto* const begin = static_cast<std::byte*>(const_cast<void*>(side.buffer));
  const bool is_one_block = shape.blocks == SideShape::Blocks::one;
  if (is_one_block || shape.sizes == Sizes::count) {
    std::byte* const address = side.place == 0 ? begin : begin + side.place * shape_of(side.type).extent;
    return BufferBinding::uniform(address, side.blocks, is_one_block ? side.count_of(0) : side.count,
                                  side.type, purpose);
  }
  switch (shape.sizes) {
  case Sizes::counts_in_a_row:
    return BufferBinding::row(begin, side.blocks, side.counts, side.type);
  case Sizes::counts_and_types:
    return BufferBinding::mixed(begin, side.blocks, side.counts, side.displacements, side.types);
  default:
    return BufferBinding::varied(begin, side.blocks, side.counts, side.displacements, side.type);
  }
}

bool has_equal_counts(const Side& side) {
  for (int block = 1; block < side.blocks; ++block)
    if (side.count_of(block) != side.count_of(0))
      return false;
  return true;
}

// Rows whose counts are all equal, as every rank sees, are as good as one count.
void make_uniform(Side& side, SideShape& shape) {
  side.count = side.count_of(0);
  side.counts = {};
  shape.sizes = Sizes::count;
}

} // namespace

CallBinding bind_call(const CollectiveCall& call, CommunicatorState& communicator) {
  THALWEG_ASSERT(light, communicator.agreed && !communicator.inter);
  const Operation operation = call.function->operation;
  OperationShape shape = operation_shape(operation);
  Sides sides = sides_of(call, communicator);
  CallBinding bound;
  bound.problem.operation = shape.schedule;
  bound.problem.ranks = communicator.size;
  bound.problem.root = is_rooted(shape) ? call.root : 0;
  bound.in_place = is_in_place(call) || call.recvbuf == MPI_IN_PLACE;
  bound.may_wait = call.function->mode != Mode::nonblocking; // to make a persistent one does not return alone
  if (is_reduction(operation))
    bound.type = call.recvtype;
  if (is_among_neighbors(operation))
    bound.problem.neighborhoods = neighborhoods(communicator);
  if (shape.gives.sizes == Sizes::counts_in_a_row && has_equal_counts(sides.gives)) {
    make_uniform(sides.gives, shape.gives);
    make_uniform(sides.takes, shape.takes);
  }
  const Purpose purpose = is_reduction(operation) ? Purpose::reduction : Purpose::data;
  // The engine's broadcasts leave the root's data in the buffer that is the others' output.
  if (shape.schedule == schedule::Operation::broadcast) {
    bound.output = binding_of(sides.of_blocks(), shape.takes, purpose);
  } else {
    if (sides.gives.is_significant)
      bound.input = binding_of(sides.gives, shape.gives, purpose);
    if (sides.takes.is_significant)
      bound.output = binding_of(sides.takes, shape.takes, purpose);
  }
  bound.unequal = shape.gives.has_arrays() || shape.takes.has_arrays();
  if (bound.unequal && shape.are_sizes_agreed)
    bound.canonical_units = (sides.is_taken_by_rank ? bound.output : bound.input).counts();
  if (!bound.unequal && !is_among_neighbors(operation)) {
    const BufferBinding& unit = shape.takes.ranks == SideShape::Ranks::root ? bound.input : bound.output;
    bound.problem.unit_bytes = unit.unit_elements() * unit.element_bytes();
  }
  THALWEG_ASSERT(light, bound.problem.root >= 0 && bound.problem.root < bound.problem.ranks);
  THALWEG_ASSERT(light, bound.canonical_units.empty() ||
                            bound.canonical_units.size() == static_cast<std::size_t>(bound.problem.ranks));
  for (BufferBinding* binding : {&bound.input, &bound.output})
    if (binding->units() > 0 && may_be_on_gpu(binding->address()))
      binding->stage_always(); // the library packs and unpacks what only it may touch
  return bound;
}

} // namespace thalweg::mpi
