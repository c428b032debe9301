// SPDX-License-Identifier: Apache-2.0
// The module's end of the connection, compiled once for all batches: the program's table, the indices,
// dynamic shared memory, and the call-backs of -fsanitize=thread, which tell the program about every memory
// access before it happens.
#pragma once

#include "language.cuh"

// In assembly, so that the compiler does not see that they start as zero.
__asm__(
    ".bss\n.balign 1024\n.hidden tune_dynamic_shared\n.globl tune_dynamic_shared\n"
    ".type tune_dynamic_shared, @object\n.size tune_dynamic_shared, 233472\ntune_dynamic_shared: .zero "
    "233472\n"
    ".balign 64\n.hidden tune_indices\n.globl tune_indices\ntune_indices: .zero 64\n"
    ".hidden tune_host\n.globl tune_host\ntune_host: .zero 8\n.text\n");

#define TUNE_CALLBACK extern "C" __attribute__((visibility("hidden"), no_sanitize("thread")))
#define TUNE_CODE __builtin_return_address(0)
// Who declares a variable volatile says that other threads change it meanwhile.
#define TUNE_VOLATILE_WRITE tune_emulator::access_volatile | tune_emulator::access_write

// Local memory: nobody else's.
static inline bool tune_local(const void* address) {
  return static_cast<unsigned long>(static_cast<const char*>(address) - tune_host->stacks) <
         tune_host->stacks_bytes;
}

#define TUNE_ACCESS(bytes, misaligned)                                                                \
  TUNE_CALLBACK void __tsan_##misaligned##read##bytes(void* address) {                                \
    const char* first = static_cast<const char*>(address);                                            \
    if (first >= tune_host->quick_begin && first + bytes <= tune_host->quick_end) return;             \
    if (tune_local(address)) return;                                                                  \
    tune_host->access(tune_host->context, address, bytes, tune_emulator::access_read, TUNE_CODE);     \
  }                                                                                                   \
  TUNE_CALLBACK void __tsan_##misaligned##write##bytes(void* address) {                               \
    if (tune_local(address)) return;                                                                  \
    tune_host->access(tune_host->context, address, bytes, tune_emulator::access_write, TUNE_CODE);    \
  }                                                                                                   \
  TUNE_CALLBACK void __tsan_##misaligned##volatile_read##bytes(void* address) {                       \
    tune_host->access(tune_host->context, address, bytes, tune_emulator::access_volatile, TUNE_CODE); \
  }                                                                                                   \
  TUNE_CALLBACK void __tsan_##misaligned##volatile_write##bytes(void* address) {                      \
    tune_host->access(tune_host->context, address, bytes, TUNE_VOLATILE_WRITE, TUNE_CODE);            \
  }
TUNE_ACCESS(1, )
TUNE_ACCESS(2, )
TUNE_ACCESS(4, )
TUNE_ACCESS(8, )
TUNE_ACCESS(16, )
TUNE_ACCESS(2, unaligned_)
TUNE_ACCESS(4, unaligned_)
TUNE_ACCESS(8, unaligned_)
TUNE_ACCESS(16, unaligned_)
#undef TUNE_ACCESS
TUNE_CALLBACK void __tsan_read_range(void* address, unsigned long bytes) {
  tune_host->access(tune_host->context, address, static_cast<unsigned>(bytes), tune_emulator::access_read,
                    TUNE_CODE);
}
TUNE_CALLBACK void __tsan_write_range(void* address, unsigned long bytes) {
  tune_host->access(tune_host->context, address, static_cast<unsigned>(bytes), tune_emulator::access_write,
                    TUNE_CODE);
}
// -fsanitize=alignment: g++ takes a vector apart whose parts are used one by one, and announces these.
struct tune_mismatch_t {
  const char* file;
  unsigned line, column;
  const void* type;
  unsigned char log_alignment, kind;
};
TUNE_CALLBACK void __ubsan_handle_type_mismatch_v1_abort(const tune_mismatch_t* what, const void* address) {
  tune_host->misaligned(tune_host->context, address, 1u << what->log_alignment, TUNE_CODE);
}
TUNE_CALLBACK void __tsan_init() {}
TUNE_CALLBACK void __tsan_func_entry(void*) {}
TUNE_CALLBACK void __tsan_func_exit() {}
TUNE_CALLBACK void __tsan_vptr_update(void**, void*) {}
