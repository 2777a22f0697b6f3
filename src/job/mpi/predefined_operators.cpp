#include "job/mpi/predefined_operators.hpp"

#include <algorithm>

namespace thalweg::job {

namespace {

bool is_bitwise(engine::Arithmetic arithmetic) {
  return arithmetic >= engine::Arithmetic::bitwise_and;
}

} // namespace

engine::Reduction PredefinedOperators::reduction(MPI_Op op, MPI_Datatype type) const {
  const auto arithmetic = std::ranges::find(operators, op, &std::pair<MPI_Op, engine::Arithmetic>::first);
  if (arithmetic == operators.end())
    return nullptr;
  if (type == byte)
    return is_bitwise(arithmetic->second) ? engine::reduction(arithmetic->second, engine::Number::uint8)
                                          : nullptr;
  const auto number = std::ranges::find(types, type, &std::pair<MPI_Datatype, engine::Number>::first);
  return number == types.end() ? nullptr : engine::reduction(arithmetic->second, number->second);
}

} // namespace thalweg::job
