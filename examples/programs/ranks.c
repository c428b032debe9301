// SPDX-License-Identifier: Apache-2.0
// Ranks in a grid exchange the rims of their parts of a square: the shape of the grid decides how much.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int ranks, rank, n = 2048, columns = count > 1 ? atoi(words[1]) : 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int extents[2] = {ranks / columns, columns}, periodic[2] = {1, 1};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  const int rim[2] = {n / extents[1], n / extents[0]};
  double* send = calloc((size_t)n, sizeof *send);
  double* receive = calloc((size_t)n, sizeof *receive);
  for (int i = 0; i < n; ++i) send[i] = rank;
  MPI_Barrier(grid);
  double start = MPI_Wtime(), sum = 0;
  for (int step = 0; step < 100; ++step)
    for (int axis = 0; axis < 2; ++axis) {
      int before, after;
      MPI_Cart_shift(grid, axis, 1, &before, &after);
      MPI_Sendrecv(send, rim[axis], MPI_DOUBLE, after, 0, receive, rim[axis], MPI_DOUBLE, before, 0, grid,
                   MPI_STATUS_IGNORE);
      sum += receive[0] - before;
    }
  double own = MPI_Wtime() - start, longest, wrong;
  MPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, grid);
  MPI_Reduce(&sum, &wrong, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
  if (rank == 0) printf("%.6f s, wrong %g\n", longest, wrong);
  MPI_Finalize();
  return rank == 0 && wrong != 0;
}
