// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Made from interfaces/ by `make interfaces`: how far a program's version may know a structure.

#include "boundary/sized.hpp"
#include "thalweg/objects.h"
#include "thalweg/objects_foreign.h"

#include <cstddef>

namespace thalweg::boundary {

template <>
struct Known<thalweg_objects_array> {
  static constexpr const char* name = "thalweg_objects_array";
  static constexpr const char* initializer = "THALWEG_OBJECTS_ARRAY_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_objects_array::context, offsetof(thalweg_objects_array, context)),
      end_of(&thalweg_objects_array::type, offsetof(thalweg_objects_array, type)),
      end_of(&thalweg_objects_array::shape, offsetof(thalweg_objects_array, shape)),
      end_of(&thalweg_objects_array::dimensions, offsetof(thalweg_objects_array, dimensions)),
      end_of(&thalweg_objects_array::run, offsetof(thalweg_objects_array, run)),
      end_of(&thalweg_objects_array::save, offsetof(thalweg_objects_array, save)),
      end_of(&thalweg_objects_array::begin_anew, offsetof(thalweg_objects_array, begin_anew)),
      end_of(&thalweg_objects_array::list, offsetof(thalweg_objects_array, list)),
      end_of(&thalweg_objects_array::pack, offsetof(thalweg_objects_array, pack)),
      end_of(&thalweg_objects_array::depart, offsetof(thalweg_objects_array, depart)),
      end_of(&thalweg_objects_array::leave, offsetof(thalweg_objects_array, leave)),
      end_of(&thalweg_objects_array::enter, offsetof(thalweg_objects_array, enter)),
      end_of(&thalweg_objects_array::count, offsetof(thalweg_objects_array, count)),
      end_of(&thalweg_objects_array::anchored, offsetof(thalweg_objects_array, anchored)),
      end_of(&thalweg_objects_array::numbers, offsetof(thalweg_objects_array, numbers)),
      end_of(&thalweg_objects_array::unsettled, offsetof(thalweg_objects_array, unsettled)),
      end_of(&thalweg_objects_array::clear, offsetof(thalweg_objects_array, clear)),
      end_of(&thalweg_objects_array::settle, offsetof(thalweg_objects_array, settle)),
      end_of(&thalweg_objects_array::fenced, offsetof(thalweg_objects_array, fenced))};
};

template <>
struct Known<thalweg_fence_options> {
  static constexpr const char* name = "thalweg_fence_options";
  static constexpr const char* initializer = "THALWEG_FENCE_OPTIONS_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_fence_options::threshold, offsetof(thalweg_fence_options, threshold)),
      end_of(&thalweg_fence_options::steps, offsetof(thalweg_fence_options, steps)),
      end_of(&thalweg_fence_options::hysteresis, offsetof(thalweg_fence_options, hysteresis)),
      end_of(&thalweg_fence_options::min_gain_seconds, offsetof(thalweg_fence_options, min_gain_seconds)),
      end_of(&thalweg_fence_options::scheme, offsetof(thalweg_fence_options, scheme))};
};

template <>
struct Known<thalweg_fence_outcome> {
  static constexpr const char* name = "thalweg_fence_outcome";
  static constexpr const char* initializer = "THALWEG_FENCE_OUTCOME_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_fence_outcome::left, offsetof(thalweg_fence_outcome, left)),
      end_of(&thalweg_fence_outcome::entered, offsetof(thalweg_fence_outcome, entered)),
      end_of(&thalweg_fence_outcome::was_worth, offsetof(thalweg_fence_outcome, was_worth)),
      end_of(&thalweg_fence_outcome::imbalance, offsetof(thalweg_fence_outcome, imbalance)),
      end_of(&thalweg_fence_outcome::gain_seconds, offsetof(thalweg_fence_outcome, gain_seconds)),
      end_of(&thalweg_fence_outcome::move_seconds, offsetof(thalweg_fence_outcome, move_seconds))};
};

template <>
struct Known<thalweg_foreign_functions> {
  static constexpr const char* name = "thalweg_foreign_functions";
  static constexpr const char* initializer = "THALWEG_FOREIGN_FUNCTIONS_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_foreign_functions::context, offsetof(thalweg_foreign_functions, context)),
      end_of(&thalweg_foreign_functions::make, offsetof(thalweg_foreign_functions, make)),
      end_of(&thalweg_foreign_functions::run, offsetof(thalweg_foreign_functions, run)),
      end_of(&thalweg_foreign_functions::pack, offsetof(thalweg_foreign_functions, pack)),
      end_of(&thalweg_foreign_functions::enter, offsetof(thalweg_foreign_functions, enter)),
      end_of(&thalweg_foreign_functions::leave, offsetof(thalweg_foreign_functions, leave)),
      end_of(&thalweg_foreign_functions::combine, offsetof(thalweg_foreign_functions, combine)),
      end_of(&thalweg_foreign_functions::reduced, offsetof(thalweg_foreign_functions, reduced)),
      end_of(&thalweg_foreign_functions::begin_anew, offsetof(thalweg_foreign_functions, begin_anew))};
};

} // namespace thalweg::boundary
