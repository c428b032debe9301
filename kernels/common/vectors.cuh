// SPDX-License-Identifier: Apache-2.0
// Vectors: neighbouring cells of a row that a thread loads and stores together, in accesses of up to 16
// bytes. An address in memory is aligned to one such access.
#pragma once

// Path of the loads. readonly: global memory that nobody writes (ld.global.nc); ordinary: other global
// memory (ld.global.ca); shared: shared memory.
enum class Load { readonly, ordinary, shared };
// Path of the stores. streaming: evict first (st.global.cs), so that the caches are left to the input; plain:
// any other, shared memory too.
enum class Store { plain, streaming };

template<class T, int n>
struct Word;  // the built-in type of one access
template<>
struct Word<float, 1> {
  using type = float;
};
template<>
struct Word<float, 2> {
  using type = float2;
};
template<>
struct Word<float, 4> {
  using type = float4;
};
template<>
struct Word<double, 1> {
  using type = double;
};
template<>
struct Word<double, 2> {
  using type = double2;
};

// The cells of one access to a vector of `lanes` cells.
template<class T, int lanes>
constexpr int word_lanes = lanes * sizeof(T) > 16 ? 16 / static_cast<int>(sizeof(T)) : lanes;

template<class T, int lanes>
union Pack {
  typename Word<T, word_lanes<T, lanes>>::type word;
  T lane[word_lanes<T, lanes>];
};

template<int lanes, Load path, class T>
__device__ __forceinline__ void load_vector(T* to, const T* from) {
  constexpr int step = word_lanes<T, lanes>;
#pragma unroll
  for (int w = 0; w < lanes; w += step) {
    Pack<T, lanes> pack;
    const auto* source = reinterpret_cast<const decltype(pack.word)*>(from + w);
    if constexpr (path == Load::readonly) {
      pack.word = __ldg(source);
    } else if constexpr (path == Load::ordinary) {
      pack.word = __ldca(source);
    } else {
      pack.word = *source;
    }
#pragma unroll
    for (int i = 0; i < step; ++i) to[w + i] = pack.lane[i];
  }
}

template<int lanes, Store path, class T>
__device__ __forceinline__ void store_vector(T* to, const T* from) {
  constexpr int step = word_lanes<T, lanes>;
#pragma unroll
  for (int w = 0; w < lanes; w += step) {
    Pack<T, lanes> pack;
    auto* target = reinterpret_cast<decltype(pack.word)*>(to + w);
#pragma unroll
    for (int i = 0; i < step; ++i) pack.lane[i] = from[w + i];
    if constexpr (path == Store::streaming) {
      __stcs(target, pack.word);
    } else {
      *target = pack.word;
    }
  }
}
