/* SPDX-License-Identifier: Apache-2.0 */
/* The tuner for programs in C and in other languages: tuner.hpp, which describes the options in detail,
 * without C++. See docs/reference/library.md. No function throws or ends the program.
 *
 * Memory: the caller owns what a function returns through a pointer to a pointer, and ends it with the
 * function that its comment names. All texts and arrays inside belong to the object in which they are found.
 *
 * Threads: a problem and a result never change and serve any number of threads. A tuner serves one thread at
 * a time; tune_cancel alone may be called from any thread, a signal handler, or a function that the tuner
 * calls. */
#ifndef TUNE_H
#define TUNE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TUNE_C_API __attribute__((visibility("default")))
#else
#define TUNE_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_status {
  TUNE_OK = 0,
  TUNE_WRONG_USE = 1, /* a definition, size, option or configuration that cannot be, a null pointer */
  TUNE_FAILED = 2,    /* the environment: no such device, no compiler, a database that cannot be used */
  TUNE_NO_MEMORY = 3
} tune_status;

typedef enum tune_kind {
  TUNE_TRUTH = 0, /* true or false */
  TUNE_INTEGER = 1,
  TUNE_REAL = 2,
  TUNE_TEXT = 3
} tune_kind;

/* Why a run ended. */
typedef enum tune_end {
  TUNE_EXHAUSTED = 0, /* the whole space is evaluated */
  TUNE_BUDGET = 1,
  TUNE_LITTLE_TO_GAIN = 2,
  TUNE_CANCELLED = 3
} tune_end;

typedef struct tune_tuner tune_tuner;
typedef struct tune_problem tune_problem;
typedef struct tune_search tune_search;
typedef struct tune_space tune_space;
typedef struct tune_recordings tune_recordings;

/* A size, a setting or a parameter: {"n", "1000"}; or a file with its text. This structure never changes. */
typedef struct tune_assignment {
  const char* name;
  const char* value;
} tune_assignment;

/* The library makes the structures below, and later versions add members at their ends: a program that was
 * built with an older header works with a newer library. */

/* One value for each parameter that exists. */
typedef struct tune_configuration {
  const char* text;              /* all values: BLOCK=128, ITEMS=2 */
  size_t count;                  /* the number of these: */
  const tune_assignment* values; /* as tune_evaluate takes them */
  const tune_kind* kinds;
} tune_configuration;

/* One configuration compiled, checked and measured. */
typedef struct tune_evaluation {
  const char* configuration; /* all values: BLOCK=128, ITEMS=2 */
  size_t parameters;         /* the number of these: */
  const char* const* names;
  const char* const* values;
  const tune_kind* kinds;
  const char* phase;  /* null if the results are right; else constraint, compile, resources, launch,
                         verify, timeout or crash */
  const char* reason; /* short and equal for equal causes; null if phase is */
  const char* detail; /* the compiler's log, the worst element, ...; null if phase is */
  double seconds;     /* per execution: median of the samples; 0: not measured */
  double joules;      /* per execution; 0: not measured */
  double error;       /* largest difference from the reference */
  double tolerance;   /* of that error */
  double occupancy;   /* 0 to 1; 0: unknown */
  int registers;      /* per thread; 0: unknown */
  int reused;         /* not 0: answered from the database */
  int estimated;      /* not 0: seconds follow from a measurement over fewer time steps */
  size_t sample_count;
  const double* samples;                                  /* seconds per execution */
  double compile_seconds, check_seconds, measure_seconds; /* of these steps on the host */
} tune_evaluation;

typedef struct tune_progress {
  const tune_evaluation* evaluation; /* the one that ended */
  const tune_evaluation* best;       /* so far; null: none */
  uint64_t evaluations;              /* counted against the budget */
  uint64_t planned;                  /* expected evaluations at the end */
  uint64_t measured;                 /* evaluations so far with a time */
  double seconds;                    /* since the start */
} tune_progress;

typedef struct tune_result {
  const tune_evaluation* best; /* null on the emulator, and if no configuration is right */
  size_t count;                /* the number of these, in the order in which they ended: */
  const tune_evaluation* const* evaluations;
  size_t tie_count; /* the number of these: */
  const char* const*
      ties;            /* other configurations that are not slower than the best by 0.5 % with confidence */
  uint64_t space_size; /* valid configurations */
  uint64_t counted;    /* evaluations counted against the budget, reused ones included */
  uint64_t reused;     /* of these, from the database */
  uint64_t right;      /* configurations that ran with right results */
  tune_end end;
  double seconds;                                      /* duration of the run */
  double limit;                                        /* seconds: roofline time; 0: unknown */
  int64_t run;                                         /* its number in the database; 0: nothing was stored */
  const tune_configuration* const* tie_configurations; /* the ties again */
  size_t phase_count;                                  /* the number of these: */
  const char* const* phases;                           /* in which evaluations failed */
  const uint64_t* phase_failures;                      /* how many failed in each */
} tune_result;

/* The best stored configuration for a problem at a size, as `tune best` finds it. */
typedef struct tune_stored {
  const tune_configuration* configuration; /* valid at the size */
  double seconds;                          /* that were measured, at `size` on `device` */
  double joules;                           /* per execution; 0: not measured */
  const char* match;                       /* exact, nearest size, same architecture or portfolio */
  const char* why;                         /* one sentence */
  const char* size;                        /* of the record */
  const char* device;
} tune_stored;

/* What a problem takes and offers, at one size on one device: see struct Description in description.hpp.
 * Texts are empty if nothing is said. */
typedef struct tune_size {
  const char* name;
  const char* help;
  int64_t value; /* at this size */
  int64_t default_value;
} tune_size;

typedef struct tune_setting {
  const char* name;
  const char* help;
  const char* value; /* at this size */
  const char* default_value;
  size_t count; /* the number of these; 0: whole numbers from low to high */
  const char* const* values;
  const tune_kind* kinds;
  int64_t low, high;
} tune_setting;

typedef struct tune_parameter {
  const char* name;
  const char* help;
  const char* default_value;
  const char* condition; /* under which it exists; empty: always */
  size_t count;          /* the number of these, in their order: */
  const char* const* values;
  const tune_kind* kinds;
} tune_parameter;

typedef struct tune_constraint {
  const char* rule; /* empty for a function of a program */
  const char* why;
} tune_constraint;

typedef struct tune_argument {
  const char* name;
  const char* kind;       /* input, output, inout, scratch, scalar, struct or symbol */
  const char* type;       /* of an element or a scalar: float, int32; empty for a struct */
  size_t dimensions;      /* the number of these; 0 for no array: */
  const int64_t* extents; /* in elements, the fastest one first */
  const char* value;      /* of a scalar: a number or a formula */
  int passed;             /* not 0: a call of a dispatcher passes it */
} tune_argument;

typedef struct tune_description {
  const char* name;
  const char* summary;
  const char* item; /* what a rate counts */
  size_t size_count;
  const tune_size* const* sizes;
  size_t setting_count;
  const tune_setting* const* settings;
  size_t parameter_count;
  const tune_parameter* const* parameters;
  size_t constraint_count;
  const tune_constraint* const* constraints;
  size_t argument_count; /* 0 for a problem that the library has */
  const tune_argument* const* arguments;
  const tune_configuration* default_configuration; /* the valid one nearest to all defaults */
  uint64_t space_size;                             /* valid configurations */
  int counted;                                     /* 0: there are more, and space_size is that of a sample */
} tune_description;

/* A strategy of the program: it chooses configurations by their numbers in the space. This structure never
 * changes. Its functions are called in the thread of the run or in another one, one at a time; of several
 * searches, from several threads. */
typedef struct tune_strategy {
  const char* name; /* stored with runs */
  uint64_t
      in_flight; /* configurations that it chooses before it is told the result of the first; at least 1 */
  void* context;
  /* Begins a search of the space, which lives until `close`, and returns its state; null: it failed. */
  void* (*open)(void* context, const tune_space* space, uint64_t seed);
  /* Sets the number of the next configuration and returns 1; returns 0 when the search is done, -1 if it
   * failed. One that was evaluated before is told again at once; a thousand of these in a row end the search.
   */
  int (*ask)(void* state, uint64_t* number);
  /* Takes a result, also one that it did not ask for: the cost, which is to be minimised; NaN: the evaluation
   * failed. Returns -1 if the strategy failed. */
  int (*tell)(void* state, uint64_t number, double cost);
  void (*close)(void* state);
} tune_strategy;

/* Mean and quartiles over repeats. */
typedef struct tune_spread {
  double mean, lower, upper;
} tune_spread;

/* The figures of a strategy on a recorded space: docs/explanation/replay.md explains them. */
typedef struct tune_scores {
  const char* space;
  const char* strategy; /* null: random search, computed */
  uint64_t configurations, failed;
  double optimum; /* seconds */
  size_t budget_count;
  const uint64_t* budgets;
  const tune_spread* shares;                               /* of the optimum, after each budget */
  double evaluations_5, missed_5, evaluations_1, missed_1; /* to within 5 %, to within 1 % */
  double score;                                            /* NaN: all times are equal */
  double seconds; /* of an evaluation, in the strategy itself; NaN for random search */
} tune_scores;

typedef struct tune_comparison {
  size_t count; /* the number of these: for each space random search, then the strategies */
  const tune_scores* const* scores;
} tune_comparison;

/* Is called in the thread of tune_run after each evaluation. What it gets is valid until it returns. A value
 * other than 0 ends the run, as tune_cancel does. */
typedef int (*tune_progress_function)(const tune_progress* progress, void* context);
/* Gets a note for the user, valid until it returns. */
typedef void (*tune_notice_function)(const char* line, void* context);

/* Returns the version of the library, which is never freed. */
TUNE_C_API const char* tune_version(void);
/* Returns one line that names the cure, on the last call in this thread that failed; empty before one. Valid
 * until the next call in this thread. */
TUNE_C_API const char* tune_message(void);

/* Reads a definition (docs/reference/definition.md) from a file, or from a text whose files are found from
 * `folder` (null: the working directory), or takes a problem that the library has, such as stencil3d. The
 * caller owns `*problem` and ends it with tune_problem_free; after an error it is null. */
TUNE_C_API tune_status tune_problem_read(const char* file, tune_problem** problem);
TUNE_C_API tune_status tune_problem_parse(const char* json, const char* folder, tune_problem** problem);
TUNE_C_API tune_status tune_problem_built_in(const char* name, tune_problem** problem);
/* Does the same as tune_problem_parse with kernels and headers in memory: `files` has the names that the
 * definition and the kernels use, with the texts. They go before those in `folder`. */
TUNE_C_API tune_status tune_problem_define(const char* json, const char* folder, const tune_assignment* files,
                                           size_t file_count, tune_problem** problem);
/* Returns the name of a problem for tune_problem_built_in, from 0; null beyond the last. */
TUNE_C_API const char* tune_built_in(size_t index);
/* Returns its name in the database, which lives as long as the problem. */
TUNE_C_API const char* tune_problem_name(const tune_problem* problem);
/* Null does nothing. No call may use the problem any more. */
TUNE_C_API void tune_problem_free(tune_problem* problem);

/* Makes a tuner with all options at their defaults. The caller owns `*tuner` and ends it with tune_close;
 * after an error it is null. */
TUNE_C_API tune_status tune_open(tune_tuner** tuner);
/* Does the same with the option `installed` at this folder. */
TUNE_C_API tune_status tune_open_in(const char* installed, tune_tuner** tuner);
#ifdef TUNE_INSTALLED_IN /* packages of the static library define it, which does not find it by itself */
#define tune_open(tuner) tune_open_in(TUNE_INSTALLED_IN, tuner)
#endif
/* Ends its worker processes. Null does nothing. Results stay valid. */
TUNE_C_API void tune_close(tune_tuner* tuner);
/* Sets an option; an empty or null value stands for its default. An error leaves all as it was. Device and
 * database are opened when they are needed first, and stay open until these options change.
 *
 *   device        number of a GPU; cpu for commands and kernels of the processor; or emulator: the CPU checks
 *                 kernels, nothing is stored
 *   database      file with the results; default: where `tune` looks ($TUNE_DB, ...)
 *   strategy      as --strategy
 *   evaluations   budget; without any: that of the definition, else 200
 *   seconds       budget
 *   until_gain    budget: ends when the expected gain is below this share
 *   seed          of the strategy
 *   objective     time, energy, edp, min:METRIC, max:METRIC or pareto:A,B
 *   finalists     timed again in turns at the end; 0: none
 *   where         restricts the space: an expression
 *   timeout       seconds that a kernel may take to run once
 *   compilers     at the same time
 *   installed     folder in which tune is installed, for the static library: TUNE_INSTALLED_IN of its package
 *   energy        true: measured beside another objective, too, if the device reports it
 *   warm_caches, fresh, reproducible, transfer, in_process: true or false; see struct Options in tuner.hpp */
TUNE_C_API tune_status tune_set(tune_tuner* tuner, const char* option, const char* value);
/* Returns the name of an option, from 0; null beyond the last. */
TUNE_C_API const char* tune_option(size_t index);
/* Set the functions that the tuner calls, with this `context`; null: none. */
TUNE_C_API tune_status tune_on_progress(tune_tuner* tuner, tune_progress_function function, void* context);
TUNE_C_API tune_status tune_on_notice(tune_tuner* tuner, tune_notice_function function, void* context);

/* Searches the problem's configurations. `sizes` has the sizes and settings that are not at their defaults.
 * The same call again continues where the first one stopped. The caller owns `*result` and ends it with
 * tune_result_free; after an error it is null. A run that is cancelled is no error. */
TUNE_C_API tune_status tune_run(tune_tuner* tuner, const tune_problem* problem, const tune_assignment* sizes,
                                size_t size_count, const tune_result** result);
/* Evaluates one configuration, or fetches the database's evaluation of it. Parameters that are left out are
 * at their defaults. One that is not valid fails with phase `constraint`, which is no error. The result, for
 * tune_result_free, has this evaluation, which is the best if it was measured. */
TUNE_C_API tune_status tune_evaluate(tune_tuner* tuner, const tune_problem* problem,
                                     const tune_assignment* parameters, size_t parameter_count,
                                     const tune_assignment* sizes, size_t size_count,
                                     const tune_result** result);
/* Finds the best that the database and the shipped recordings have for the tuner's device (for the emulator,
 * any), and measures nothing. The caller owns `*stored` and ends it with tune_stored_free; it is null if
 * nothing fits, which is no error, and after an error. */
TUNE_C_API tune_status tune_best(tune_tuner* tuner, const tune_problem* problem, const tune_assignment* sizes,
                                 size_t size_count, const tune_stored** stored);
/* Null does nothing. */
TUNE_C_API void tune_stored_free(const tune_stored* stored);
/* Describes the problem, and evaluates nothing. The limits are those of the tuner's device, with its option
 * `where`; without a tuner (null), and for the emulator, those of an sm_90, for which no device is needed.
 * The caller owns `*description` and ends it with tune_description_free; after an error it is null. */
TUNE_C_API tune_status tune_describe(tune_tuner* tuner, const tune_problem* problem,
                                     const tune_assignment* sizes, size_t size_count,
                                     const tune_description** description);
/* Null does nothing. */
TUNE_C_API void tune_description_free(const tune_description* description);
/* Counts the valid configurations on the device. */
TUNE_C_API tune_status tune_space_size(tune_tuner* tuner, const tune_problem* problem,
                                       const tune_assignment* sizes, size_t size_count, uint64_t* count);
/* Opens a search whose loop is the program's own, which evaluates configurations itself: nothing is measured
 * or stored, and the limits are those of an sm_90. `strategy` as --strategy (null: auto), `where` an
 * expression that restricts the space (null: none). The caller owns `*search` and ends it with
 * tune_search_free; after an error it is null. A search serves one thread at a time. */
TUNE_C_API tune_status tune_search_open(const tune_problem* problem, const tune_assignment* sizes,
                                        size_t size_count, const char* strategy, uint64_t seed,
                                        const char* where, tune_search** search);
/* Gives a configuration that was neither given nor told before, valid until the next call; null if none is
 * left that could be the best, which is no error. May be called again before the result is told. */
TUNE_C_API tune_status tune_search_ask(tune_search* search, const tune_configuration** configuration);
/* Takes the result of a valid configuration, also of one that was not asked for. `cost` is above 0 and is to
 * be minimised; NaN: the evaluation failed. */
TUNE_C_API tune_status tune_search_tell(tune_search* search, const tune_assignment* parameters,
                                        size_t parameter_count, double cost);
/* Returns the number of valid configurations; of a space that cannot be counted, of its sample. */
TUNE_C_API uint64_t tune_search_space_size(const tune_search* search);
/* Returns its configurations, which live as long as the search; null for null. */
TUNE_C_API const tune_space* tune_search_space(const tune_search* search);
/* Null does nothing. */
TUNE_C_API void tune_search_free(tune_search* search);
/* Returns the number of configurations of a space. */
TUNE_C_API uint64_t tune_space_count(const tune_space* space);
/* Returns its parameters and sets their number; they live as long as the space. */
TUNE_C_API const tune_parameter* const* tune_space_parameters(const tune_space* space, size_t* count);
/* Writes the indexes of the values of `count` configurations from number `first` on, one for each parameter;
 * UINT32_MAX if a parameter does not exist. `rows` has count * parameters elements. */
TUNE_C_API tune_status tune_space_rows(const tune_space* space, uint64_t first, uint64_t count,
                                       uint32_t* rows);
/* Sets the number of the configuration with the values of such a row; UINT64_MAX if it is not valid. */
TUNE_C_API tune_status tune_space_find(const tune_space* space, const uint32_t* row, uint64_t* number);
/* Searches with a strategy of the program instead of the option `strategy`; null: no longer. It is copied,
 * with its name. */
TUNE_C_API tune_status tune_set_strategy(tune_tuner* tuner, const tune_strategy* strategy);
/* Reads recorded spaces: files of other tuners and databases, as `tune replay --space`; those whose titles
 * contain `only` (null: all). The caller owns `*recordings` and ends it with tune_recordings_free; after an
 * error it is null. It serves any number of threads. */
TUNE_C_API tune_status tune_recordings_read(const char* const* files, size_t file_count, const char* only,
                                            tune_recordings** recordings);
/* Returns the number of spaces. */
TUNE_C_API size_t tune_recordings_count(const tune_recordings* recordings);
/* Return what a space is called, and its configurations; null beyond the last. */
TUNE_C_API const char* tune_recordings_title(const tune_recordings* recordings, size_t index);
TUNE_C_API const tune_space* tune_recordings_space(const tune_recordings* recordings, size_t index);
/* Writes the recorded seconds of each configuration of a space; NaN for those that failed. */
TUNE_C_API tune_status tune_recordings_seconds(const tune_recordings* recordings, size_t index,
                                               double* seconds);
/* Null does nothing. */
TUNE_C_API void tune_recordings_free(tune_recordings* recordings);
/* Lets a strategy search a recorded space `repeats` times, and compares it with random search: one of the
 * tuner by its name, as --strategy, or `own` (null: none). The seeds follow from `seed`, the space and the
 * repeat. `threads`: 0: as many as the cores; a strategy of the program that is not made for several needs 1.
 * The caller owns `*comparison` and ends it with tune_comparison_free; after an error it is null. */
TUNE_C_API tune_status tune_compare(const tune_recordings* recordings, size_t index, const char* strategy,
                                    const tune_strategy* own, const uint64_t* budgets, size_t budget_count,
                                    uint64_t repeats, uint64_t seed, unsigned threads,
                                    const tune_comparison** comparison);
/* Null does nothing. */
TUNE_C_API void tune_comparison_free(const tune_comparison* comparison);
/* Ends the run after the evaluation in flight; finished evaluations are stored. Without a run, the next one
 * ends at once. */
TUNE_C_API void tune_cancel(tune_tuner* tuner);
/* Null does nothing. */
TUNE_C_API void tune_result_free(const tune_result* result);

/* Returns the value of a parameter, which lives as long as the evaluation; null: there is none. */
TUNE_C_API const char* tune_value(const tune_evaluation* evaluation, const char* parameter);

#ifdef __cplusplus
}
#endif

#endif
