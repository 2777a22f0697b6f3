// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/buffer_binding.hpp"

#include <algorithm>
#include <climits>

#include "mpi/call/typed_copy.hpp"

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
  return MPI_SUCCESS;
}

void BufferBinding::retain_types() {
  if (!staged_ || !retained_.empty())
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

} // namespace thalweg::mpi
