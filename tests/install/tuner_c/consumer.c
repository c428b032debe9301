/* SPDX-License-Identifier: Apache-2.0 */
/* A program in C that defines a problem from texts, looks at it, and runs it on the emulator. The tests run
 * it with the library that was built, and with the one that is installed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tune/dispatcher.h>
#include <tune/tune.h>

static const char source[] =
    "#include \"scale.h\"\n"
    "extern \"C\" __global__ void scale(float* out, const float* in, float factor, int n) {\n"
    "  const int begin = (blockIdx.x * BLOCK + threadIdx.x) * ITEMS;\n"
    "  for (int i = begin; i < begin + ITEMS && i < n; ++i)\n"
    "    out[i] = KIND == 1 && i == 7 ? 0.0f : scaled(in[i], factor);\n"
    "}\n";
static const char header[] =
    "inline __device__ float scaled(float value, float factor) { return value * factor; }\n";
static const char definition[] =
    "{\"problem\": \"scale_in_c\", \"summary\": \"numbers times a factor\", \"kernel\": \"scale.cu\","
    " \"sizes\": {\"n\": {\"default\": 1000, \"help\": \"numbers\"}},"
    " \"settings\": {\"real\": {\"values\": [\"float\"]}},"
    " \"parameters\": {\"BLOCK\": {\"values\": [32, 64, 128], \"default\": 64}, \"ITEMS\": [1, 2],"
    "                  \"KIND\": [0, 1]},"
    " \"constraints\": [{\"rule\": \"BLOCK * ITEMS <= 128\", \"why\": \"tiles too large\"}],"
    " \"arguments\": {\"out\": {\"type\": \"real\", \"size\": \"n\", \"access\": \"write\"},"
    "                 \"in\": {\"type\": \"real\", \"size\": \"n\"},"
    "                 \"factor\": {\"type\": \"float\", \"value\": 2},"
    "                 \"n\": {\"type\": \"int32\", \"value\": \"n\"}},"
    " \"launches\": {\"entry\": \"scale\", \"grid\": \"ceil_div(n, BLOCK * ITEMS)\", \"block\": \"BLOCK\"}}";

static void fail(int line, const char* what) {
  printf("line %d: %s; the last message is '%s'\n", line, what, tune_message());
  exit(1);
}
#define CHECK(condition) \
  if (!(condition)) fail(__LINE__, #condition)
#define CHECK_TEXT(text, expected) CHECK(strcmp(text, expected) == 0)

static void describe(tune_tuner* tuner, const tune_problem* problem) {
  const tune_assignment size = {"n", "500"};
  const tune_description* all;
  CHECK(tune_describe(tuner, problem, &size, 1, &all) == TUNE_OK);
  CHECK_TEXT(all->name, "scale_in_c");
  CHECK_TEXT(all->summary, "numbers times a factor");
  CHECK(all->size_count == 1 && all->sizes[0]->value == 500 && all->sizes[0]->default_value == 1000);
  CHECK_TEXT(all->sizes[0]->help, "numbers");
  CHECK(all->setting_count == 1 && all->settings[0]->count == 1);
  CHECK_TEXT(all->settings[0]->value, "float");
  CHECK(all->parameter_count == 3 && all->parameters[0]->count == 3);
  CHECK_TEXT(all->parameters[0]->name, "BLOCK");
  CHECK_TEXT(all->parameters[0]->values[2], "128");
  CHECK(all->parameters[0]->kinds[2] == TUNE_INTEGER);
  CHECK_TEXT(all->parameters[0]->default_value, "64");
  CHECK_TEXT(all->parameters[0]->condition, "");
  CHECK(all->constraint_count == 1);
  CHECK_TEXT(all->constraints[0]->rule, "BLOCK * ITEMS <= 128");
  CHECK_TEXT(all->constraints[0]->why, "tiles too large");
  CHECK(all->argument_count == 4 && all->arguments[0]->dimensions == 1);
  CHECK(all->arguments[0]->extents[0] == 500);
  CHECK_TEXT(all->arguments[0]->kind, "output");
  CHECK_TEXT(all->arguments[0]->type, "float");
  CHECK_TEXT(all->arguments[3]->kind, "scalar");
  CHECK_TEXT(all->arguments[3]->value, "n");
  CHECK(all->arguments[2]->passed && !all->arguments[3]->passed);
  CHECK(all->space_size == 10 && all->counted);
  CHECK_TEXT(all->default_configuration->text, "BLOCK=64, ITEMS=1, KIND=0");
  CHECK_TEXT(all->default_configuration->values[1].name, "ITEMS");
  tune_description_free(all);
}

struct seen {
  unsigned evaluations, wrong;
  unsigned most;
};

static int count(const tune_progress* progress, void* context) {
  struct seen* seen = context;
  if (progress->evaluation->phase) {
    CHECK_TEXT(progress->evaluation->phase, "verify");
    CHECK(strstr(progress->evaluation->detail, "out") != NULL);
    CHECK_TEXT(tune_value(progress->evaluation, "KIND"), "1");
    ++seen->wrong;
  }
  return ++seen->evaluations >= seen->most;
}

static void run(tune_tuner* tuner, const tune_problem* problem) {
  struct seen seen = {0, 0, 100};
  const tune_result* result;
  size_t i, failed = 0;
  CHECK(tune_on_progress(tuner, count, &seen) == TUNE_OK);
  CHECK(tune_run(tuner, problem, NULL, 0, &result) == TUNE_OK);
  CHECK(result->end == TUNE_EXHAUSTED && result->count == 10 && result->right == 5);
  CHECK(seen.evaluations == 10 && seen.wrong == 5);
  for (i = 0; i < result->count; ++i) failed += result->evaluations[i]->phase != NULL;
  CHECK(failed == 5 && result->best == NULL);
  CHECK(result->phase_count == 1 && result->phase_failures[0] == 5);
  CHECK_TEXT(result->phases[0], "verify");
  tune_result_free(result);
  seen.evaluations = 0;
  seen.most = 3;
  CHECK(tune_run(tuner, problem, NULL, 0, &result) == TUNE_OK);
  CHECK(result->end == TUNE_CANCELLED && result->count == 3);
  tune_result_free(result);
}

/* The library finds the recordings that were installed with it. */
static void find_best(tune_tuner* tuner, const tune_problem* problem) {
  const tune_assignment sizes[] = {{"nx", "300"}, {"ny", "300"}};
  const tune_stored* stored;
  tune_problem* stencil;
  CHECK(tune_best(tuner, problem, NULL, 0, &stored) == TUNE_OK && stored == NULL);
  CHECK(tune_problem_built_in("stencil3d", &stencil) == TUNE_OK);
  CHECK(tune_best(tuner, stencil, sizes, 2, &stored) == TUNE_OK && stored != NULL);
  CHECK_TEXT(stored->match, "nearest size");
  CHECK(stored->seconds > 0 && strstr(stored->device, "NVIDIA") && stored->why[0] != 0);
  CHECK_TEXT(stored->configuration->values[0].name, "variant");
  tune_stored_free(stored);
  tune_problem_free(stencil);
}

/* There may be no GPU: what needs none. */
static void dispatch(const tune_problem* problem) {
  const tune_assignment options[] = {{"slowdown", "0.05"}, {"device", "emulator"}};
  tune_dispatcher* dispatcher;
  CHECK(tune_dispatcher_open(problem, options, 2, &dispatcher) == TUNE_WRONG_USE && dispatcher == NULL);
  CHECK(strstr(tune_message(), "launches on a GPU") != NULL);
  CHECK(tune_dispatcher_pause(NULL) == TUNE_WRONG_USE && tune_dispatcher_count(NULL) == 0);
  CHECK_TEXT(tune_dispatch_option(0), "device");
  tune_dispatcher_close(NULL);
}

int main(void) {
  const tune_assignment files[] = {{"scale.cu", source}, {"scale.h", header}};
  const tune_assignment unknown = {"m", "1"};
  tune_tuner* tuner;
  tune_problem* problem;
  const tune_description* none;
  size_t i, problems = 0;
  for (i = 0; tune_built_in(i); ++i) problems += strcmp(tune_built_in(i), "gemm") == 0;
  CHECK(problems == 1);
  CHECK_TEXT(tune_option(0), "device");
  CHECK(tune_problem_define(definition, NULL, files, 2, &problem) == TUNE_OK);
  CHECK(tune_open(&tuner) == TUNE_OK);
  CHECK(tune_set(tuner, "device", "emulator") == TUNE_OK);
  CHECK(tune_set(tuner, "strategy", "grid") == TUNE_OK);
  describe(NULL, problem);
  describe(tuner, problem);
  run(tuner, problem);
  find_best(tuner, problem);
  dispatch(problem);
  CHECK(tune_describe(tuner, problem, &unknown, 1, &none) == TUNE_WRONG_USE && none == NULL);
  CHECK_TEXT(tune_message(),
             "scale_in_c: 'm' is not a size or setting (did you mean 'n'?); there is: n, real");
  tune_close(tuner);
  tune_problem_free(problem);
  puts("all of it works");
  return 0;
}
