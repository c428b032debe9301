# SPDX-License-Identifier: Apache-2.0
"""Arrays of NumPy, CuPy, PyTorch, Numba and of the standard library as bytes with a type and a shape."""
import array as standard_array
import ctypes
import importlib

from . import _native

__all__ = ["HostArray", "device_of", "host_array", "is_array", "on_device", "scalar"]

# The kinds and bytes of __array_interface__, and the types of a definition.
_TYPES = {"f2": "float16", "f4": "float32", "f8": "float64", "i1": "int8", "i2": "int16", "i4": "int32",
          "i8": "int64", "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64", "b1": "bool"}
_SIZES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "int8": 1, "int16": 2, "int32": 4, "int64": 8,
          "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1}
# Formats of the buffer protocol.
_FORMATS = {"e": "float16", "f": "float32", "d": "float64", "b": "int8", "h": "int16", "i": "int32", "q": "int64",
            "B": "uint8", "H": "uint16", "I": "uint32", "Q": "uint64", "?": "bool", "c": "uint8", "l": "int64",
            "L": "uint64"}


class HostArray:
    """The elements of an array in host memory, in C order."""

    def __init__(self, data, type, shape):
        self.data, self.type, self.shape = data, type, tuple(int(extent) for extent in shape)

    @property
    def count(self):
        """The number of elements."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count


def is_array(value):
    """Returns whether a value is an array, on the host or on a device."""
    if isinstance(value, (str, int, float, complex, bool)) or value is None:
        return False
    if _is_tensor(value):
        return tuple(value.shape) != ()
    if getattr(value, "shape", None) == () and not hasattr(value, "__cuda_array_interface__"):
        return False  # a scalar of NumPy, or an array without dimensions
    return (hasattr(value, "__cuda_array_interface__") or hasattr(value, "__array_interface__")
            or hasattr(value, "__dlpack__") or isinstance(value, (bytes, bytearray, memoryview, standard_array.array)))


def host_array(value, name):
    """Returns an array's elements. `name` is that of the argument, for errors.

    Takes arrays with `__dlpack__`, `__cuda_array_interface__` (CuPy, Numba, PyTorch on a GPU; copied from the device),
    `__array_interface__` (NumPy), PyTorch tensors on the host, and the buffer protocol. Raises ValueError for an
    array that is not in C order, TypeError for elements that no kernel's argument can have."""
    if hasattr(value, "mask") and hasattr(value, "filled"):
        raise ValueError(f"argument '{name}': a masked array has elements without a value: pass array.filled(value)")
    if _is_tensor(value):
        return _from_tensor(value, name)
    if hasattr(value, "__cuda_array_interface__"):
        return _from_device(value.__cuda_array_interface__, name)
    if hasattr(value, "__array_interface__"):
        return _from_host(value, name)
    if hasattr(value, "__dlpack__"):
        return host_array(_by_dlpack(value, name), name)
    try:
        view = memoryview(value)
    except TypeError:
        raise TypeError(f"argument '{name}': {_native.kind(value)} is no array: pass an array of NumPy, CuPy or "
                        "PyTorch, or a buffer") from None
    if not view.c_contiguous:
        raise ValueError(f"argument '{name}': its elements are not in C order: pass a copy that is")
    element = _FORMATS.get(view.format.lstrip("@=<"))
    if element is None:
        raise TypeError(f"argument '{name}': elements of the format '{view.format}' are no argument of a kernel")
    return HostArray(view.tobytes(), element, view.shape or (view.nbytes,))


def _by_dlpack(value, name):
    """Returns an array that has nothing but the protocol DLPack as one of NumPy, CuPy or PyTorch, without a copy."""
    kind = int(value.__dlpack_device__()[0])
    if kind in (1, 3):  # host memory, that of CUDA too
        modules = ["numpy", "torch"]
    elif kind in (2, 13):  # of CUDA's devices, managed memory too
        modules = ["cupy", "torch"]
    else:
        raise TypeError(f"argument '{name}' lies on a device that is not of CUDA (DLPack's kind {kind}): copy it to the host")
    for module in modules:
        try:
            return importlib.import_module(module).from_dlpack(value)
        except ImportError:
            continue
    raise TypeError(f"argument '{name}' is an array of DLPack alone, and neither {' nor '.join(modules)} is installed, which can "
                    "take it")


def _element_type(typestr, name):
    order, kind = typestr[0], typestr[1:]
    if order == ">" or kind not in _TYPES:
        raise TypeError(f"argument '{name}': elements of the type '{typestr}' are no argument of a kernel: "
                        f"convert it to one of {', '.join(sorted(set(_TYPES.values())))}")
    return _TYPES[kind]


def _check_order(strides, shape, element, name):
    expected = _SIZES[element]
    for stride, extent in zip(reversed(strides or ()), reversed(shape)):
        if extent > 1 and stride != expected:
            raise ValueError(f"argument '{name}': its elements are not in C order: pass a copy that is "
                             "(numpy.ascontiguousarray)")
        expected *= extent


def _from_host(value, name):
    interface = value.__array_interface__
    element = _element_type(interface["typestr"], name)
    _check_order(interface.get("strides"), interface["shape"], element, name)
    array = HostArray(b"", element, interface["shape"])
    if hasattr(value, "tobytes"):
        array.data = value.tobytes()
    elif array.count:
        address = (interface.get("data") or (0,))[0]
        if not isinstance(address, int) or address == 0:
            raise TypeError(f"argument '{name}': the __array_interface__ of {_native.kind(value)} has no address: pass "
                            "numpy.asarray of it")
        array.data = ctypes.string_at(address, array.count * _SIZES[element])
    return array


def _is_tensor(value):
    return type(value).__module__.split(".")[0] == "torch" and hasattr(value, "data_ptr")


def _tensor_type(value, name):
    element = str(value.dtype).split(".")[-1]
    if element not in _SIZES:
        raise TypeError(f"argument '{name}': elements of the type {value.dtype} are no argument of a kernel")
    return element


def _from_tensor(value, name):
    element = _tensor_type(value, name)
    if not value.is_contiguous():
        raise ValueError(f"argument '{name}': its elements are not in C order: pass tensor.contiguous()")
    held = value.detach().cpu().contiguous()
    size = held.numel() * held.element_size()
    return HostArray(ctypes.string_at(held.data_ptr(), size) if size else b"", element, tuple(value.shape))


def _from_device(interface, name):
    element = _element_type(interface["typestr"], name)
    _check_order(interface.get("strides"), interface["shape"], element, name)
    array = HostArray(b"", element, interface["shape"])
    size = array.count * _SIZES[element]
    if size:
        array.data = _copy_from_device(interface["data"][0], size, name)
    return array


def on_device(value, name):
    """Returns the type of the elements and the address of an array on a device; None for what is none."""
    if _is_tensor(value):
        if not value.is_cuda:
            return None
        if not value.is_contiguous():
            raise ValueError(f"argument '{name}': its elements are not in C order: pass tensor.contiguous()")
        return _tensor_type(value, name), value.data_ptr()
    if not hasattr(value, "__cuda_array_interface__"):
        if hasattr(value, "__array_interface__") or not hasattr(value, "__dlpack__") or value.__dlpack_device__()[0] in (1, 3):
            return None
        return on_device(_by_dlpack(value, name), name)  # the memory is that of `value`, which the caller holds
    interface = value.__cuda_array_interface__
    element = _element_type(interface["typestr"], name)
    _check_order(interface.get("strides"), interface["shape"], element, name)
    return element, interface["data"][0]


def device_of(value):
    """Returns the number of the device on which an array of PyTorch, CuPy or Numba lies; None if that is not known."""
    device = getattr(value, "device", None)
    number = getattr(device, "index" if _is_tensor(value) else "id", None)
    return number if isinstance(number, int) else None


def _copy_from_device(address, size, name):
    """Copies bytes of the device's memory, in the context of the CUDA runtime (its primary one)."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise ValueError(f"argument '{name}' lies on a device, and there is no CUDA driver here") from None
    buffer = ctypes.create_string_buffer(size)
    ordinal, context, before = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    pointer = ctypes.c_uint64(address)

    def call(function, *arguments):
        status = getattr(driver, function)(*arguments)
        if status != 0:
            raise ValueError(f"argument '{name}': its elements cannot be read from the device "
                             f"({function} returned {status})")

    call("cuInit", 0)
    place = ctypes.c_int()
    call("cuPointerGetAttribute", ctypes.byref(place), 9, pointer)  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    call("cuDeviceGet", ctypes.byref(ordinal), place)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), ordinal)
    try:
        call("cuCtxPushCurrent_v2", context)
        try:
            call("cuCtxSynchronize")
            call("cuMemcpyDtoH_v2", buffer, pointer, ctypes.c_size_t(size))
        finally:
            call("cuCtxPopCurrent_v2", ctypes.byref(before))
    finally:
        driver.cuDevicePrimaryCtxRelease_v2(ordinal)
    return buffer.raw


def scalar(value, name):
    """Returns the type and the value of a number: NumPy's scalars have their types, a Python int is an int32 (an
    int64 if it needs 64 bits), and a float is a float32. Raises TypeError for anything else."""
    dtype = getattr(value, "dtype", None)
    if dtype is not None and getattr(value, "shape", None) == () and hasattr(value, "item"):
        element = str(dtype).split(".")[-1]
        if element in _SIZES:
            return element, value.item()
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, int):
        if -2**31 <= value < 2**31:
            return "int32", value
        if -2**63 <= value < 2**64:
            return ("int64" if value < 2**63 else "uint64"), value
        raise ValueError(f"argument '{name}': {value} needs more than 64 bits")
    if isinstance(value, float):
        return "float32", value
    raise TypeError(f"argument '{name}': {_native.kind(value)} is neither a number nor an array: pass an array of NumPy, "
                    "CuPy or PyTorch (numpy.asarray), or a number")
