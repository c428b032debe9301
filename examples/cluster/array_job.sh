#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A task of a Slurm array job: tunes the works of one file of `tune plan`. A task that is started again continues.
#   tune plan --works works.txt --jobs 8 --out plan
#   sbatch --array=1-8 array_job.sh plan
#   tune db merge plan/*.db
#SBATCH --gres=gpu:1 --cpus-per-task=16 --time=02:00:00 --requeue
set -eu
plan=${1:?give the folder of the plan}
task=${SLURM_ARRAY_TASK_ID:?start this script with sbatch --array=1-N}
# Compiled kernels stay on the node. Each task has a database of its own.
export TUNE_CACHE_DIR="${TUNE_CACHE_DIR:-${TMPDIR:-/tmp}/tune-binaries}"
exec tune run --works "$plan/$task.works" --db "$plan/$task.db" --device "${DEVICE:-cuda:0}" \
  --budget-time "${BUDGET:-5m}" --quiet
