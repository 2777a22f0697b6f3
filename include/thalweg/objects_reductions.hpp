// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Values of all elements of an array, combined into one. Programs include thalweg/objects.hpp.
//
// An operation combines two values into one. An optional finish() turns the last one into the result for all.
//
// The k-th reduction of an element meets the k-th one of every other. A rank combines its elements' values,
// and ranks with elements combine along a tree, in the order in which values come. An element that has moved
// since the last fence counts where it was then: its value is sent there, and the result comes from there.

#include "thalweg/objects_array_base.hpp"
#include "thalweg/objects_calls.hpp"

#include <algorithm>
#include <optional>

namespace thalweg {

/// The combination of two values by a reduction.
struct sum {
  /// One value plus the other.
  template <typename T>
  T operator()(const T& one, const T& other) const {
    return static_cast<T>(one + other);
  }
};
/// The smaller of two values.
struct minimum {
  /// The smaller one.
  template <typename T>
  T operator()(const T& one, const T& other) const {
    return std::min(one, other);
  }
};
/// The larger of two values.
struct maximum {
  /// The larger one.
  template <typename T>
  T operator()(const T& one, const T& other) const {
    return std::max(one, other);
  }
};

namespace detail {

/// Operations are made where they are needed; one may be made from the array.
template <typename Operation>
Operation made_for([[maybe_unused]] const array_base& array) {
  if constexpr (std::constructible_from<Operation, const array_base&>)
    return Operation(array);
  else
    return Operation();
}

/// The result for all: finish() of the operation, once on one rank, or else the value.
template <typename Operation, typename T>
auto finished([[maybe_unused]] const array_base& array, T value) {
  if constexpr (requires(const Operation& one) { one.finish(std::move(value)); })
    return made_for<Operation>(array).finish(std::move(value));
  else
    return value;
}
template <typename Operation, typename T>
using result_of = decltype(finished<Operation, T>(std::declval<const array_base&>(), std::declval<T>()));

/// A rank's record of a reduction under way.
template <typename Operation, typename T>
struct reduction final : any_reduction {
  struct waiting {
    task::handle who;
    std::optional<result_of<Operation, T>>* result;
  };
  reduction() : any_reduction(typeid(reduction)) {}
  void add(const array_base& array, T&& one) {
    if (value)
      value = made_for<Operation>(array)(std::move(*value), std::as_const(one));
    else
      value = std::move(one);
  }

  struct far_waiting {
    std::uint32_t rank;
    waiting waiter;
  };

  std::optional<T> value;
  std::size_t elements = 0; ///< anchored on this rank, that have given their values
  std::size_t below = 0;    ///< ranks
  std::vector<waiting> waiters;
  std::vector<far_waiting> far_waiters;
  const entry* then = nullptr; ///< that all elements run with the result
};

/// An array's part in reductions.
template <typename Element>
class reducing_array : public array_base {
public:
  template <typename Operation, typename T>
  auto reduce(Operation, T value) {
    using given = result_of<Operation, T>;
    struct reducing {
      reducing_array& array;
      T value;
      std::optional<given> result;
      bool await_ready() const { return false; }
      void await_suspend(task::handle who) {
        array.template give<Operation, T>(std::move(value), {who, &result}, nullptr);
      }
      given await_resume() { return std::move(*result); }
    };
    return reducing{*this, std::move(value), std::nullopt};
  }
  template <auto method, typename Operation, typename T>
  void contribute(Operation, T value) {
    using traveling = typename method_of<decltype(method)>::traveling;
    static_assert(std::is_same_v<traveling, arguments<result_of<Operation, T>>>,
                  "the method takes what is combined, or what finish() makes of it");
    give<Operation, T>(std::move(value), {}, &call_entry<Element, method>::record());
  }

protected:
  using array_base::array_base;

private:
  template <typename Operation, typename T>
  using waiting = typename reduction<Operation, T>::waiting;

  template <typename Operation, typename T>
  reduction<Operation, T>& reduction_of(std::uint32_t number) {
    static_assert(std::is_empty_v<Operation> || std::constructible_from<Operation, const array_base&>,
                  "an operation without data: each rank makes its own");
    std::unique_ptr<any_reduction>& known = reductions_[number];
    if (!known)
      known = std::make_unique<reduction<Operation, T>>();
    if (known->kind != typeid(reduction<Operation, T>))
      throw error(thalweg_error_mismatch, "reduce", rank(),
                  "elements do different things in their reduction " + std::to_string(number),
                  "give the same operation and type in all of them");
    return static_cast<reduction<Operation, T>&>(*known);
  }

  template <typename Operation, typename T>
  void give(T&& value, const waiting<Operation, T>& waiter, const entry* then) {
    if (current_ == nullptr)
      throw error(thalweg_error_invalid_argument, "reduce", rank(), "no element takes part",
                  "reduce in an entry method of the array's own elements");
    const std::uint32_t number = current_->reductions++;
    if (current_->anchor != view_->rank) [[unlikely]] {
      const std::uint32_t method = then == nullptr ? element_record::nowhere : then->number;
      send_to<far_arguments<Operation, T>>(current_->anchor, THALWEG_OBJECTS_NOBODY,
                                           registered<Element, far<Operation, T>>::record, 0, number, value,
                                           waiter, method);
      return;
    }
    auto& open = reduction_of<Operation, T>(number);
    if (waiter.result != nullptr)
      open.waiters.push_back(waiter);
    take<Operation, T>(number, open, std::move(value), then);
  }

  template <typename Operation, typename T>
  void take(std::uint32_t number, reduction<Operation, T>& open, T&& value, const entry* then) {
    open.add(*this, std::move(value));
    ++open.elements;
    if (then != nullptr)
      open.then = then;
    go_on<Operation, T>(number, open);
  }

  template <typename Operation, typename T>
  void go_on(std::uint32_t number, reduction<Operation, T>& open) {
    if (open.elements != places_.anchored() || open.below != reductions_.children())
      return;
    T value = std::move(*open.value);
    open.value.reset();
    if (reductions_.is_root())
      end<Operation, T>(number, finished<Operation, T>(*this, std::move(value)));
    else
      send_to<numbered<T>>(reductions_.parent(), THALWEG_OBJECTS_NOBODY,
                           registered<Element, up<Operation, T>>::record, 0, number, value);
  }

  /// Large values are copied as seldom as can be: the last one that waits is given this one.
  template <typename Operation, typename T>
  void end(std::uint32_t number, result_of<Operation, T> result) {
    using given = result_of<Operation, T>;
    for (std::size_t child = 0; child < reductions_.children(); ++child)
      send_to<numbered<given>>(reductions_.child(child), THALWEG_OBJECTS_NOBODY,
                               registered<Element, down<Operation, T>>::record, 0, number, result);
    auto& open = reduction_of<Operation, T>(number);
    for (const auto& [rank, waiter] : open.far_waiters)
      send_to<arguments<waiting<Operation, T>, given>>(
          rank, THALWEG_OBJECTS_NOBODY, registered<Element, wake<Operation, T>>::record, 0, waiter, result);
    if (open.then != nullptr)
      send_to<arguments<given>>(view_->rank, THALWEG_OBJECTS_ALL, *open.then, 0, result);
    for (const waiting<Operation, T>& one : open.waiters) {
      if (&one == &open.waiters.back())
        one.result->emplace(std::move(result));
      else
        one.result->emplace(result);
      resume_soon(one.who);
    }
    reductions_.erase(number);
  }

  template <typename T>
  using numbered = arguments<std::uint32_t, T>;

  template <typename Operation, typename T>
  using far_arguments = arguments<std::uint32_t, T, waiting<Operation, T>, std::uint32_t>;

  template <typename Operation, typename T>
  struct far {
    static std::string name() { return "a value from another rank for a reduction"; }
    static void run(array_base& array, element_record*, std::uint32_t source, const char* base,
                    std::size_t bytes) {
      auto& self = static_cast<reducing_array&>(array);
      auto [number, value, waiter, method] = far_arguments<Operation, T>::read(base, bytes);
      auto& open = self.template reduction_of<Operation, T>(number);
      if (waiter.result != nullptr)
        open.far_waiters.push_back({source, waiter});
      self.template take<Operation, T>(number, open, std::move(value),
                                       method == element_record::nowhere ? nullptr
                                                                         : (*self.entries_.all)[method]);
    }
  };
  template <typename Operation, typename T>
  struct wake {
    static std::string name() { return "the result of a reduction, for an element that has moved"; }
    static void run(array_base& array, element_record*, std::uint32_t, const char* base, std::size_t bytes) {
      auto [waiter, value] = arguments<waiting<Operation, T>, result_of<Operation, T>>::read(base, bytes);
      waiter.result->emplace(std::move(value));
      array.resume_soon(waiter.who);
    }
  };
  template <typename Operation, typename T>
  struct up {
    static std::string name() { return "a part of a reduction"; }
    static void run(array_base& array, element_record*, std::uint32_t, const char* base, std::size_t bytes) {
      auto& self = static_cast<reducing_array&>(array);
      auto [number, value] = numbered<T>::read(base, bytes);
      auto& open = self.template reduction_of<Operation, T>(number);
      open.add(self, std::move(value));
      ++open.below;
      self.go_on(number, open);
    }
  };
  template <typename Operation, typename T>
  struct down {
    static std::string name() { return "the result of a reduction"; }
    static void run(array_base& array, element_record*, std::uint32_t, const char* base, std::size_t bytes) {
      auto [number, value] = numbered<result_of<Operation, T>>::read(base, bytes);
      static_cast<reducing_array&>(array).template end<Operation, T>(number, std::move(value));
    }
  };
};

} // namespace detail

} // namespace thalweg
