#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches the kernels that the definitions of this folder describe, as their authors published them, into `sources`.
# Each file is compared with its hash. Calling it again fetches what is missing.
# TUNE_PUBLIC_SOURCES=URL takes them from another place with the same paths: URL/OWNER/REPOSITORY/COMMIT/PATH
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
from=${TUNE_PUBLIC_SOURCES:-https://raw.githubusercontent.com}
command -v curl >/dev/null || { echo "fetch.sh: curl is missing; install it and call again" >&2; exit 1; }

fetch() { # SHA256 OWNER/REPOSITORY COMMIT PATH
  local to=sources/${2#*/}/$4
  if [[ -f $to ]] && sha256sum --check --status <<<"$1  $to"; then return; fi
  mkdir -p "$(dirname "$to")"
  curl --fail --silent --show-error --location --retry 2 --output "$to.part" "$from/$2/$3/$4" ||
    { echo "fetch.sh: cannot fetch $from/$2/$3/$4" >&2; exit 1; }
  sha256sum --check --status <<<"$1  $to.part" ||
    { echo "fetch.sh: $from/$2/$3/$4 is another file than the one described" >&2; rm "$to.part"; exit 1; }
  mv "$to.part" "$to"
}

while read -r hash repository commit path; do
  fetch "$hash" "$repository" "$commit" "$path"
done <<'LIST'
cbe2f26344df65a7c88b9c41f60df1623775125ab111c0322128ddc5512347e9 cavazos-lab/PolyBench-ACC 70ea4ca9047dc4ec9c3ca79b4c91b3b2cc1510e7 CUDA/linear-algebra/kernels/atax/atax.cu
17c85c438d7bfa35755fd9d3bc285252e2fab1686bee020b27e1d2473a145507 cavazos-lab/PolyBench-ACC 70ea4ca9047dc4ec9c3ca79b4c91b3b2cc1510e7 CUDA/linear-algebra/kernels/atax/atax.cuh
835beb1504dd98a6efe234553fe0688f18cfa2584730e0596a483d4189b341f7 cavazos-lab/PolyBench-ACC 70ea4ca9047dc4ec9c3ca79b4c91b3b2cc1510e7 CUDA/stencils/convolution-2d/2DConvolution.cu
75d95db66df9272b66d07a94aff05d668a3b5be4182558ea627aae121d8bdab2 cavazos-lab/PolyBench-ACC 70ea4ca9047dc4ec9c3ca79b4c91b3b2cc1510e7 CUDA/stencils/convolution-2d/2DConvolution.cuh
361d69a5731e6ebed0d95fd239f24564b5e425d40b2f6a47a81ff8e377c16d0b cavazos-lab/PolyBench-ACC 70ea4ca9047dc4ec9c3ca79b4c91b3b2cc1510e7 CUDA/utilities/polybench.h
b5c1e1819e67112225c27664e14719c425b64761ff7ef3d746a4022fa7bf7ccc cavazos-lab/PolyBench-ACC 70ea4ca9047dc4ec9c3ca79b4c91b3b2cc1510e7 CUDA/utilities/polybenchUtilFuncts.h
0f679be008be285d26ebd7d71eba47b164914dd52873c26ee63beecda2f68cc0 yuhc/gpu-rodinia 9c10d3ea16ddba2ba057cc3951a9efc4c2cc18a4 cuda/hotspot/hotspot.cu
b1084864b2efc0b487f97463b055b809690aa948bf0308d1574d00788f8b3cff yuhc/gpu-rodinia 9c10d3ea16ddba2ba057cc3951a9efc4c2cc18a4 cuda/pathfinder/pathfinder.cu
93efbc8828167136721311388a9cf612954bfe8ec9827b75a67ef0152a3834eb karpathy/llm.c f1e2ace651495b74ae22d45d1723443fd00ecd3a dev/cuda/adamw.cu
ed6c8170cc350ac358ab473ee354b3f227e714ca4ac10fd0857e3940c450486e karpathy/llm.c f1e2ace651495b74ae22d45d1723443fd00ecd3a dev/cuda/attention_forward.cu
cf73117df76f26ce18ba03a5c67c4de96478fb627c0467675c316ad9b05bcfed karpathy/llm.c f1e2ace651495b74ae22d45d1723443fd00ecd3a dev/cuda/common.h
f17d02e245e9f133e9658f1d3a9e05986f95d6e0471ebd0f1ac48bdea6e544d0 karpathy/llm.c f1e2ace651495b74ae22d45d1723443fd00ecd3a dev/cuda/layernorm_forward.cu
6fa8ee47cd61200de30745485b2727f526a64baf10b9f2066e8e37857c016cdb siboehm/SGEMM_CUDA 60cba6f9b20a198116c76f18de8047f44df8c8b8 src/kernels/10_kernel_warptiling.cuh
19dea69f082f74f0de397093da92e1b8ac18a1c41e02dd5a32ab5b29f7623a59 siboehm/SGEMM_CUDA 60cba6f9b20a198116c76f18de8047f44df8c8b8 src/kernels/1_naive.cuh
b0e5e1e20960dbf64891d9c1578b4c69872d926063eba4081a6ce9df3daee124 NVIDIA/cuda-samples c94ff366aed18c797b8a85dfaac7817b0228b420 Common/helper_math.h
c9ac9a9a424726522dd616fa24d58e6f0919ac95dd746a233d5fb857bffffde9 NVIDIA/cuda-samples c94ff366aed18c797b8a85dfaac7817b0228b420 Samples/2_Concepts_and_Techniques/reduction/reduction_kernel.cu
9ef939e5fbce5bb75b4c1d5e60d104a2280c718892ba5242c520c0f88a90d141 NVIDIA/cuda-samples c94ff366aed18c797b8a85dfaac7817b0228b420 Samples/5_Domain_Specific/bilateralFilter/bilateral_kernel.cu
LIST
