/* SPDX-License-Identifier: Apache-2.0 */
/* Tunes while the program runs: the C interface of Dispatchers (dispatcher.hpp), one object for all sizes of
 * a problem. See docs/reference/library.md. Statuses, messages, problems and assignments are those of tune.h,
 * and so are the rules for memory. Any number of threads may use a dispatcher, but for tune_dispatcher_close.
 */
#ifndef TUNE_DISPATCHER_H
#define TUNE_DISPATCHER_H

#include <tune/tune.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_dispatcher tune_dispatcher;

/* An argument of a call. This structure never changes. */
typedef struct tune_call_argument {
  /* Of a device pointer `float*`, `int32*`, ..., or `*` for any; of a number its type as a definition has it
   * (float, double, half, bfloat16, int8 to int64, uint8 to uint64); `struct`. */
  const char* type;
  const void* value; /* the address of the pointer, the number or the struct, which the call reads */
  size_t size;       /* bytes at this address */
} tune_call_argument;

/* The state at one size. The library makes it, and later versions add members at its end. */
typedef struct tune_dispatch_state {
  int settled;                             /* not 0: no candidate is left, unless times drift */
  int paused;                              /* not 0: no trials */
  uint64_t retuned;                        /* how often trials began again */
  const tune_configuration* configuration; /* the best so far */
  uint64_t tried;                          /* by this process, without the first one */
  uint64_t failed;                         /* of these: not compiled, wrong, or not launched */
  uint64_t calls;
  double seconds;      /* of all calls on the device */
  double lost;         /* seconds of these, by trials */
  double best_seconds; /* of a recent call of the best; 0: not timed yet */
  const char* notice;  /* a note for the user; else empty */
} tune_dispatch_state;

/* Opens a dispatcher of a definition. `options` are those of struct DispatchOptions, by name: device,
 * database, slowdown, candidates, strategy, seed, where, timeout, in_process, follow_drift, installed; and
 * sizes, the number of sizes that are held (16). The caller owns `*dispatcher` and ends it with
 * tune_dispatcher_close; after an error it is null. */
TUNE_C_API tune_status tune_dispatcher_open(const tune_problem* problem, const tune_assignment* options,
                                            size_t option_count, tune_dispatcher** dispatcher);
/* Does the same, with the default of the option `installed` at this folder. */
TUNE_C_API tune_status tune_dispatcher_open_in(const char* installed, const tune_problem* problem,
                                               const tune_assignment* options, size_t option_count,
                                               tune_dispatcher** dispatcher);
#ifdef TUNE_INSTALLED_IN /* packages of the static library define it, which does not find it by itself */
#define tune_dispatcher_open(problem, options, option_count, dispatcher) \
  tune_dispatcher_open_in(TUNE_INSTALLED_IN, problem, options, option_count, dispatcher)
#endif
/* Returns the name of an option, from 0; null beyond the last. */
TUNE_C_API const char* tune_dispatch_option(size_t index);
/* Finishes, and waits for the device. No call may be under way. Null does nothing. */
TUNE_C_API void tune_dispatcher_close(tune_dispatcher* dispatcher);

/* Enqueues the kernel's launches on a stream (cudaStream_t, CUstream; null: the default one), in the best
 * configuration or one that is tried. `sizes`: those that are not at their defaults; null: the call has them,
 * as arguments whose value is a size. Arguments that a formula defines are left out, as tune_argument::passed
 * says. The stream's device must be current. */
TUNE_C_API tune_status tune_dispatcher_launch(tune_dispatcher* dispatcher, void* stream,
                                              const tune_assignment* sizes, size_t size_count,
                                              const tune_call_argument* arguments, size_t argument_count);
/* Tries one configuration now, on these arguments, and waits for it; `*tried` is 0 if nothing is left to
 * try. Arrays that the kernel reads and writes change with each launch. */
TUNE_C_API tune_status tune_dispatcher_try(tune_dispatcher* dispatcher, void* stream,
                                           const tune_assignment* sizes, size_t size_count,
                                           const tune_call_argument* arguments, size_t argument_count,
                                           int* tried);
/* Sets the contents of a variable that the problem declares with `symbol`, from host memory, for all later
 * launches. `type`: of an element, or null. */
TUNE_C_API tune_status tune_dispatcher_symbol(tune_dispatcher* dispatcher, const char* name, const char* type,
                                              const void* data, size_t bytes);
/* End and resume trials: while paused, calls launch the best, and nothing is compiled or checked. */
TUNE_C_API tune_status tune_dispatcher_pause(tune_dispatcher* dispatcher);
TUNE_C_API tune_status tune_dispatcher_resume(tune_dispatcher* dispatcher);
/* Ends the search at all sizes and stores the best, with which later calls go on. Waits for a check under
 * way. */
TUNE_C_API tune_status tune_dispatcher_finish(tune_dispatcher* dispatcher);
/* Returns the number of sizes that are held; 0 for null. */
TUNE_C_API size_t tune_dispatcher_count(const tune_dispatcher* dispatcher);
/* Returns the state at these sizes, for tune_dispatch_state_free; null, which is no error, if they are not
 * held. Never waits for the device. */
TUNE_C_API tune_status tune_dispatcher_state(const tune_dispatcher* dispatcher, const tune_assignment* sizes,
                                             size_t size_count, const tune_dispatch_state** state);
/* Null does nothing. */
TUNE_C_API void tune_dispatch_state_free(const tune_dispatch_state* state);

#ifdef __cplusplus
}
#endif

#endif
