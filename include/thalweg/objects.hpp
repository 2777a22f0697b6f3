// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Objects: arrays of many more elements than ranks, which call each other's member functions, and move to
// ranks that have time. docs/objects.md tells how to use them. Failures throw thalweg::error.
//
//   struct Block : thalweg::element<Block, 3> {
//     void ghost(int side, std::span<const double> row);
//     thalweg::task run(int steps);
//   };
//   thalweg::array<Block> blocks(MPI_COMM_WORLD, {8, 8, 8});
//   if (blocks.rank() == 0)
//     blocks.broadcast<&Block::run>(100);
//   blocks.fence(); // everything has run; elements move if that pays
//
// and in a member function: array()[{x + 1, y, z}].call<&Block::ghost>(left, row);

#include "thalweg/objects_array_base.hpp"
#include "thalweg/objects_associations.hpp"
#include "thalweg/objects_calls.hpp"
#include "thalweg/objects_failures.hpp"
#include "thalweg/objects_moving.hpp"
#include "thalweg/objects_reductions.hpp"
#include "thalweg/objects_sections.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace thalweg {

/// A shape of so many elements whose sides differ little, the longest one first.
template <int dimensions>
coordinates<dimensions> shape_of(std::int64_t elements) {
  coordinates<dimensions> shape;
  shape.fill(1);
  std::vector<std::int64_t> factors;
  for (std::int64_t factor = 2; elements > 1; ++factor) {
    if (factor * factor > elements)
      factor = elements; // it is prime
    for (; elements % factor == 0; elements /= factor)
      factors.push_back(factor);
  }
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor)
    *std::ranges::min_element(shape) *= *factor;
  std::ranges::sort(shape, std::ranges::greater());
  return shape;
}

/// The base class of elements that know their index.
template <typename Self, int dimensions_of = 1>
class element {
public:
  static constexpr int dimensions = dimensions_of;
  using element_type = Self; ///< tells elements from items of streams
  /// The array that it is in.
  basic_array<Self, dimensions_of>& array() const { return *array_; }
  /// Its index in its array.
  const coordinates<dimensions_of>& at() const { return at_; }
  /// The element beside it: side 2 d is below it in dimension d, 2 d + 1 above. None at the array's border.
  std::optional<proxy<Self>> neighbor(int side) const {
    coordinates<dimensions_of> there = at_;
    std::int64_t& one = there[static_cast<std::size_t>(side) / 2];
    one += side % 2 == 0 ? -1 : 1;
    if (one < 0 || one >= array().shape()[static_cast<std::size_t>(side) / 2])
      return std::nullopt;
    return array()[there];
  }
  /// Goes to another rank, as proxy::migrate() says.
  void move_to(int rank) const { array()[at()].migrate(rank); }

protected:
  element()
      : array_(basic_array<Self, dimensions_of>::making_), at_(basic_array<Self, dimensions_of>::making_at_) {
  }

private:
  friend class basic_array<Self, dimensions_of>;
  basic_array<Self, dimensions_of>* array_;
  coordinates<dimensions_of> at_;
};

/// thalweg::array<Element>: elements of any shape of 1 to 4 dimensions, at first in equal parts on all ranks.
template <typename Element, int dimensions>
class basic_array final : public detail::reducing_array<Element> {
  static_assert(dimensions >= 1 && dimensions <= 4);
  using base = detail::reducing_array<Element>;
  using base::entries_;
  using base::failures_;
  using base::functions_;
  using base::number_;
  using base::objects_;
  using base::places_;

public:
  using shape_type = coordinates<dimensions>;

  /// Collective; arrays of a communicator are made and destroyed in the same order on all ranks. `make`:
  /// gives the element at an index. Elements are made from their index, or without arguments, where none is
  /// given.
  template <std::invocable<const shape_type&> Make>
  basic_array(MPI_Comm communicator, const shape_type& shape, Make&& make)
      : base(communicator, elements_of(shape)), shape_(shape) {
    entries_.all = &detail::entries_of<Element>();
    entries_.resume = &detail::registered<Element, detail::resume_kind>::record;
    entries_.moved = &detail::registered<Element, detail::moved_kind>::record;
    if constexpr (detail::may_move<Element>) {
      entries_.where = &detail::registered<Element, detail::where_kind>::record;
      entries_.arrive = &detail::registered<Element, detail::arrive_kind>::record;
    }
    std::uint64_t signature = detail::number_entries(detail::entries_of<Element>());
    for (const std::int64_t side : shape_)
      signature = signature * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(side);
    places_.each_home(
        [&](std::uint32_t number) { places_.insert(made(number, [&] { return make(index(number)); })); });
    places_.anchor();
    functions_ = c_functions();
    if constexpr (requires { Element::describe(*this, functions_, signature); })
      Element::describe(*this, functions_, signature);
    detail::check(thalweg_objects_add(objects_, &functions_, signature, &number_));
  }
  basic_array(MPI_Comm communicator, const shape_type& shape)
      : basic_array(communicator, shape, [](const shape_type& at) {
          if constexpr (std::constructible_from<Element, const shape_type&>)
            return Element(at);
          else
            return static_cast<void>(at), Element();
        }) {}

  /// Its sides.
  const shape_type& shape() const { return shape_; }
  /// The number of its elements, on all ranks.
  std::uint64_t size() const { return elements_of(shape_); }
  using base::rank;
  using base::ranks;

  /// Throws where there is no such element.
  proxy<Element> operator[](const shape_type& at) { return {*this, number(at)}; }

  /// Calls an entry method of all elements. To be made by one rank, or by one element.
  template <auto method, typename... Arguments>
  void broadcast(Arguments&&... given) {
    using traveling = typename detail::method_of<decltype(method)>::traveling;
    detail::converted<traveling>::call(
        [this](const auto&... values) {
          for (int step = 0; step < ranks(); ++step)
            this->template send_to<traveling>(static_cast<std::uint32_t>((rank() + step) % ranks()),
                                              THALWEG_OBJECTS_ALL,
                                              detail::call_entry<Element, method>::record(), 0, values...);
        },
        std::forward<Arguments>(given)...);
  }
  /// The elements at these indices, or those for which is_in(index).
  thalweg::section<Element> section(std::span<const shape_type> indices) {
    std::vector<std::uint32_t> numbers;
    for (const shape_type& at : indices)
      numbers.push_back(number(at));
    return {*this, std::move(numbers)};
  }
  template <std::predicate<const shape_type&> IsIn>
  thalweg::section<Element> section(IsIn&& is_in) {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t one = 0; one < size(); ++one)
      if (is_in(index(one)))
        numbers.push_back(one);
    return {*this, std::move(numbers)};
  }

  /// In a task: co_await array().reduce(thalweg::sum(), value). All elements do so, and all get the result.
  using base::reduce;
  /// In an entry method: nobody waits, and all elements run `method` with the result.
  using base::contribute;

  /// This rank's elements: use(element, index), in the main program.
  template <typename Use>
  void each(Use&& use) {
    places_.each_record(
        [&](detail::element_record& one) { use(detail::value_of<Element>(one), index(one.number)); });
  }
  /// The number of elements that are on this rank now.
  std::size_t local() const { return places_.count(); }

  /// Runs messages that have arrived for elements of this rank, of all arrays of the communicator.
  void progress() { detail::check(thalweg_objects_progress(objects_)); }
  /// Collective: until all messages of all arrays of the communicator have been run.
  void finish() { detail::check(thalweg_objects_finish(objects_)); }
  /// Collective: the same, and elements move to where there is time, if that pays.
  thalweg_fence_outcome fence(const thalweg_fence_options& options = {}) {
    thalweg_fence_outcome outcome{};
    detail::check(thalweg_objects_fence(objects_, &options, &outcome));
    return outcome;
  }

  /// The last fences' decisions and reasons.
  std::string explain() { return thalweg_objects_explain(objects_); }

private:
  friend class element<Element, dimensions>;
  static inline basic_array* making_ = nullptr; ///< whose element is being made, and at which index
  static inline shape_type making_at_{};

  static std::uint64_t elements_of(const shape_type& shape) {
    std::uint64_t count = 1;
    for (const std::int64_t side : shape) {
      if (side <= 0 || static_cast<std::uint64_t>(side) >= THALWEG_OBJECTS_ALL)
        throw error(thalweg_error_invalid_argument, "array", -1, "a side of " + std::to_string(side),
                    "give sides from 1");
      count = std::min<std::uint64_t>(count * static_cast<std::uint64_t>(side), THALWEG_OBJECTS_ALL);
    }
    return count;
  }
  std::uint32_t number(const shape_type& at) const {
    std::uint64_t number = 0;
    for (int d = 0; d < dimensions; ++d) {
      if (static_cast<std::uint64_t>(at[d]) >= static_cast<std::uint64_t>(shape_[d])) [[unlikely]]
        throw error(thalweg_error_invalid_argument, "[]", rank(), "no element " + text_of(at),
                    "the array's shape is " + text_of(shape_));
      number = number * static_cast<std::uint64_t>(shape_[d]) + static_cast<std::uint64_t>(at[d]);
    }
    return static_cast<std::uint32_t>(number);
  }
  shape_type index(std::uint32_t number) const {
    shape_type at{};
    for (int d = dimensions; d-- > 0; number /= static_cast<std::uint32_t>(shape_[d]))
      at[d] = number % static_cast<std::uint32_t>(shape_[d]);
    return at;
  }
  static std::string text_of(const shape_type& at) {
    std::string text;
    for (const std::int64_t one : at)
      text += (text.empty() ? "[" : ", ") + std::to_string(one);
    return text + "]";
  }

  template <typename Make>
  std::unique_ptr<detail::element_record> made(std::uint32_t number, Make&& make) {
    making_ = this;
    making_at_ = index(number);
    auto slot = std::make_unique<detail::element_slot<Element>>(number, make);
    if constexpr (std::derived_from<Element, element<Element, dimensions>>) {
      element<Element, dimensions>& known = slot->value; // whose own members may have the same names
      known.array_ = this;
      known.at_ = index(number);
    }
    return slot;
  }

  thalweg_objects_array c_functions() {
    thalweg_objects_array functions{};
    functions.context = this;
    functions.run = [](void* self, const thalweg_message* message) { of(self).run(*message); };
    functions.save = [](void* self, const thalweg_message* message) { of(self).save(*message); };
    functions.begin_anew = [](void* self) { of(self).begin_anew(); };
    functions.type = type_name().c_str();
    functions.shape = shape_.data();
    functions.dimensions = dimensions;
    functions.count = [](void* self) { return of(self).local(); };
    functions.anchored = [](void* self) { return of(self).places_.anchored(); };
    functions.unsettled = [](void* self) { return of(self).unsettled(); };
    if constexpr (detail::may_move<Element>) {
      using moving = detail::moving_element<Element>;
      functions.list = [](void* self, std::size_t room, std::uint32_t* elements, std::uint64_t* loads) {
        return of(self).list(room, elements, loads);
      };
      functions.pack = [](void* self, std::uint32_t number, void* to, std::size_t room) {
        return of(self).failures_.written(number,
                                          [&] { return moving::pack(*of(self).find(number), to, room); });
      };
      functions.numbers = [](void* self, std::uint32_t* numbers) {
        of(self).places_.each_record([&](const auto& one) { *numbers++ = one.number; });
      };
      functions.clear = [](void* self) { of(self).places_.clear(); };
      functions.settle = [](void* self, std::uint32_t, const void* from, std::size_t size) {
        of(self).settle(static_cast<const char*>(from), size);
      };
      functions.depart = [](void* self, std::uint32_t number, std::uint32_t to) {
        of(self).failures_.guarded("writing", number, [&] { of(self).depart(*of(self).find(number), to); });
      };
      functions.leave = [](void* self, std::uint32_t number) { of(self).places_.erase(number); };
      functions.enter = [](void* self, std::uint32_t number, const void* from, std::size_t size) {
        of(self).failures_.guarded("reading", number, [&] {
          const auto* const begin = static_cast<const char*>(from);
          byte_reader reader(begin + sizeof(detail::luggage_tag), size - sizeof(detail::luggage_tag));
          const detail::luggage_tag tag(begin);
          std::unique_ptr<detail::element_record> slot;
          try {
            slot = of(self).made(number, [&] { return moving::unpack(reader); });
          } catch (...) { // calls find that it was to be here, and go no further
            of(self).places_.hear(number, {static_cast<std::uint32_t>(of(self).rank()), tag.moves});
            throw;
          }
          tag.attach(*slot);
          of(self).has_entered(std::move(slot));
        });
      };
      functions.fenced = [](void* self, const std::uint64_t* counts) {
        of(self).fenced({counts, static_cast<std::size_t>(of(self).ranks())});
      };
    }
    return functions;
  }
  static const std::string& type_name() {
    static const std::string name = detail::type_name<Element>();
    return name;
  }
  static basic_array& of(void* self) { return *static_cast<basic_array*>(self); }

  shape_type shape_;
};

/// Collective: all messages are run, and the elements of all arrays of the communicator are written to a
/// folder. The folder's earlier contents stay whole until this is written.
inline void checkpoint(MPI_Comm communicator, const std::string& folder) {
  detail::check(thalweg_objects_checkpoint(communicator, folder.c_str()));
}
/// Collective: elements get the written state, on this number of ranks or another.
inline void restore(MPI_Comm communicator, const std::string& folder) {
  detail::check(thalweg_objects_restore(communicator, folder.c_str()));
}

template <typename Element, int dimensions = detail::dimensions_of<Element>>
using array = basic_array<Element, dimensions>;

} // namespace thalweg
