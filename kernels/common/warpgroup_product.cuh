// SPDX-License-Identifier: Apache-2.0
// Products of small matrices by a warpgroup, four warps of consecutive threads (PTX wgmma, sm_90a alone), and
// the host twins by which the emulator checks the kernels that use them (docs/emulator.md).
//
// C (64 x columns) += A (64 x 8) B (8 x columns) of tf32 is computed while the warps go on. A comes from
// registers, B from shared memory; the sums are in registers. With w = warp % 4, g = lane / 4, t = lane % 4 a
// lane holds
//
//   a[2 q + h] = A(16 w + g + 8 h, t + 4 q)         c[4 j + 2 h + i] = C(16 w + g + 8 h, 8 j + 2 t + i)
//
// B lies in shared memory column after column, terms of a column next to each other: `row_bytes` (64 or 128)
// of them, of which an instruction takes the 32 that begin at its address. Pieces of 16 bytes change places,
// so that eight columns' pieces are in different banks: swizzled_piece says where a piece lies.
//
// Registers of a product, its sums and A, may neither be read nor written before its group was waited for;
// `pin` keeps the compiler from moving such accesses. The instruction sees of shared memory what was written
// before fence_shared_writes by the writing thread, and a barrier that followed.
#pragma once

// Where the 16 bytes with this number of a row (`row_bytes` long) lie in it. Tiles are aligned to 8 rows.
template<int row_bytes>
__device__ __forceinline__ int swizzled_piece(int row, int piece) {
  static_assert(row_bytes == 64 || row_bytes == 128, "rows are 64 or 128 bytes");
  return piece ^ (row_bytes == 128 ? row & 7 : row / 2 & 3);
}

// Names rows in shared memory for products: a matrix descriptor. In units of 16 bytes: the address in bits 0
// to 13, the distance between eight rows and the next eight in bits 32 to 45; the swizzle in bits 62 and 63.
// `first` is aligned to 8 rows. Descriptors of what lies n bytes further are n / 16 larger.
template<int row_bytes>
__device__ __forceinline__ unsigned long long matrix_descriptor(const void* first) {
#ifdef TUNE_EMULATOR
  const unsigned address = tune_shared_address(first);
#else
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(first));
#endif
  constexpr unsigned long long swizzle = row_bytes == 128 ? 1 : 2, unused = 1;
  return (address & 0x3ffffu) >> 4 | unused << 16 |
         static_cast<unsigned long long>(8 * row_bytes / 16) << 32 | swizzle << 62;
}

#ifdef TUNE_EMULATOR

__device__ __forceinline__ void fence_registers() {}
__device__ __forceinline__ void fence_shared_writes() {}
template<int count>
__device__ __forceinline__ void pin(float (&)[count]) {}

template<int columns>
__device__ __forceinline__ void start_product(float (&c)[columns / 2], const float (&a)[4],
                                              unsigned long long right, bool add, TUNE_PLACE) {
  tune_start_warpgroup_product(columns, a, right, c, add, tune_file, tune_line);
}
__device__ __forceinline__ void commit_products(TUNE_PLACE) {
  tune_commit_warpgroup_products(tune_file, tune_line);
}
template<int pending>
__device__ __forceinline__ void wait_products(TUNE_PLACE) {
  tune_wait_warpgroup_products(pending, tune_file, tune_line);
}

#else

// Before the first product of those that follow writes of their registers by anything but products.
__device__ __forceinline__ void fence_registers() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
// What this thread has written to shared memory is there for products that begin after the next barrier.
__device__ __forceinline__ void fence_shared_writes() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// Accesses to these registers stay on their side of this line.
template<int count>
__device__ __forceinline__ void pin(float (&x)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+f"(x[i])::"memory");
}
// Closes the group of the products that this warpgroup has started since the last call.
__device__ __forceinline__ void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Waits until at most `pending` of the newest groups are still being computed.
template<int pending>
__device__ __forceinline__ void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// c = a b, or c += a b; b by its descriptor. The lower 13 bits of operands do not count.
template<int columns>
__device__ __forceinline__ void start_product(float (&c)[columns / 2], const float (&a)[4],
                                              unsigned long long right, bool add) {
  static_assert(columns == 64 || columns == 96 || columns == 128 || columns == 256, "");
  if constexpr (columns == 64) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
        "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "{%32, %33, %34, %35}, %36, p, 1, 1;\n}"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
          "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]),
          "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]),
          "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]),
          "+f"(c[29]), "+f"(c[30]), "+f"(c[31])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "l"(right), "r"(static_cast<int>(add)));
  } else if constexpr (columns == 96) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %53, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n96k8.f32.tf32.tf32 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
        "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "
        "%47}, "
        "{%48, %49, %50, %51}, %52, p, 1, 1;\n}"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
          "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]),
          "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]),
          "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]),
          "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]),
          "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]), "+f"(c[42]),
          "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "l"(right), "r"(static_cast<int>(add)));
  } else if constexpr (columns == 128) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
        "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "
        "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
        "%62, %63}, "
        "{%64, %65, %66, %67}, %68, p, 1, 1;\n}"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
          "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]),
          "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]),
          "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]),
          "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]),
          "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]), "+f"(c[42]),
          "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]), "+f"(c[49]),
          "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]), "+f"(c[56]),
          "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "l"(right), "r"(static_cast<int>(add)));
  } else if constexpr (columns == 256) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %133, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
        "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "
        "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
        "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, "
        "%77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, "
        "%92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, "
        "%106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, "
        "%119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "{%128, %129, %130, %131}, %132, p, 1, 1;\n}"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
          "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]),
          "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]),
          "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]),
          "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]),
          "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]), "+f"(c[42]),
          "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]), "+f"(c[49]),
          "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]), "+f"(c[56]),
          "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63]),
          "+f"(c[64]), "+f"(c[65]), "+f"(c[66]), "+f"(c[67]), "+f"(c[68]), "+f"(c[69]), "+f"(c[70]),
          "+f"(c[71]), "+f"(c[72]), "+f"(c[73]), "+f"(c[74]), "+f"(c[75]), "+f"(c[76]), "+f"(c[77]),
          "+f"(c[78]), "+f"(c[79]), "+f"(c[80]), "+f"(c[81]), "+f"(c[82]), "+f"(c[83]), "+f"(c[84]),
          "+f"(c[85]), "+f"(c[86]), "+f"(c[87]), "+f"(c[88]), "+f"(c[89]), "+f"(c[90]), "+f"(c[91]),
          "+f"(c[92]), "+f"(c[93]), "+f"(c[94]), "+f"(c[95]), "+f"(c[96]), "+f"(c[97]), "+f"(c[98]),
          "+f"(c[99]), "+f"(c[100]), "+f"(c[101]), "+f"(c[102]), "+f"(c[103]), "+f"(c[104]), "+f"(c[105]),
          "+f"(c[106]), "+f"(c[107]), "+f"(c[108]), "+f"(c[109]), "+f"(c[110]), "+f"(c[111]), "+f"(c[112]),
          "+f"(c[113]), "+f"(c[114]), "+f"(c[115]), "+f"(c[116]), "+f"(c[117]), "+f"(c[118]), "+f"(c[119]),
          "+f"(c[120]), "+f"(c[121]), "+f"(c[122]), "+f"(c[123]), "+f"(c[124]), "+f"(c[125]), "+f"(c[126]),
          "+f"(c[127])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "l"(right), "r"(static_cast<int>(add)));
  }
}

#endif
