// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/plan/host_step.hpp"
#include "tuner/plan/judgement.hpp"
#include "tuner/tensor/tensor.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune {

/// How the 16-byte pieces of a box's rows are exchanged in shared memory, against bank conflicts. The number
/// is the limit of a row in bytes.
enum class MapSwizzle { none, bytes_32, bytes_64, bytes_128 };

/// How many bytes around a line a copy brings to the L2 cache.
enum class MapPromotion { none, bytes_64, bytes_128, bytes_256 };

/// A tensor in global memory for the copy engine of compute capability 9.0 and later (CUtensorMap, tiled, not
/// interleaved, element strides of 1): one instruction copies a box of it to shared memory, with zeros for
/// elements outside of the tensor. A box may begin anywhere, also outside, but along dimension 0 at a
/// multiple of 16 bytes: otherwise the device stops with an illegal instruction (seen on an H200; the
/// emulator reports it).
struct TensorMapSpec {
  std::uint64_t offset = 0;            ///< of element (0, 0, ...), elements of the buffer behind its first
  std::vector<std::uint64_t> extents;  ///< 1 to 5, the fastest one first
  std::vector<std::uint64_t> strides;  ///< bytes to the next one along dimensions 1, 2, ...: one fewer
  std::vector<std::uint32_t> box;      ///< elements along each dimension that one copy moves
  MapSwizzle swizzle = MapSwizzle::none;
  MapPromotion promotion = MapPromotion::bytes_128;
  /// Elements of the buffer that make one of the map, such as the channels of a pixel. Together they have 1,
  /// 2, 4 or 8 bytes.
  std::uint32_t group = 1;

  friend bool operator==(const TensorMapSpec&, const TensorMapSpec&) = default;
};

/// What a texture reads: the buffer as a vector (tex1Dfetch), the buffer as rows of one pitch (tex2D), or a
/// CUDA array that holds a copy of the buffer.
enum class TextureMemory { linear, pitched, array };

/// What lies outside of a texture: the texture again, its edge, its mirror image, zero. As in CUDA, wrap and
/// mirror without normalised coordinates act as clamp.
enum class AddressMode { wrap, clamp, mirror, border };

/// Reads the texel that a coordinate lies in, or the weighted mean of those around it. The weights have 8
/// bits behind the point.
enum class FilterMode { point, linear };

/// Reads elements as they are, or integers as numbers in [0, 1] or [-1, 1].
enum class ReadMode { element, normalized };

/// A texture as kernels see it (cudaTextureDesc, cudaResourceDesc). Borders are zero; there are no layers,
/// levels or cubes.
struct TextureSpec {
  TextureMemory memory = TextureMemory::array;
  int dimensions = 2;  ///< 1 to 3; of linear memory 1, of pitched memory 2
  int channels = 1;    ///< elements of a texel: 1, 2 or 4
  std::array<AddressMode, 3> address = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  FilterMode filter = FilterMode::point;
  ReadMode read = ReadMode::element;
  bool normalized_coordinates = false;
  bool gather = false;  ///< allows tex2Dgather: arrays of two dimensions

  friend bool operator==(const TextureSpec&, const TextureSpec&) = default;
};

/// A source text that a kernel includes, or the kernel itself.
struct SourceFile {
  std::string name;  ///< in `#include` and messages: `stencil/direct.cu`
  std::string text;
};

/// The compiler that makes a binary for a GPU; automatic: NVRTC, and nvcc for what NVRTC cannot take.
enum class CompilerName { automatic, nvrtc, nvcc };

/// Everything that determines a device binary, except the architecture and the compiler.
struct CompileRequest {
  SourceFile source;
  std::vector<SourceFile> headers;                           ///< that the source may `#include`
  std::vector<std::pair<std::string, std::string>> defines;  ///< BLOCK_X -> 32
  std::vector<std::string> options;                          ///< further compiler options
  std::vector<std::string> entries;  ///< kernels: `extern "C"` names or C++ name expressions
  /// Compiles for features that later architectures lack (`sm_90a` in place of `sm_90`).
  bool architecture_specific = false;
  CompilerName compiler = CompilerName::automatic;
};

/// Returns the whole request as one text: for equal texts a compiler makes equal binaries.
std::string content_of(const CompileRequest& request);

/// True where NVRTC's options make it read or write files on disk: the request alone then does not determine
/// the binary.
bool uses_files(const CompileRequest& request);

/// True where the request's texts include each other alone, so that a compiler reads no other file.
bool is_self_contained(const CompileRequest& request);

enum class BufferRole { input, output, scratch };

/// What outputs and scratch memory hold before the first launch. Zero is for memory that launches leave as
/// they found it (the counter of a grid's barrier), because a measurement repeats them without filling
/// buffers again. Contents are those of the input tensor of the same name, for outputs that are also read.
enum class BufferFill { poison, zero, contents };

/// Where the memory of a buffer lies. Kernels reach the device's memory and, slowly, pinned memory of the
/// host; copies reach all. Only pinned memory is copied while the host does something else.
enum class MemoryPlace { device, pinned, pageable };

/// `device`, `pinned`, `pageable`.
std::string_view to_string(MemoryPlace place);

/// The planes of a tensor, along its slowest axis, that a buffer holds. The slabs of several devices overlap
/// by ghost planes.
struct TensorPart {
  std::string tensor;       ///< empty: the buffer holds the whole tensor of its own name
  std::uint64_t first = 0;  ///< the plane of the tensor that is the buffer's first one
  /// Planes of the buffer: of an output only these are results.
  std::uint64_t begin = 0, end = 0;
  friend bool operator==(const TensorPart&, const TensorPart&) = default;
};

/// Memory that a plan needs. Inputs are filled from the tensor of the same name, outputs are poisoned
/// before a checked launch and compared with the reference of the same name.
struct BufferSpec {
  std::string name;
  ElementType type = ElementType::f32;
  Layout layout;
  BufferRole role = BufferRole::input;
  /// Kernels may read the memory beside the tensor before it was written: ghost cells that do not affect
  /// results.
  bool readable_padding = false;
  BufferFill fill = BufferFill::poison;  ///< zero: scratch only; contents: no input
  /// For an input: a `__constant__` or `__device__` variable that gets a copy of the allocation, with its
  /// namespaces (`filters::weights`), where the binary has it. Empty: none.
  std::string symbol = {};
  MemoryPlace place = MemoryPlace::device;
  /// Of an input: an output, whose right contents it holds instead of a tensor of its own name.
  std::string reference_of = {};
  /// The source's text does not show the variable `symbol`, and no launch takes the buffer: the binary must
  /// have it.
  bool symbol_is_hidden = false;
  TensorPart part = {};
  /// The device that it lies on, among those of the plan; pinned memory of the host is taken there.
  std::uint32_t device = 0;

  bool on_host() const { return place != MemoryPlace::device; }
  std::uint64_t allocation_bytes() const { return layout.allocation * element_size(type); }
};

/// True for what kernels read and write: each execution changes what the next one begins with.
inline bool is_in_place(const BufferSpec& buffer) {
  return buffer.fill == BufferFill::contents;
}

/// Returns a sentence where the contents are larger than their variable, which has this many bytes.
std::string unfit_variable(const BufferSpec& buffer, std::uint64_t bytes);

/// Returns a sentence where the binary, which has these variables, lacks that of a buffer that needs it.
std::string missing_variable(const std::vector<BufferSpec>& buffers,
                             const std::vector<std::string>& variables);

/// Returns the value of every byte of an output or scratch buffer before a checked run: 0xff (NaN in floating
/// point) or 0. Throws Error where a buffer other than scratch asks for zeros.
int initial_byte(const BufferSpec& buffer);

/// The address of logical element (0, 0, ...) of a buffer, or of an element `offset` behind it.
struct BufferArgument {
  std::string buffer;
  std::uint64_t offset = 0;  ///< elements of the allocation, whatever its strides
  /// The launch touches only so many elements of this buffer through this argument; 0: any. Steps without an
  /// order between them need it to work on parts of one buffer.
  std::uint64_t count = 0;
  /// The launch only reads through this argument.
  bool read_only = false;
  friend bool operator==(const BufferArgument&, const BufferArgument&) = default;
};
/// A value; floating point of 16 bits as its bits, a truth value as a byte.
using ScalarArgument = std::variant<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double,
                                    std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>;
/// A texture object (`cudaTextureObject_t`) over a buffer. Kernels only read through it. An array is a copy
/// of an input, made when the input is filled. A launch must not read through a texture what it writes
/// itself.
struct TextureArgument {
  std::string buffer;
  TextureSpec texture;
  friend bool operator==(const TextureArgument&, const TextureArgument&) = default;
};
/// A tensor map (`const __grid_constant__ CUtensorMap`, 128 bytes) over a buffer on the device. Through it
/// kernels read what the buffer was filled with and what earlier launches wrote.
struct TensorMapArgument {
  std::string buffer;
  TensorMapSpec map;
  friend bool operator==(const TensorMapArgument&, const TensorMapArgument&) = default;
};
/// An address inside a struct.
struct StructPointer {
  std::uint64_t place = 0;  ///< bytes from the struct's first
  BufferArgument target;
  friend bool operator==(const StructPointer&, const StructPointer&) = default;
};
/// A struct by value, as the kernel's compiler lays it out.
struct StructArgument {
  std::vector<std::byte> bytes;
  std::vector<StructPointer> pointers = {};  ///< 8 bytes each
  friend bool operator==(const StructArgument&, const StructArgument&) = default;
};
using KernelArgument =
    std::variant<BufferArgument, ScalarArgument, TextureArgument, TensorMapArgument, StructArgument>;

/// Calls `use` for the buffer of an address among the launch's arguments, those inside of structs included.
template<class Use>
void each_buffer(const KernelArgument& argument, const Use& use) {
  if (const auto* given = std::get_if<BufferArgument>(&argument)) use(*given);
  if (const auto* object = std::get_if<StructArgument>(&argument))
    for (const StructPointer& pointer : object->pointers) use(pointer.target);
}

/// Puts the address that `address_of` returns for each target into the struct's bytes.
template<class AddressOf>
void place_pointers(StructArgument& object, const AddressOf& address_of) {
  for (const StructPointer& pointer : object.pointers) {
    const auto address = reinterpret_cast<std::uint64_t>(address_of(pointer.target));
    std::memcpy(object.bytes.data() + pointer.place, &address, sizeof address);
  }
}

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// When a step may begin. Steps of one stream run one after another in the plan's order; steps of different
/// streams may overlap, unless `after` orders them. All streams of a plan begin together, and a plan has
/// ended when all have. When a plan is launched again, its first steps wait for all steps of the launch
/// before. A device runs the steps of its own streams: kernels there reach buffers of other devices where
/// these have peer access, copies always do. Stream 0 is of device 0.
struct StepOrder {
  std::uint32_t stream = 0;             ///< below max_streams
  std::vector<std::size_t> after = {};  ///< earlier steps, by their index among the launches
  std::uint32_t device = 0;             ///< the same for all steps of a stream
  friend bool operator==(const StepOrder&, const StepOrder&) = default;
};
inline constexpr std::uint32_t max_streams = 64;
inline constexpr std::uint32_t max_devices = 16;

/// One kernel launch. A kernel of the processor is a function that is called once: grid and block are 1.
struct Launch {
  std::string entry;  ///< one of CompileRequest::entries
  Dim3 grid;
  Dim3 block;
  std::uint64_t dynamic_shared_memory = 0;  ///< bytes; above 48 KiB the runner opts in
  bool cooperative = false;
  std::vector<KernelArgument> arguments;
  StepOrder order = {};
};

/// Adds the launch's textures to `all`, each once.
void add_textures(const Launch& launch, std::vector<TextureArgument>& all);

/// From real numbers to their complex spectrum, or back. Neither is scaled: the inverse of the forward
/// transform multiplies by the number of cells.
enum class FourierDirection { forward, inverse };

/// A transform of real numbers along all or the faster dimensions, by cuFFT on a device. fourier_shape checks
/// the buffers.
///
/// Both buffers hold elements of one type, f32 or f64, and have the transform's dimensions; their strides say
/// where rows begin, their extents do not matter. Real rows have nx elements. Complex rows have the nx / 2 +
/// 1 values that are no conjugates of others, each an element for the real and one for the imaginary part: 2
/// * (nx / 2 + 1) elements. Element k of a forward transform is sum over j of in[j] * exp(-2 pi i j k / n).
struct FourierTransform {
  FourierDirection direction = FourierDirection::forward;
  std::string input;     ///< a buffer; an inverse transform overwrites it
  std::string output;    ///< a buffer, the input's name for a transform in place
  Extents extents;       ///< of the real numbers: {nx}, {nx, ny} or {nx, ny, nz}
  std::size_t axes = 3;  ///< runs along the first so many; the others count transforms
  StepOrder order = {};
  friend bool operator==(const FourierTransform&, const FourierTransform&) = default;
};

/// Where a copy reads or writes: elements of an allocation, counted from logical element (0, 0, ...).
struct CopySide {
  std::string buffer;
  std::uint64_t offset = 0;  ///< of the first element
  /// Elements from one row to the next, at least a row's; ignored for one row.
  std::uint64_t pitch = 0;
  friend bool operator==(const CopySide&, const CopySide&) = default;
};

/// Copies elements from one buffer to another of the same type, or within one, between host and device or on
/// the device. They are contiguous, or rows that lie `pitch` elements apart.
struct Copy {
  CopySide from;
  CopySide to;              ///< not an input
  std::uint64_t width = 0;  ///< elements of a row
  std::uint64_t rows = 1;
  StepOrder order = {};
  friend bool operator==(const Copy&, const Copy&) = default;
};

/// Sets all bytes of a buffer to zero.
struct Zero {
  std::string buffer;  ///< not an input
  StepOrder order = {};
  friend bool operator==(const Zero&, const Zero&) = default;
};

/// Code of the host. A plan with such a step has one stream, runs in the process of the caller only, and is
/// never a graph.
struct HostStep {
  std::string name;  ///< for messages
  HostCode code = {};
  std::size_t again =
      0;  ///< the earlier step, among the launches, at which the plan goes on if the code says so
  StepOrder order = {};
};

/// One step of a plan.
using PlanStep = std::variant<Launch, FourierTransform, Copy, Zero, HostStep>;

/// When executions are recorded as a CUDA graph and started as a whole: as the tuner chooses, always, or
/// never.
enum class GraphUse { automatic, always, never };

/// The plan of a configuration at a size: what to compile, which buffers, which steps in which order. Plain
/// data that every backend (a GPU, the emulator) carries out.
struct LaunchPlan {
  CompileRequest compile;
  std::vector<BufferSpec> buffers;
  /// Steps that run once, after the buffers are filled and before the launches, and are not timed, such as
  /// the spectrum of a filter that an application computes once for all calls. No launch may change a buffer
  /// that they write, because launches are repeated.
  std::vector<PlanStep> setup = {};
  std::vector<PlanStep> launches = {};  ///< in the order in which they are enqueued
  /// Steps that judge results: they run once after each checked execution and are not timed.
  std::vector<PlanStep> checks = {};
  /// Replaces the problem's, where rounding depends on the algorithm.
  std::optional<Tolerance> tolerance = std::nullopt;
  GraphUse graph = GraphUse::automatic;
  /// How often an execution does the problem's work: times and energies are divided by it. Positive.
  double work_per_execution = 1;
  SharedJudgement judgement = nullptr;
  /// Variables of the environment of the process that runs a kernel of the processor.
  std::vector<std::pair<std::string, std::string>> environment = {};

  /// Throws Error for a name that the plan lacks.
  const BufferSpec& buffer(std::string_view name) const;
  /// Returns the textures of all launches, the setup included, each once.
  std::vector<TextureArgument> textures() const;
  /// Returns how many devices carry it out.
  std::uint32_t devices() const;
  /// Returns the bytes of device memory of the buffers and of the arrays that textures read. Only cuFFT knows
  /// what a Fourier transform needs besides.
  std::uint64_t memory() const;
  /// Returns the bytes of the buffers in host memory.
  std::uint64_t host_memory() const;
};

/// Returns the setup, the launches and the checks; valid until the plan changes.
std::vector<const PlanStep*> all_steps(const LaunchPlan& plan);
/// Returns all steps that launch a kernel, in their order; valid until the plan changes.
std::vector<const Launch*> kernel_launches(const LaunchPlan& plan);

const StepOrder& order_of(const PlanStep& step);

/// Names a step in messages: `forward Fourier transform of 'in' to 'spectrum'`, `copy of 'a' to 'slot 1'`,
/// the entry of a kernel.
std::string step_name(const FourierTransform& transform);
std::string step_name(const Copy& copy);
std::string step_name(const Zero& zero);
std::string step_name(const HostStep& step);
std::string step_name(const PlanStep& step);

/// Returns buffers, setup and launches as one text: plans with equal texts and equal machine code do the
/// same.
std::string launches_of(const LaunchPlan& plan);

}  // namespace tune
