// SPDX-License-Identifier: Apache-2.0
// Pairs, tuples and sequences of indices of the C++ standard library.
#pragma once

#include "standard_library.cuh"

namespace std {

template<class T, T... values>
struct integer_sequence {
  static constexpr size_t size() { return sizeof...(values); }
};
template<size_t... indices>
using index_sequence = integer_sequence<size_t, indices...>;
template<class T, T count>
using make_integer_sequence = integer_sequence<T, __integer_pack(count)...>;
template<size_t count>
using make_index_sequence = make_integer_sequence<size_t, count>;
template<class... Types>
using index_sequence_for = make_index_sequence<sizeof...(Types)>;

template<class T>
struct tuple_size;
template<class T>
struct tuple_size<const T> : tuple_size<T> {};
template<class T>
inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template<size_t i, class T>
struct tuple_element;
template<size_t i, class T>
struct tuple_element<i, const T> {
  using type = const typename tuple_element<i, T>::type;
};
template<size_t i, class T>
using tuple_element_t = typename tuple_element<i, T>::type;

template<class T>
using tune_stored = remove_cvref_t<T>;

template<class First, class Second>
struct pair {
  using first_type = First;
  using second_type = Second;
  First first{};
  Second second{};
  constexpr pair() = default;
  constexpr pair(const First& first, const Second& second) : first(first), second(second) {}
  template<class F, class S>
  constexpr pair(const pair<F, S>& other) : first(other.first), second(other.second) {}
  constexpr pair(const pair&) = default;
  template<class F, class S>
  constexpr pair& operator=(const pair<F, S>& other) {
    first = other.first;
    second = other.second;
    return *this;
  }
  constexpr pair& operator=(const pair&) = default;
  friend constexpr bool operator==(const pair& a, const pair& b) {
    return a.first == b.first && a.second == b.second;
  }
  friend constexpr bool operator<(const pair& a, const pair& b) {
    return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
  }
};
template<class First, class Second>
pair(First, Second) -> pair<First, Second>;
template<class First, class Second>
constexpr pair<tune_stored<First>, tune_stored<Second>> make_pair(First&& first, Second&& second) {
  return {first, second};
}
template<class First, class Second>
struct tuple_size<pair<First, Second>> : integral_constant<size_t, 2> {};
template<class First, class Second>
struct tuple_element<0, pair<First, Second>> : type_identity<First> {};
template<class First, class Second>
struct tuple_element<1, pair<First, Second>> : type_identity<Second> {};
template<size_t i, class First, class Second>
constexpr auto& get(pair<First, Second>& from) {
  if constexpr (i == 0)
    return from.first;
  else
    return from.second;
}
template<size_t i, class First, class Second>
constexpr const auto& get(const pair<First, Second>& from) {
  return get<i>(const_cast<pair<First, Second>&>(from));
}

template<size_t i, class First, class Second>
constexpr auto&& get(pair<First, Second>&& from) {
  return move(get<i>(from));
}

template<size_t i, class T>
struct tune_leaf {
  T value{};
};
template<size_t i, class T>
struct tune_leaf<i, T&> {
  T& value;
};
template<class Indices, class... Types>
struct tune_leaves;
template<size_t... indices, class... Types>
struct tune_leaves<index_sequence<indices...>, Types...> : tune_leaf<indices, Types>... {
  constexpr tune_leaves() = default;
  template<class... Values>
  constexpr explicit tune_leaves(int, Values&&... values)
      : tune_leaf<indices, Types>{static_cast<Types>(values)}... {}
};

template<class... Types>
struct tuple : tune_leaves<index_sequence_for<Types...>, Types...> {
  using Leaves = tune_leaves<index_sequence_for<Types...>, Types...>;
  constexpr tuple() = default;
  constexpr tuple(const tuple&) = default;
  constexpr tuple(const Types&... values) requires(sizeof...(Types) > 0)
      : Leaves(0, const_cast<Types&>(values)...) {}
  template<class... Others>
  constexpr tuple(const tuple<Others...>& other) requires(sizeof...(Others) == sizeof...(Types)) {
    assign(other, index_sequence_for<Types...>());
  }
  constexpr tuple& operator=(const tuple& other) { return assign(other, index_sequence_for<Types...>()); }
  template<class... Others>
  constexpr tuple& operator=(const tuple<Others...>& other) {
    return assign(other, index_sequence_for<Types...>());
  }
  template<class First, class Second>
  constexpr tuple& operator=(const pair<First, Second>& other) {
    return assign(other, index_sequence_for<Types...>());
  }

 private:
  template<class Other, size_t... indices>
  constexpr tuple& assign(const Other& other, index_sequence<indices...>);
};
template<class... Types>
tuple(Types...) -> tuple<Types...>;

template<class... Types>
struct tuple_size<tuple<Types...>> : integral_constant<size_t, sizeof...(Types)> {};
template<size_t i, class First, class... Types>
struct tuple_element<i, tuple<First, Types...>> : tuple_element<i - 1, tuple<Types...>> {};
template<class First, class... Types>
struct tuple_element<0, tuple<First, Types...>> : type_identity<First> {};
template<size_t i, class T>
constexpr T& tune_get(tune_leaf<i, T>& leaf) {
  return leaf.value;
}
template<size_t i, class... Types>
constexpr auto& get(tuple<Types...>& from) {
  return tune_get<i>(from);
}
template<size_t i, class... Types>
constexpr const auto& get(const tuple<Types...>& from) {
  return tune_get<i>(const_cast<tuple<Types...>&>(from));
}
template<size_t i, class... Types>
constexpr tuple_element_t<i, tuple<Types...>>&& get(tuple<Types...>&& from) {
  return static_cast<tuple_element_t<i, tuple<Types...>>&&>(tune_get<i>(from));
}
template<class T, size_t i>
constexpr T& tune_get_type(tune_leaf<i, T>& leaf) {
  return leaf.value;
}
template<class T, class... Types>
constexpr T& get(tuple<Types...>& from) {
  return tune_get_type<T>(from);
}
template<class T, class... Types>
constexpr const T& get(const tuple<Types...>& from) {
  return tune_get_type<T>(const_cast<tuple<Types...>&>(from));
}
template<class... Types>
template<class Other, size_t... indices>
constexpr tuple<Types...>& tuple<Types...>::assign(const Other& other, index_sequence<indices...>) {
  ((tune_get<indices>(*this) = std::get<indices>(other)), ...);
  return *this;
}

template<class... Types>
constexpr tuple<tune_stored<Types>...> make_tuple(Types&&... values) {
  return tuple<tune_stored<Types>...>(values...);
}
template<class... Types>
constexpr tuple<Types&...> tie(Types&... values) {
  return tuple<Types&...>(values...);
}
struct tune_ignored {
  template<class T>
  constexpr const tune_ignored& operator=(const T&) const {
    return *this;
  }
};
inline constexpr tune_ignored ignore;

template<class A, class B, size_t... indices>
constexpr bool tune_equal(const A& a, const B& b, index_sequence<indices...>) {
  return ((std::get<indices>(a) == std::get<indices>(b)) && ...);
}
template<class... A, class... B>
constexpr bool operator==(const tuple<A...>& a, const tuple<B...>& b) {
  return tune_equal(a, b, index_sequence_for<A...>());
}
template<class Function, class Tuple, size_t... indices>
constexpr decltype(auto) tune_apply(Function&& function, Tuple&& values, index_sequence<indices...>) {
  return function(std::get<indices>(values)...);
}
template<class Function, class Tuple>
constexpr decltype(auto) apply(Function&& function, Tuple&& values) {
  return tune_apply(function, values, make_index_sequence<tuple_size_v<remove_cvref_t<Tuple>>>());
}

}  // namespace std
