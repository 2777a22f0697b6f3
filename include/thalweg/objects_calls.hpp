// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Calls of entry methods: the effect of arriving messages, and the objects that callers hold. Programs
// include thalweg/objects.hpp.

#include "thalweg/objects_moving.hpp"

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace thalweg {

template <typename Element, int dimensions>
class basic_array;

/// An element's index in its array.
template <int dimensions>
using coordinates = std::array<std::int64_t, dimensions>;

namespace detail {

template <typename Element>
constexpr int dimensions_of = 1;
template <typename Element>
requires requires {
  Element::dimensions;
}
constexpr int dimensions_of<Element> = Element::dimensions;

template <auto method, typename Element, typename Values, typename... Parameters>
decltype(auto) invoke_method(Element& element, Values& values, types<Parameters...>) {
  return std::apply(
      [&](auto&... value) -> decltype(auto) {
        return (element.*method)(static_cast<Parameters&&>(value)...);
      },
      values);
}

/// Messages outlive an entry method, but not a task.
template <typename... Parameters>
constexpr bool are_values(types<Parameters...>) {
  return (... && (!std::is_reference_v<Parameters> && !is_view<Parameters>));
}

/// A call of an entry method.
template <typename Element, auto method>
struct call_entry {
  using method_type = method_of<decltype(method)>;
  static_assert(std::derived_from<Element, typename method_type::owner>, "an entry method of another class");
  static const entry& record() { return registered<Element, call_entry>::record; }
  static std::string name() { return method_name<method>(); }
  static void run(array_base& array, element_record* element, std::uint32_t, const char* base,
                  std::size_t bytes) {
    using parameters = typename method_type::parameters;
    auto values = method_type::traveling::read(base, bytes);
    if constexpr (std::is_same_v<typename method_type::result, task>) {
      static_assert(are_values(parameters()), "a task takes values: no message lives as long as it waits");
      array.start(invoke_method<method>(value_of<Element>(*element), values, parameters()), *element,
                  record().name.c_str());
    } else {
      static_cast<void>(invoke_method<method>(value_of<Element>(*element), values, parameters()));
    }
  }
};

/// The state in which a caller waits for an answer. The owner is the future, or the answer once the future is
/// gone.
template <typename Result>
struct answer_place {
  std::optional<Result> value;
  task::handle who;
  bool is_abandoned = false;
};
/// The part that travels to the element and back.
template <typename Result>
struct answer_ticket {
  answer_place<Result>* place;
};

template <typename Element, typename Result>
struct answer_entry {
  static std::string name() { return "an answer"; }
  static void run(array_base&, element_record*, std::uint32_t, const char* base, std::size_t bytes) {
    auto [ticket, value] = arguments<answer_ticket<Result>, Result>::read(base, bytes);
    answer_place<Result>* const to = ticket.place;
    if (to->is_abandoned) {
      delete to;
      return;
    }
    to->value.emplace(std::move(value));
    if (to->who)
      detail::resume_soon(to->who);
  }
};

template <typename Result>
using answer_of = std::conditional_t<std::is_void_v<Result>, char, std::remove_cvref_t<Result>>;

/// A call whose result goes back.
template <typename Element, auto method>
struct ask_entry;
template <typename Element, auto method, typename Traveling = typename method_of<decltype(method)>::traveling>
struct ask_arguments;
template <typename Element, auto method, typename... Types>
struct ask_arguments<Element, method, arguments<Types...>> {
  using result = answer_of<typename method_of<decltype(method)>::result>;
  using ticket = answer_ticket<result>;
  using traveling = arguments<ticket, Types...>;
};
template <typename Element, auto method>
struct ask_entry {
  using method_type = method_of<decltype(method)>;
  using asked = ask_arguments<Element, method>;
  static_assert(!std::is_same_v<typename method_type::result, task>,
                "a task has no result: let it make a call");
  static const entry& record() { return registered<Element, ask_entry>::record; }
  static std::string name() { return method_name<method>(); }
  static void run(array_base& array, element_record* element, std::uint32_t source, const char* base,
                  std::size_t bytes) {
    auto values = asked::traveling::read(base, bytes);
    auto only = std::apply([](auto, auto&... rest) { return std::tie(rest...); }, values);
    using parameters = typename method_type::parameters;
    typename asked::result result{};
    if constexpr (std::is_void_v<typename method_type::result>)
      invoke_method<method>(value_of<Element>(*element), only, parameters());
    else
      result = invoke_method<method>(value_of<Element>(*element), only, parameters());
    array.send_to<arguments<typename asked::ticket, typename asked::result>>(
        source, THALWEG_OBJECTS_NOBODY,
        registered<Element, answer_entry<Element, typename asked::result>>::record, 0, std::get<0>(values),
        result);
  }
};

/// A call of several elements of a rank: section::call().
template <typename Element, auto method, typename Traveling = typename method_of<decltype(method)>::traveling>
struct section_entry;
template <typename Element, auto method, typename... Types>
struct section_entry<Element, method, arguments<Types...>> {
  using traveling = arguments<std::span<const std::uint32_t>, Types...>;
  static const entry& record() { return registered<Element, section_entry>::record; }
  static std::string name() { return method_name<method>(); }
  static void run(array_base& array, element_record*, std::uint32_t, const char* base, std::size_t bytes) {
    const auto values = traveling::read(base, bytes);
    std::apply(
        [&](std::span<const std::uint32_t> elements, const Types&... rest) {
          for (const std::uint32_t number : elements)
            array.send<arguments<Types...>>(number, call_entry<Element, method>::record(), 0, rest...);
        },
        values);
  }
};

/// Makes a call with arguments of the types in which they travel.
template <typename Traveling>
struct converted;
template <typename... Types>
struct converted<arguments<Types...>> {
  template <typename Send, typename... Given>
  static decltype(auto) call(Send&& send, Given&&... given) {
    static_assert(sizeof...(Types) == sizeof...(Given),
                  "as many arguments as the entry method has parameters");
    static_assert((std::is_convertible_v<Given, Types> && ...), "arguments that convert to the parameters");
    return send(static_cast<const Types&>(given)...);
  }
};

} // namespace detail

/// The result of a call, later: co_await it in a task, or take it behind a fence.
template <typename Result>
class [[nodiscard]] future {
  using place = detail::answer_place<Result>;

public:
  explicit future(place* of) : place_(of) {}
  future(future&& other) noexcept : place_(std::exchange(other.place_, nullptr)) {}
  future& operator=(future&&) = delete;
  ~future() {
    if (place_ == nullptr)
      return;
    place_->is_abandoned = !place_->value;
    if (!place_->is_abandoned)
      delete place_;
  }

  /// Has the result come?
  bool is_ready() const { return place_->value.has_value(); }
  /// The result, moved out; an error before it has come.
  Result get() {
    if (!is_ready())
      throw error(thalweg_error_invalid_argument, "get", -1, "a result that has not come",
                  "co_await the future in a task, or call finish() before");
    return std::move(*place_->value);
  }
  bool await_ready() const { return is_ready(); }
  void await_suspend(task::handle waiting) { place_->who = waiting; }
  Result await_resume() { return get(); }

private:
  place* place_;
};

/// An element of an array, wherever it is: the origin of calls.
template <typename Element>
class proxy {
public:
  /// Made by arrays: array[{x, y}].
  proxy(detail::array_base& array, std::uint32_t number, std::uint16_t flags = 0)
      : array_(array), number_(number), flags_(flags) {}

  /// Returns at once. The entry method runs later, on the element's rank.
  template <auto method, typename... Arguments>
  void call(Arguments&&... given) const {
    using traveling = typename detail::method_of<decltype(method)>::traveling;
    detail::converted<traveling>::call(
        [this](const auto&... values) {
          array_.template send<traveling>(number_, detail::call_entry<Element, method>::record(), flags_,
                                          values...);
        },
        std::forward<Arguments>(given)...);
  }
  /// The same, and the result comes back.
  template <auto method, typename... Arguments>
  auto ask(Arguments&&... given) const {
    using asked = detail::ask_arguments<Element, method>;
    const typename asked::ticket place{new detail::answer_place<typename asked::result>};
    future<typename asked::result> result(place.place);
    detail::converted<typename detail::method_of<decltype(method)>::traveling>::call(
        [&](const auto&... values) {
          array_.template send<typename asked::traveling>(
              number_, detail::ask_entry<Element, method>::record(), flags_, place, values...);
        },
        std::forward<Arguments>(given)...);
    return result;
  }
  /// Moves the element, behind messages that were sent to it before, and once no task of it waits. Calls find
  /// it.
  void migrate(int rank) const {
    static_assert(detail::may_move<Element>,
                  "an element that moves has serialize() with thalweg/stream_serialized.hpp, a "
                  "thalweg::serializer, or `static constexpr bool moves = true`");
    if (rank < 0 || rank >= array_.ranks())
      throw error(thalweg_error_invalid_argument, "migrate", array_.rank(), "rank " + std::to_string(rank),
                  "the array has ranks 0 to " + std::to_string(array_.ranks() - 1));
    array_.template send<detail::arguments<std::uint32_t>>(
        number_, detail::registered<Element, detail::migrate_kind>::record, flags_,
        static_cast<std::uint32_t>(rank));
  }
  /// Its calls run before those that are not urgent.
  proxy urgent() const { return {array_, number_, THALWEG_OBJECTS_URGENT}; }
  /// The rank where it was, the last time that this rank heard of it.
  int rank() const { return static_cast<int>(array_.rank_of(number_)); }
  /// The array that it is in.
  detail::array_base& array() const { return array_; }
  /// Its number in the array.
  std::uint32_t number() const { return number_; }

private:
  detail::array_base& array_;
  std::uint32_t number_;
  std::uint16_t flags_;
};

} // namespace thalweg
