/* SPDX-License-Identifier: Apache-2.0 */
/* Fetches tuned configurations from databases: the C interface of lookup.hpp, which describes everything in
 * detail. See docs/reference/lookup.md. No function throws, ends the program or writes to a file. */
#ifndef TUNE_LOOKUP_H
#define TUNE_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TUNE_LOOKUP_C_API __attribute__((visibility("default")))
#else
#define TUNE_LOOKUP_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_lookup_status {
  TUNE_LOOKUP_OK = 0,
  TUNE_LOOKUP_BAD_QUERY = 1,      /* it names no problem, an extent is not positive, a null pointer, ... */
  TUNE_LOOKUP_MISSING = 2,        /* a named file does not exist */
  TUNE_LOOKUP_OLDER_SCHEMA = 3,   /* written by a tune too old for this library */
  TUNE_LOOKUP_NEWER_SCHEMA = 4,   /* written by a tune newer than this library */
  TUNE_LOOKUP_NOT_A_DATABASE = 5, /* a file of another kind */
  TUNE_LOOKUP_DAMAGED = 6,
  TUNE_LOOKUP_BUSY = 7,       /* locked by another process for too long */
  TUNE_LOOKUP_UNREADABLE = 8, /* permissions, a broken disk */
  TUNE_LOOKUP_NO_MEMORY = 9
} tune_lookup_status;

typedef enum tune_lookup_match {
  TUNE_LOOKUP_EXACT = 0,
  TUNE_LOOKUP_NEAREST_SIZE = 1,
  TUNE_LOOKUP_SAME_ARCHITECTURE = 2,
  TUNE_LOOKUP_PORTFOLIO = 3,
  TUNE_LOOKUP_NONE = 4
} tune_lookup_match;

/* A member that is 0 or null is unknown and matches any record. Begin with `tune_lookup_query query = {0};`.
 */
typedef struct tune_lookup_device {
  const char* name;      /* cudaDeviceProp: name */
  int compute_major;     /* major */
  int compute_minor;     /* minor */
  int multiprocessors;   /* multiProcessorCount */
  int64_t global_memory; /* bytes: totalGlobalMem */
  double bandwidth;      /* bytes per second: 2 * memory clock * bus width / 8 */
  const char* driver;    /* as NVML reports it: 580.159.04 */
} tune_lookup_device;

/* The structures of this header keep their members, so that programs built with an older header go on
 * working: what a query learnt to ask later is an argument of a function of its own. */

/* The board that the program runs on; a member that is 0 or null is unknown. */
typedef struct tune_lookup_board {
  const char* uuid;   /* as NVML reports it: GPU-... */
  double power_limit; /* watts, as enforced; limits within 1 % are equal */
} tune_lookup_board;

typedef struct tune_lookup_setting {
  const char* name;  /* type */
  const char* value; /* double */
} tune_lookup_setting;

typedef struct tune_lookup_query {
  const char* problem; /* stencil3d */
  tune_lookup_device device;
  const int64_t* size; /* extents, in the problem's order */
  size_t extents;
  const tune_lookup_setting* settings; /* those that are not at their default */
  size_t setting_count;
  const char* compiler; /* NVRTC 13.0 sm_90 */
  const char* source_hash;
  int warm_caches; /* other than 0: use times taken with warm caches */
} tune_lookup_query;

typedef struct tune_lookup tune_lookup;                     /* open databases; threads may share one */
typedef struct tune_lookup_candidate tune_lookup_candidate; /* a configuration; never changes */

/* Opens the user's database and the recordings: null for the places where the command line looks, "" for
 * none. A folder of recordings stands for all *.db in it. On success the caller owns `*lookup` and ends it
 * with tune_lookup_close; else it is null. */
TUNE_LOOKUP_C_API tune_lookup_status tune_lookup_open(const char* database, const char* recordings,
                                                      tune_lookup** lookup);
/* Does the same, and searches the recordings in this prefix, too: one in which tune is installed; null: none.
 */
TUNE_LOOKUP_C_API tune_lookup_status tune_lookup_open_in(const char* database, const char* recordings,
                                                         const char* installed, tune_lookup** lookup);
#ifdef TUNE_INSTALLED_IN /* packages of the static library define it, which does not find it by itself */
#define tune_lookup_open(database, recordings, lookup) \
  tune_lookup_open_in(database, recordings, TUNE_INSTALLED_IN, lookup)
#endif
/* Closes the databases; fetched candidates stay valid. Null does nothing. */
TUNE_LOOKUP_C_API void tune_lookup_close(tune_lookup* lookup);
/* Returns one line on the last call in this thread that failed, or an empty text. */
TUNE_LOOKUP_C_API const char* tune_lookup_message(void);
/* Forgets all answers, so that later records are seen. */
TUNE_LOOKUP_C_API void tune_lookup_refresh(tune_lookup* lookup);

/* Fetches the best for the query: TUNE_LOOKUP_OK with a candidate of TUNE_LOOKUP_NONE if nothing fits. On
 * success the caller owns `*candidate` and ends it with tune_lookup_free; else it is null. */
TUNE_LOOKUP_C_API tune_lookup_status tune_lookup_best(tune_lookup* lookup, const tune_lookup_query* query,
                                                      tune_lookup_candidate** candidate);
/* Fetches at most `most` of them, the best first, each for tune_lookup_free; `*count` is their number. An
 * application in which the best one is not valid at its size takes the next. */
TUNE_LOOKUP_C_API tune_lookup_status tune_lookup_candidates(tune_lookup* lookup,
                                                            const tune_lookup_query* query, size_t most,
                                                            tune_lookup_candidate** candidates,
                                                            size_t* count);
/* The same two for a board: results of it, or under its power limit, come before those of other boards of the
 * device model. Null: any board. */
TUNE_LOOKUP_C_API tune_lookup_status tune_lookup_best_on(tune_lookup* lookup, const tune_lookup_query* query,
                                                         const tune_lookup_board* board,
                                                         tune_lookup_candidate** candidate);
TUNE_LOOKUP_C_API tune_lookup_status tune_lookup_candidates_on(tune_lookup* lookup,
                                                               const tune_lookup_query* query,
                                                               const tune_lookup_board* board, size_t most,
                                                               tune_lookup_candidate** candidates,
                                                               size_t* count);
/* The best of the results that other programs measured, which no other function returns: nothing was checked,
 * and compiler, sources and driver are not known. */
TUNE_LOOKUP_C_API tune_lookup_status tune_lookup_best_imported(tune_lookup* lookup,
                                                               const tune_lookup_query* query,
                                                               tune_lookup_candidate** candidate);
/* Null does nothing. */
TUNE_LOOKUP_C_API void tune_lookup_free(tune_lookup_candidate* candidate);

TUNE_LOOKUP_C_API tune_lookup_match tune_lookup_match_of(const tune_lookup_candidate* candidate);
/* Returns the expected seconds at the size asked for; 0: unknown. */
TUNE_LOOKUP_C_API double tune_lookup_seconds(const tune_lookup_candidate* candidate);
/* Returns the number of pairs of records behind the expected loss; 0: exact, or unknown. The pointers to the
 * shares (0.03: 3 %) may be null. */
TUNE_LOOKUP_C_API int tune_lookup_loss(const tune_lookup_candidate* candidate, double* expected,
                                       double* worst);
/* Returns other than 0 if the record has another driver, compiler or kernel source than asked for. */
TUNE_LOOKUP_C_API int tune_lookup_stale(const tune_lookup_candidate* candidate);
/* Returns one sentence: how the record fits. All texts live as long as the candidate. */
TUNE_LOOKUP_C_API const char* tune_lookup_why(const tune_lookup_candidate* candidate);
/* Returns how the power limit of the record differs from that of the board asked about; empty if it does
 * not. */
TUNE_LOOKUP_C_API const char* tune_lookup_board_difference(const tune_lookup_candidate* candidate);
/* Return the number of parameters, and their names and values; null beyond the last. */
TUNE_LOOKUP_C_API size_t tune_lookup_count(const tune_lookup_candidate* candidate);
TUNE_LOOKUP_C_API const char* tune_lookup_name(const tune_lookup_candidate* candidate, size_t index);
TUNE_LOOKUP_C_API const char* tune_lookup_value(const tune_lookup_candidate* candidate, size_t index);
/* Return a value by name, or `otherwise` if there is none of that name or type. Truth values are 1 and 0
 * as integers. */
TUNE_LOOKUP_C_API const char* tune_lookup_text(const tune_lookup_candidate* candidate, const char* name,
                                               const char* otherwise);
TUNE_LOOKUP_C_API long long tune_lookup_integer(const tune_lookup_candidate* candidate, const char* name,
                                                long long otherwise);
TUNE_LOOKUP_C_API double tune_lookup_real(const tune_lookup_candidate* candidate, const char* name,
                                          double otherwise);

#ifdef __cplusplus
}
#endif

#endif
