// SPDX-License-Identifier: Apache-2.0
// The rival: OpenBLAS with its interface for C, as a shared library of the system.
#pragma once

using Product = void(int, int, int, int, int, int, Real, const Real*, int, const Real*, int, Real, Real*,
                     int);

inline Product* library_product() {
  void* library = dlopen("libopenblas.so.0", RTLD_NOW);
  void* const found =
      library == nullptr ? nullptr : dlsym(library, sizeof(Real) == 4 ? "cblas_sgemm" : "cblas_dgemm");
  if (found != nullptr) return reinterpret_cast<Product*>(found);
  std::fputs(
      "libopenblas.so.0 with cblas_sgemm is missing: install OpenBLAS (Debian: libopenblas0-pthread)\n",
      stderr);
  std::abort();
}

inline void multiply(Size m, Size n, Size k, const Real* a, const Real* b, Real* c) {
  static Product* const call = library_product();
  constexpr int row_major = 101, as_it_is = 111;
  call(row_major, as_it_is, as_it_is, int(m), int(n), int(k), 1, a, int(k), b, int(n), 0, c, int(n));
}
