// SPDX-License-Identifier: Apache-2.0
// A loop whose iterations grow: how threads share it matters. OMP_SCHEDULE and OMP_NUM_THREADS decide.
#include <omp.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 4000;
  const double start = omp_get_wtime();
  double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 1; i <= n; ++i)
    for (int j = 0; j < i; ++j) sum += std::sqrt(static_cast<double>(i * j % 7));
  std::printf("%.3f ms\n", 1e3 * (omp_get_wtime() - start));
  return sum > 0 ? 0 : 1;
}
