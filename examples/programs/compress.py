# SPDX-License-Identifier: Apache-2.0
"""Compresses generated text in chunks: a higher level takes longer and leaves fewer bytes."""
import argparse
import json
import time
import zlib

parser = argparse.ArgumentParser()
parser.add_argument("--level", type=int, required=True)
parser.add_argument("--chunk", type=int, required=True, help="KiB")
options = parser.parse_args()
text = "".join(f"{i * 7919 % 10007},{i * i % 613}\n" for i in range(40000)).encode()
size = options.chunk * 1024
start = time.perf_counter()
parts = [zlib.compress(text[at:at + size], options.level) for at in range(0, len(text), size)]
seconds = time.perf_counter() - start
assert b"".join(map(zlib.decompress, parts)) == text
print(json.dumps({"seconds": seconds, "bytes": sum(map(len, parts))}))
