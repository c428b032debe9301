// SPDX-License-Identifier: Apache-2.0
// Fetches from texture objects. The program finds the texels and filters them.
#pragma once

#include "language.cuh"

// What a fetch gives, by the type that it is asked for.
template<class T>
struct tune_texel;
#define TUNE_TEXEL(T, element, kind_, channels_)                                              \
  template<>                                                                                  \
  struct tune_texel<T> {                                                                      \
    using part = element;                                                                     \
    static constexpr tune_emulator::TextureResult kind = tune_emulator::TextureResult::kind_; \
    static constexpr int channels = channels_;                                                \
  };
#define TUNE_TEXELS(T, vector, kind) \
  TUNE_TEXEL(T, T, kind, 1)          \
  TUNE_TEXEL(vector##1, T, kind, 1)  \
  TUNE_TEXEL(vector##2, T, kind, 2)  \
  TUNE_TEXEL(vector##4, T, kind, 4)
TUNE_TEXELS(float, float, floating)
TUNE_TEXELS(signed char, char, is_signed)
TUNE_TEXELS(unsigned char, uchar, is_unsigned)
TUNE_TEXELS(short, short, is_signed)
TUNE_TEXELS(unsigned short, ushort, is_unsigned)
TUNE_TEXELS(int, int, is_signed)
TUNE_TEXELS(unsigned int, uint, is_unsigned)
TUNE_TEXEL(char, char, is_signed, 1)
#undef TUNE_TEXELS
#undef TUNE_TEXEL

template<class T>
TUNE_UNCHECKED T tune_texture(cudaTextureObject_t texture, tune_emulator::TextureCall call, float x, float y,
                              float z, int index, int component, const char* file, int line) {
  using Texel = tune_texel<T>;
  const tune_emulator::TextureRequest request{texture,
                                              call,
                                              {x, y, z},
                                              index,
                                              component,
                                              Texel::kind,
                                              sizeof(typename Texel::part),
                                              Texel::channels,
                                              {file, line, nullptr}};
  unsigned bits[4];
  tune_host->texture(tune_host->context, &request, bits);
  typename Texel::part parts[Texel::channels];
  for (int i = 0; i < Texel::channels; ++i) __builtin_memcpy(parts + i, bits + i, sizeof(parts[i]));
  T value;
  __builtin_memcpy(&value, parts, sizeof(T));
  return value;
}

template<class T>
inline T tex1Dfetch(cudaTextureObject_t texture, int index, TUNE_PLACE) {
  return tune_texture<T>(texture, tune_emulator::TextureCall::fetch_1d, 0, 0, 0, index, 0, tune_file,
                         tune_line);
}
template<class T>
inline T tex1D(cudaTextureObject_t texture, float x, TUNE_PLACE) {
  return tune_texture<T>(texture, tune_emulator::TextureCall::sample_1d, x, 0, 0, 0, 0, tune_file, tune_line);
}
template<class T>
inline T tex2D(cudaTextureObject_t texture, float x, float y, TUNE_PLACE) {
  return tune_texture<T>(texture, tune_emulator::TextureCall::sample_2d, x, y, 0, 0, 0, tune_file, tune_line);
}
template<class T>
inline T tex3D(cudaTextureObject_t texture, float x, float y, float z, TUNE_PLACE) {
  return tune_texture<T>(texture, tune_emulator::TextureCall::sample_3d, x, y, z, 0, 0, tune_file, tune_line);
}
template<class T>
inline T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0, TUNE_PLACE) {
  return tune_texture<T>(texture, tune_emulator::TextureCall::gather_2d, x, y, 0, 0, component, tune_file,
                         tune_line);
}

#define TUNE_NO_TEXTURE(name)                                                         \
  template<class T, class... Arguments>                                               \
  inline T name(const Arguments&...) {                                                \
    static_assert(sizeof(T) == 0, "tune_cannot_emulate: the emulator has no " #name); \
  }
TUNE_NO_TEXTURE(tex1DLod)
TUNE_NO_TEXTURE(tex2DLod)
TUNE_NO_TEXTURE(tex3DLod)
TUNE_NO_TEXTURE(tex1DGrad)
TUNE_NO_TEXTURE(tex2DGrad)
TUNE_NO_TEXTURE(tex3DGrad)
TUNE_NO_TEXTURE(tex1DLayered)
TUNE_NO_TEXTURE(tex2DLayered)
TUNE_NO_TEXTURE(texCubemap)
TUNE_NO_TEXTURE(surf1Dread)
TUNE_NO_TEXTURE(surf2Dread)
TUNE_NO_TEXTURE(surf3Dread)
#undef TUNE_NO_TEXTURE
