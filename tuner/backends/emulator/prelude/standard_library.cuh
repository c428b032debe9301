// SPDX-License-Identifier: Apache-2.0
// What kernels use of the C++ standard library, and of libcu++ under cuda::std, beyond mathematics and
// integer types.
#pragma once

#include "arithmetic.cuh"
#include "language.cuh"

namespace std {

template<class T, T v>
struct integral_constant {
  using type = integral_constant;
  using value_type = T;
  static constexpr T value = v;
  constexpr operator T() const { return v; }
  constexpr T operator()() const { return v; }
};
template<bool v>
using bool_constant = integral_constant<bool, v>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template<class T>
struct type_identity {
  using type = T;
};
template<bool, class T, class>
struct conditional : type_identity<T> {};
template<class T, class F>
struct conditional<false, T, F> : type_identity<F> {};
template<bool, class T = void>
struct enable_if {};
template<class T>
struct enable_if<true, T> : type_identity<T> {};
template<class...>
using void_t = void;

#define TUNE_REMOVES(name, pattern)  \
  template<class T>                  \
  struct name : type_identity<T> {}; \
  template<class T>                  \
  struct name<pattern> : type_identity<T> {};
TUNE_REMOVES(remove_const, const T)
TUNE_REMOVES(remove_volatile, volatile T)
TUNE_REMOVES(remove_pointer, T*)
#undef TUNE_REMOVES
template<class T>
struct remove_reference : type_identity<T> {};
template<class T>
struct remove_reference<T&> : type_identity<T> {};
template<class T>
struct remove_reference<T&&> : type_identity<T> {};
template<class T>
struct remove_cv : remove_const<typename remove_volatile<T>::type> {};
template<class T>
struct remove_cvref : remove_cv<typename remove_reference<T>::type> {};
template<class T>
struct decay : remove_cvref<T> {};
template<class T>
struct make_unsigned {};
template<class T>
struct make_signed {};
#define TUNE_SIGNS(T, of_unsigned)                                   \
  template<>                                                         \
  struct make_unsigned<T> : type_identity<of_unsigned> {};           \
  template<>                                                         \
  struct make_unsigned<of_unsigned> : type_identity<of_unsigned> {}; \
  template<>                                                         \
  struct make_signed<T> : type_identity<T> {};                       \
  template<>                                                         \
  struct make_signed<of_unsigned> : type_identity<T> {};
TUNE_SIGNS(signed char, unsigned char)
TUNE_SIGNS(short, unsigned short)
TUNE_SIGNS(int, unsigned)
TUNE_SIGNS(long, unsigned long)
TUNE_SIGNS(long long, unsigned long long)
#undef TUNE_SIGNS

#define TUNE_TRAIT(name, ...)                    \
  template<class T>                              \
  struct name : bool_constant<(__VA_ARGS__)> {}; \
  template<class T>                              \
  inline constexpr bool name##_v = name<T>::value;
template<class, class>
struct is_same : false_type {};
template<class T>
struct is_same<T, T> : true_type {};
template<class T, class U>
inline constexpr bool is_same_v = is_same<T, U>::value;
template<class B, class D>
struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template<class B, class D>
inline constexpr bool is_base_of_v = is_base_of<B, D>::value;
template<class T, class... Others>
inline constexpr bool tune_is_any = (is_same_v<typename remove_cv<T>::type, Others> || ...);
TUNE_TRAIT(is_integral, tune_is_any<T, bool, char, signed char, unsigned char, short, unsigned short, int,
                                    unsigned, long, unsigned long, long long, unsigned long long>)
TUNE_TRAIT(is_floating_point, tune_is_any<T, float, double>)
TUNE_TRAIT(is_arithmetic, is_integral_v<T> || is_floating_point_v<T>)
TUNE_TRAIT(is_void, tune_is_any<T, void>)
TUNE_TRAIT(
    is_pointer,
    !is_same_v<typename remove_cv<T>::type, typename remove_pointer<typename remove_cv<T>::type>::type>)
TUNE_TRAIT(is_const, !is_same_v<T, typename remove_const<T>::type>)
TUNE_TRAIT(is_reference, !is_same_v<T, typename remove_reference<T>::type>)
TUNE_TRAIT(is_enum, __is_enum(T))
TUNE_TRAIT(is_class, __is_class(T))
TUNE_TRAIT(is_empty, __is_empty(T))
TUNE_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
template<class T, bool = is_arithmetic_v<T>>
inline constexpr bool tune_is_negative = false;
template<class T>
inline constexpr bool tune_is_negative<T, true> = T(-1) < T(0);
TUNE_TRAIT(is_signed, tune_is_negative<T>)
TUNE_TRAIT(is_unsigned, is_arithmetic_v<T> && !tune_is_negative<T>)
#undef TUNE_TRAIT

#define TUNE_ALIAS(name) \
  template<class T>      \
  using name##_t = typename name<T>::type;
TUNE_ALIAS(remove_const)
TUNE_ALIAS(remove_volatile)
TUNE_ALIAS(remove_pointer)
TUNE_ALIAS(remove_reference)
TUNE_ALIAS(remove_cv)
TUNE_ALIAS(remove_cvref)
TUNE_ALIAS(decay)
TUNE_ALIAS(make_unsigned)
TUNE_ALIAS(make_signed)
#undef TUNE_ALIAS
template<bool condition, class T, class F>
using conditional_t = typename conditional<condition, T, F>::type;
template<bool condition, class T = void>
using enable_if_t = typename enable_if<condition, T>::type;

template<class T>
T&& declval() noexcept;
// The type that values of all of them fit.
template<class... T>
struct common_type;
template<class T>
struct common_type<T> : decay<T> {};
template<class T, class U>
struct common_type<T, U> : decay<decltype(false ? declval<T>() : declval<U>())> {};
template<class T, class U, class... More>
struct common_type<T, U, More...> : common_type<typename common_type<T, U>::type, More...> {};
template<class... T>
using common_type_t = typename common_type<T...>::type;
template<class T>
constexpr remove_reference_t<T>&& move(T&& value) {
  return static_cast<remove_reference_t<T>&&>(value);
}
template<class T>
constexpr T&& forward(remove_reference_t<T>& value) {
  return static_cast<T&&>(value);
}
template<class T>
constexpr T&& forward(remove_reference_t<T>&& value) {
  return static_cast<T&&>(value);
}
template<class T>
constexpr void swap(T& a, T& b) {
  T other = move(a);
  a = move(b);
  b = move(other);
}
template<class T, class U = T>
constexpr T exchange(T& object, U&& next) {
  T before = move(object);
  object = forward<U>(next);
  return before;
}
template<class T>
constexpr const T& clamp(const T& value, const T& low, const T& high) {
  return value < low ? low : high < value ? high : value;
}

template<class T, size_t N>
struct array {
  using value_type = T;
  T elements[N];
  constexpr T& operator[](size_t i) { return elements[i]; }
  constexpr const T& operator[](size_t i) const { return elements[i]; }
  constexpr T* data() { return elements; }
  constexpr const T* data() const { return elements; }
  constexpr T* begin() { return elements; }
  constexpr const T* begin() const { return elements; }
  constexpr T* end() { return elements + N; }
  constexpr const T* end() const { return elements + N; }
  static constexpr size_t size() { return N; }
  constexpr void fill(const T& value) {
    for (T& element : elements) element = value;
  }
};
template<class T, class... Others>
array(T, Others...) -> array<T, 1 + sizeof...(Others)>;

#define TUNE_FUNCTOR(name, expression)                                             \
  template<class T = void>                                                         \
  struct name {                                                                    \
    constexpr auto operator()(const T& x, const T& y) const { return expression; } \
  };                                                                               \
  template<>                                                                       \
  struct name<void> {                                                              \
    template<class X, class Y>                                                     \
    constexpr auto operator()(const X& x, const Y& y) const {                      \
      return expression;                                                           \
    }                                                                              \
  };
TUNE_FUNCTOR(plus, x + y)
TUNE_FUNCTOR(minus, x - y)
TUNE_FUNCTOR(multiplies, x* y)
TUNE_FUNCTOR(divides, x / y)
TUNE_FUNCTOR(modulus, x % y)
TUNE_FUNCTOR(less, x < y)
TUNE_FUNCTOR(less_equal, x <= y)
TUNE_FUNCTOR(greater, x > y)
TUNE_FUNCTOR(greater_equal, x >= y)
TUNE_FUNCTOR(equal_to, x == y)
TUNE_FUNCTOR(not_equal_to, x != y)
TUNE_FUNCTOR(logical_and, x&& y)
TUNE_FUNCTOR(logical_or, x || y)
TUNE_FUNCTOR(bit_and, x& y)
TUNE_FUNCTOR(bit_or, x | y)
TUNE_FUNCTOR(bit_xor, x ^ y)
#undef TUNE_FUNCTOR

template<class T>
struct numeric_limits {
  static constexpr bool is_specialized = is_integral_v<T>, is_integer = is_integral_v<T>,
                        is_signed = is_signed_v<T>, has_infinity = false;
  static constexpr int digits = static_cast<int>(sizeof(T)) * 8 - (is_signed ? 1 : 0);
  static constexpr T max() {
    return is_same_v<T, bool> ? T(1) : T(is_signed ? ((1ULL << (digits - 1)) - 1) * 2 + 1 : ~0ULL);
  }
  static constexpr T min() { return is_signed ? T(-max() - 1) : T(0); }
  static constexpr T lowest() { return min(); }
};
#define TUNE_LIMITS(T, prefix, infinite, nan)                                                               \
  template<>                                                                                                \
  struct numeric_limits<T> {                                                                                \
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true, has_infinity = true; \
    static constexpr int digits = __##prefix##_MANT_DIG__, digits10 = __##prefix##_DIG__,                   \
                         max_exponent = __##prefix##_MAX_EXP__, min_exponent = __##prefix##_MIN_EXP__;      \
    static constexpr T max() { return __##prefix##_MAX__; }                                                 \
    static constexpr T min() { return __##prefix##_MIN__; }                                                 \
    static constexpr T lowest() { return -__##prefix##_MAX__; }                                             \
    static constexpr T epsilon() { return __##prefix##_EPSILON__; }                                         \
    static constexpr T denorm_min() { return __##prefix##_DENORM_MIN__; }                                   \
    static constexpr T infinity() { return infinite; }                                                      \
    static constexpr T quiet_NaN() { return nan; }                                                          \
  };
TUNE_LIMITS(float, FLT, __builtin_inff(), __builtin_nanf(""))
TUNE_LIMITS(double, DBL, __builtin_inf(), __builtin_nan(""))
#undef TUNE_LIMITS

}  // namespace std

namespace cuda {
namespace std = ::std;

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

template<class T = void>
struct maximum {
  constexpr T operator()(const T& x, const T& y) const { return x < y ? y : x; }
};
template<class T = void>
struct minimum {
  constexpr T operator()(const T& x, const T& y) const { return y < x ? y : x; }
};
template<>
struct maximum<void> {
  template<class X, class Y>
  constexpr auto operator()(const X& x, const Y& y) const {
    return x < y ? y : x;
  }
};
template<>
struct minimum<void> {
  template<class X, class Y>
  constexpr auto operator()(const X& x, const Y& y) const {
    return y < x ? y : x;
  }
};
template<class T, class U>
constexpr auto ceil_div(T value, U divisor) {
  return (value + divisor - 1) / divisor;
}
template<class T, class U>
constexpr auto round_up(T value, U multiple) {
  return ceil_div(value, multiple) * multiple;
}
}  // namespace cuda

#include "tuple.cuh"
