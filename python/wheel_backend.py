# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel: the package cutune with libtune, the program `tune` and the recordings inside (PEP 517).

It needs CMake, a C++20 compiler and what scripts/setup.sh names, and no other package of Python. The setting
`build-dir` takes what is already built: pip wheel . --config-settings build-dir=build"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "cutune"


def version():
    """Returns the version that CMakeLists.txt states."""
    return re.search(r"^project\(tune VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)


def _stated(name):
    """Returns a text that pyproject.toml states."""
    return re.search(rf'^{name} = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M).group(1)


def get_requires_for_build_wheel(config_settings=None):
    """Returns nothing: no package of Python is needed."""
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes what `pip` asks for before it builds."""
    folder = pathlib.Path(metadata_directory) / f"{NAME}-{version()}.dist-info"
    folder.mkdir(parents=True)
    for name, text in _metadata("any").items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the wheel, and returns its name."""
    for name in ("strip", "objdump"):
        if shutil.which(name) is None:
            raise SystemExit(f"cutune: building a wheel needs '{name}': install binutils")
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "prefix"
        _install((config_settings or {}).get("build-dir"), prefix)
        files = _files(prefix)
        platform = _platform([path for name, path in files.items() if name.endswith("/bin/tune") or ".so" in name])
        return _write(pathlib.Path(wheel_directory), files, platform)


def build_sdist(sdist_directory, config_settings=None):
    """Says that there is none."""
    raise SystemExit("cutune: there is no source distribution: build a wheel in the repository (pip wheel . --no-deps)")


def _run(*command):
    done = subprocess.run(command, cwd=ROOT)
    if done.returncode != 0:
        raise SystemExit(f"cutune: '{' '.join(command)}' failed: see the lines above; docs/reference/python.md says what a build needs")


def _install(build, prefix):
    """Builds libtune and the program, unless that was done, and installs both."""
    if build is None:
        build = ROOT / "build-python"
        cmake = shutil.which("cmake")
        if cmake is None:
            raise SystemExit("cutune: building needs CMake 3.25 and a C++20 compiler: call ./tune --version once, which "
                             "installs them, or install a wheel")
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        _run(cmake, "-S", str(ROOT), "-B", str(build), *generator, "-DCMAKE_BUILD_TYPE=Release", "-DTUNE_STATIC=ON",
             "-DTUNE_PYTHON=ON", "-DTUNE_TESTS=OFF")
        _run(cmake, "--build", str(build), "--parallel", str(os.cpu_count() or 1), "--target", "tune", "tune_shared")
    build = pathlib.Path(ROOT, build)
    program, library = build / "bin" / "tune", build / "library" / f"libtune.so.{version()}"
    if not program.is_file() or not library.is_file():
        raise SystemExit(f"cutune: '{build}' lacks {program.relative_to(build)} or {library.relative_to(build)}: leave out "
                         "build-dir, or build there first (./run-tests)")
    prefix.mkdir()
    for folder in ("bin", "lib", "share/tune/recordings"):
        (prefix / folder).mkdir(parents=True)
    shutil.copy(program, prefix / "bin" / "tune")
    shutil.copy(library, prefix / "lib" / library.name)
    for binary in (prefix / "bin" / "tune", prefix / "lib" / library.name):
        subprocess.run(["strip", str(binary)], check=False)
    for recording in sorted((ROOT / "db" / "recordings").glob("*.db")):
        shutil.copy(recording, prefix / "share" / "tune" / "recordings" / recording.name)


def _files(prefix):
    """Returns the files of the wheel by their names in it."""
    package = ROOT / "python" / NAME
    files = {f"{NAME}/{path.relative_to(package)}": path for path in sorted(package.rglob("*"))
             if path.is_file() and path.suffix != ".pyc"}
    for path in sorted(prefix.rglob("*")):
        if path.is_file():
            files[f"{NAME}/_tune/{path.relative_to(prefix)}"] = path
    return files


def _platform(binaries):
    """Returns the tag of the oldest glibc that has all symbols of these files; `linux` where they need more than glibc."""
    machine = os.uname().machine
    newest = (2, 17)
    known = re.compile(r"^(libc|libm|libdl|libpthread|librt|ld-linux[-\w]*)\.so")
    for binary in binaries:
        dynamic = subprocess.run(["objdump", "-p", str(binary)], check=True, stdout=subprocess.PIPE, text=True).stdout
        if [one for one in re.findall(r"NEEDED\s+(\S+)", dynamic) if not known.match(one)]:
            return f"linux_{machine}"
        newest = max([newest, *(tuple(map(int, one.split(".")[:2])) for one in re.findall(r"GLIBC_([0-9.]+)", dynamic))])
    return f"manylinux_{newest[0]}_{newest[1]}_{machine}"


def _licences():
    """Returns the licences of this project and, where Debian's packages are installed, of what is linked in, by their names."""
    files = {name: ROOT / name for name in ("LICENSE", "NOTICE")}
    packages = (ROOT / "cmake" / "TunePackages.cmake").read_text()
    for package in re.findall(r"[\w-]+(?=-dev\b)", re.search(r"foreach\(package ([^)]*)\)", packages).group(1)):
        files[package] = pathlib.Path("/usr/share/doc", f"{package}-dev", "copyright")
    return {name: path.read_text(encoding="utf-8") for name, path in files.items() if path.is_file()}


def _metadata(platform):
    licences = _licences()
    return {
        "METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\nSummary: {_stated('description')}\n"
                    "Author: the authors of tune\nLicense: Apache-2.0\n" + "".join(f"License-File: {name}\n" for name in licences)
                    + f"Requires-Python: {_stated('requires-python')}\nKeywords: CUDA,autotuning,GPU\n"
                    "Classifier: Environment :: GPU :: NVIDIA CUDA\nClassifier: License :: OSI Approved :: Apache Software License\n"
                    "Classifier: Operating System :: POSIX :: Linux\nClassifier: Programming Language :: Python :: 3\n"
                    "Classifier: Typing :: Typed\nDescription-Content-Type: text/markdown\n\n"
                    + (ROOT / _stated("readme")).read_text(encoding="utf-8"),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n",
        "entry_points.txt": f"[console_scripts]\ntune = {NAME}.__main__:main\n",
        **{f"licenses/{name}": text for name, text in licences.items()},
    }


def _write(folder, files, platform):
    info = f"{NAME}-{version()}.dist-info"
    name = f"{NAME}-{version()}-py3-none-{platform}.whl"
    record = []

    def add(wheel, inside, data, executable=False):
        entry = zipfile.ZipInfo(inside, (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        wheel.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{inside},sha256={digest},{len(data)}\n")

    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / name, "w") as wheel:
        for inside, path in files.items():
            add(wheel, inside, path.read_bytes(), executable=inside.endswith("/bin/tune"))
        for inside, text in _metadata(platform).items():
            add(wheel, f"{info}/{inside}", text.encode())
        record.append(f"{info}/RECORD,,\n")
        wheel.writestr(zipfile.ZipInfo(f"{info}/RECORD", (1980, 1, 1, 0, 0, 0)), "".join(record))
    return name


if __name__ == "__main__":
    print(build_wheel(sys.argv[1] if len(sys.argv) > 1 else "dist", {"build-dir": sys.argv[2]} if len(sys.argv) > 2 else None))
