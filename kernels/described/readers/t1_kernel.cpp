// SPDX-License-Identifier: Apache-2.0
// KernelSpecification of T1: the source, its options, arguments and the one launch.
#include <algorithm>
#include <cmath>
#include <regex>
#include <sstream>

#include "kernels/described/readers/definition.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::described::t1 {
namespace {

/// Records once why the definition cannot be run; its space can be shown nevertheless.
void refuse(KernelDescription& definition, const JsonField& field, const std::string& reason) {
  if (definition.unusable.empty()) definition.unusable = field.place().located(reason);
}

/// The error that KTT's relative comparison always allows.
constexpr double smallest_difference = 1e-4;

/// Returns why these contents cannot be made, and a cure; empty for those that can.
std::string obstacle(const JsonField& field, const std::string& kind, const std::string& name) {
  const auto source = field.find("DataSource");
  if (kind == "script")
    return format(
        "scripts are never run: write the contents of '{}' to a file (numpy: a.tofile(\"{}.bin\")), "
        "then FillType BinaryRaw and that file as DataSource",
        name, name);
  if (kind == "binaryhdf")
    return format(
        "HDF5 is not read: write the array to a file with `h5dump -d /{} -b LE -o {}.bin {}`, then "
        "FillType BinaryRaw and {}.bin as DataSource",
        name, name, source && source->is_text() ? source->text() : "FILE.h5", name);
  if (kind == "constant" || kind == "random" || kind == "generator" || kind == "binaryraw") return {};
  return format("'{}' cannot be filled in here; there are Constant, Random, Generator, BinaryRaw", kind);
}

Contents read_contents(const JsonField& field, const std::string& kind, const std::filesystem::path& folder) {
  Contents contents;
  const auto given = field.find("FillValue");
  const Expression number = given ? given->constant() : Expression{0.0, field.place()};
  if (const auto seed = field.find("RandomSeed"))
    contents.seed = static_cast<std::uint64_t>(seed->written_integer());
  if (kind == "constant") {
    contents.kind = Contents::Kind::constant;
    contents.value = number;
  } else if (kind == "random") {
    contents.high = given && given->written_number() > 0 ? number : Expression{1.0, field.place()};
  } else if (kind == "generator") {
    // KTT's formula for each element, over its number i.
    const auto formula = field.find("DataSource");
    contents.kind = formula ? Contents::Kind::formula : Contents::Kind::sequence;
    if (formula) contents.formula = formula->expression();
    contents.value = number;
  } else if (kind == "binaryraw") {
    contents.kind = Contents::Kind::file;
    contents.file = folder / field.at("DataSource").text();
  }
  return contents;
}

std::string fill_of(const JsonField& field) {
  const auto fill = field.find("FillType");
  return fill ? word(*fill) : "random";
}

BufferAccess read_access(const JsonField& field) {
  if (const auto access = field.find("AccessType")) {
    const std::string given = word(*access);
    if (given == "readonly" || given == "read") return BufferAccess::read;
    if (given == "writeonly" || given == "write") return BufferAccess::write;
    if (given == "readwrite" || given == "undefined") return BufferAccess::both;
    access->fail(format("expected ReadOnly, WriteOnly or ReadWrite, found '{}'", access->text()));
  }
  const auto output = field.find("Output");
  return output && output->to_bool() ? BufferAccess::both : BufferAccess::read;
}

/// `custom` elements have this many bytes.
void read_element(const JsonField& field, Argument& argument) {
  const JsonField type = field.at("Type");
  if (word(type) != "custom") {
    read_type(type, argument);
    return;
  }
  const std::int64_t bytes = std::clamp<std::int64_t>(field.at("TypeSize").written_integer(), 1, 1 << 20);
  argument.type = TypeName{ElementType::u8, static_cast<int>(bytes)};
}

/// The schema has only the word `Texture`: the fields are those of our own format, in T1's spelling.
TextureSpec read_texture(const JsonField& field, const Argument& argument) {
  TextureSpec texture = texture_over(argument);
  if (const auto normalized = field.find("NormalizedCoordinates"))
    texture.normalized_coordinates = normalized->to_bool();
  if (const auto filter = field.find("FilterMode"))
    texture.filter = word(*filter) == "linear" ? FilterMode::linear : FilterMode::point;
  if (const auto mode = field.find("AddressMode")) {
    const std::string given = word(*mode);
    texture.address.fill(given == "wrap"     ? AddressMode::wrap
                         : given == "mirror" ? AddressMode::mirror
                         : given == "border" ? AddressMode::border
                                             : AddressMode::clamp);
  }
  if (texture.filter == FilterMode::linear || texture.normalized_coordinates)
    texture.memory = TextureMemory::array;
  return texture;
}

std::string kind_of_argument(const JsonField& field) {
  if (const auto memory = field.find("MemoryType")) return word(*memory);
  return field.find("Size") ? "vector" : "scalar";
}

void read_vector(const JsonField& field, const std::string& kind, Argument& argument,
                 KernelDescription& definition) {
  read_extents(field.at("Size"), argument);
  argument.access = read_access(field);
  if (word(field.at("Type")) == "custom")
    definition.notes.push_back(
        format("{}: elements of a custom type are compared byte by byte", argument.name));
  const std::string fill = fill_of(field);
  const std::string reason = obstacle(field, fill, argument.name);
  if (reason.empty()) argument.contents = read_contents(field, fill, field.file().parent_path());
  // What the kernel leaves alone has the value that is given.
  if (reason.empty() && argument.access == BufferAccess::write && fill != "random" &&
      (field.find("FillValue") || field.find("DataSource")))
    argument.access = BufferAccess::both;
  if (!reason.empty() && argument.access != BufferAccess::write)
    refuse(definition, field.at("FillType"), reason);
  const auto constant = field.find("MemType");
  const std::string special = constant ? word(*constant) : "";
  if (kind == "symbol" || special == "constant") argument.symbol = argument.name;
  if (kind == "texture" || special == "texture") argument.texture = read_texture(field, argument);
}

/// Bytes of a `custom` scalar: those of a file, or each the same.
StructDescription read_struct(const JsonField& field, std::size_t size) {
  StructDescription object;
  if (fill_of(field) == "binaryraw") {
    const std::filesystem::path file = field.file().parent_path() / field.at("DataSource").text();
    const auto text = read_text(file);
    if (!text) field.at("DataSource").fail(format("cannot read {}: {}", file.string(), text.error()));
    if (text->size() != size)
      field.at("DataSource")
          .fail(format("{} has {} bytes, TypeSize says {}", file.string(), text->size(), size));
    const auto* const first = reinterpret_cast<const std::byte*>(text->data());
    object.bytes.assign(first, first + size);
    return object;
  }
  if (fill_of(field) != "constant")
    field.fail("write the struct's bytes to a file: FillType BinaryRaw and that file as DataSource");
  const double value = field.at("FillValue").written_number();
  if (!(value >= 0 && value <= 255)) field.at("FillValue").fail("expected the value of a byte, 0 to 255");
  object.bytes.assign(size, static_cast<std::byte>(value));
  return object;
}

/// Arguments without a name are called by their number.
std::string name_of(const JsonField& field, const KernelDescription& definition) {
  const auto name = field.find("Name");
  return name ? name->text() : format("argument_{}", definition.arguments.size() + 1);
}

Argument read_argument(const JsonField& field, const std::string& kind, KernelDescription& definition) {
  Argument argument{name_of(field, definition), field.place()};
  read_element(field, argument);
  if (kind == "scalar") {
    if (word(field.at("Type")) == "custom") {
      argument.object = read_struct(field, static_cast<std::size_t>(argument.type->components));
      return argument;
    }
    if (argument.type->components != 1) field.at("Type").fail("only a single number is passed by value");
    const JsonField value = field.find("FillValue") ? field.at("FillValue") : field.at("Value");
    argument.value = value.scalar();
    return argument;
  }
  if (kind != "vector" && kind != "symbol" && kind != "texture" && kind != "unifiedvector")
    field.at("MemoryType")
        .fail(format(
            "'{}' is not a kind of argument here; choose one of Scalar, Vector, Local, Symbol, Texture",
            kind));
  read_vector(field, kind, argument, definition);
  return argument;
}

/// Compares as KTT does, from which the format's methods come: whole numbers for equality; AbsoluteDifference
/// limits the sum of all differences, SideBySideRelativeComparison the difference relative to each element.
Bounds read_bounds(const JsonField& field, const Argument& argument) {
  const auto method_field = field.find("ValidationMethod");
  const std::string method = method_field ? word(*method_field) : "sidebysidecomparison";
  const auto threshold_field = field.find("ValidationThreshold");
  const double threshold = threshold_field ? threshold_field->written_number() : smallest_difference;
  if (threshold < 0) threshold_field->fail("expected a number that is not negative");
  if (!is_floating_point(argument.type->element)) return {};
  if (method == "sidebysidecomparison") return {.absolute = threshold};
  if (method == "sidebysiderelativecomparison") return {.absolute = smallest_difference, .each = threshold};
  if (method == "absolutedifference") return {.absolute = threshold, .sum = threshold};
  method_field->fail(
      format("expected AbsoluteDifference, SideBySideComparison or SideBySideRelativeComparison, found '{}'",
             method_field->text()));
}

void read_reference(const JsonField& field, KernelDescription& definition) {
  const JsonField target = field.at("TargetName");
  const auto argument = std::ranges::find(definition.arguments, target.text(), &Argument::name);
  if (argument == definition.arguments.end()) target.fail(format("there is no argument '{}'", target.text()));
  if (!argument->is_vector()) target.fail(format("'{}' is not a vector", target.text()));
  if (argument->access == BufferAccess::read) argument->access = BufferAccess::both;
  const std::string fill = fill_of(field);
  const std::string reason = obstacle(field, fill, argument->name);
  if (reason.empty())
    argument->expected = read_contents(field, fill, field.file().parent_path());
  else
    definition.notes.push_back(
        format("ReferenceArguments: {}; until then the results of the default configuration count as right",
               reason));
  if (field.find("ValidationMethod") || field.find("ValidationThreshold"))
    argument->bounds = read_bounds(field, *argument);
}

void read_arguments(const JsonField& kernel, KernelDescription& definition) {
  if (const auto arguments = kernel.find("Arguments"))
    for (const JsonField& field : arguments->elements()) {
      const std::string kind = kind_of_argument(field);
      if (kind == "local") continue;  // memory of a block: read_launch asks for it
      definition.arguments.push_back(read_argument(field, kind, definition));
    }
  if (const auto references = kernel.find("ReferenceArguments"))
    for (const JsonField& field : references->elements()) read_reference(field, definition);
}

constexpr const char* axes[] = {"X", "Y", "Z"};

/// Quotients of the grid: ceil(ProblemSize[axis] / (a * b)).
std::string divided(const JsonField& divisors, std::size_t axis) {
  std::string product;
  for (const JsonField& one : divisors.one_or_more())
    product += (product.empty() ? "(" : " * (") + one.formula() + ")";
  return product.empty() ? format("ProblemSize[{}]", axis)
                         : format("ceil_div(ProblemSize[{}], {})", axis, product);
}

/// Reads the size along an axis: a member X, Y or Z, or an element of a list.
std::optional<JsonField> along(const std::optional<JsonField>& size, std::size_t axis) {
  if (!size) return std::nullopt;
  if (size->is_object()) return size->find(axes[axis]);
  const std::vector<JsonField> all = size->one_or_more();
  return axis < all.size() ? std::optional(all[axis]) : std::nullopt;
}

/// Without LocalSize, the block's extents have these names in the tuner that most definitions come from.
void read_named_block(const JsonField& kernel, const KernelDescription& definition,
                      LaunchDescription& launch) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string name = format("block_size_{}", "xyz"[i]);
    if (std::ranges::count(definition.parameters, name, &search::Parameter::name) > 0)
      launch.block[i] = Expression{name, kernel.place()};
  }
  if (!launch.block[0]) kernel.fail("expected a field 'LocalSize', or a parameter block_size_x");
}

/// Sums a block's memory that the host requests: SharedMemory, and arguments whose MemoryType is Local.
void read_shared_memory(const JsonField& kernel, LaunchDescription& launch) {
  std::string bytes;
  std::optional<JsonField> place = kernel.find("SharedMemory");
  if (place) bytes = place->formula();
  const auto arguments = kernel.find("Arguments");
  for (const JsonField& argument : arguments ? arguments->elements() : std::vector<JsonField>()) {
    const auto memory = argument.find("MemoryType");
    if (!memory || word(*memory) != "local") continue;
    Argument read{""};
    read_type(argument.at("Type"), read);
    place = argument.at("Size");
    bytes += format("{}({}) * {}", bytes.empty() ? "" : " + ", place->formula(),
                    element_size(read.type->element) * static_cast<std::size_t>(read.type->components));
  }
  if (place) launch.shared = Expression{bytes, place->place()};
}

/// After the arguments.
void read_launch(const JsonField& kernel, KernelDescription& definition) {
  LaunchDescription launch;
  launch.entry = kernel.at("KernelName").text();
  launch.cooperative = std::nullopt;
  const auto local = kernel.find("LocalSize");
  const auto global = kernel.find("GlobalSize");
  const auto type = kernel.find("GlobalSizeType");
  const bool in_threads =
      type ? word(*type) == "opencl" : definition.kernel.language == KernelLanguage::opencl;
  const bool named = kernel.find("GridDivX") || kernel.find("GridDivY") || kernel.find("GridDivZ");
  const bool divisors = named && !definition.extents.empty();
  if (!global && named && !divisors) kernel.fail("GridDivX needs a field 'ProblemSize'");
  if (!global && !divisors) kernel.fail("expected a field 'GlobalSize', or 'ProblemSize' with 'GridDivX'");
  if (!local) read_named_block(kernel, definition, launch);
  for (std::size_t i = 0; i < 3; ++i) {
    if (const auto block = along(local, i)) launch.block[i] = block->expression();
    if (divisors) {
      const auto by = kernel.find(std::string("GridDiv") + axes[i]);
      if (by) launch.grid[i] = Expression{divided(*by, i), by->place()};
      // An axis of the problem without divisors is not divided, as in the tuner that these fields come from.
      else if (i < definition.extents.size())
        launch.grid[i] = Expression{format("ProblemSize[{}]", i), kernel.at("ProblemSize").place()};
    } else if (const auto blocks = along(global, i)) {
      const std::string threads = launch.block[i] ? launch.block[i]->text() : "1";
      // The last block may be partial.
      launch.grid[i] = Expression{in_threads ? format("ceil_div({}, {})", blocks->formula(), threads)
                                             : format("ceil({})", blocks->formula()),
                                  blocks->place()};
    }
  }
  read_shared_memory(kernel, launch);
  launch.arguments.emplace();
  for (const Argument& argument : definition.arguments) launch.arguments->push_back(argument.name);
  definition.launches.push_back(std::move(launch));
}

void read_problem_size(const JsonField& size, KernelDescription& definition) {
  FormulaValue all = size.evaluated();
  if (!all.is_list()) all = FormulaValue::List{all};
  if (all.list().empty() || all.list().size() > 3) size.fail("expected one to three extents");
  for (std::size_t i = 0; i < all.list().size(); ++i) {
    const FormulaValue& extent = all.list()[i];
    const double real = extent.is_number() ? extent.real() : 0;
    if (!(real >= 1) || real != std::floor(real)) size.fail("expected positive whole numbers");
    definition.extents.push_back({std::string(1, static_cast<char>('x' + i)), format("ProblemSize[{}]", i),
                                  static_cast<std::int64_t>(real)});
  }
}

/// Options of other compilers and for the host, which NVRTC does not have: it always optimises, and the
/// architecture is the device's. nvcc has those for the host.
bool for_others(const std::string& option, CompilerName compiler) {
  static const std::regex nvcc(
      "-arch|--gpu-architecture|-gencode|--generate-code|-code|-cl-|--?ptx|-cubin|-x|-fopenmp|-march|-l(?!ineinfo)");
  if (compiler == CompilerName::nvcc)
    return std::regex_search(option, nvcc, std::regex_constants::match_continuous);
  static const std::regex begins(
      "-O|--optimize|-arch|--gpu-architecture|-gencode|--generate-code|-code|-Xcompiler|-Wall|-Wextra|"
      "-fopenmp|-march|-ccbin|-x|-cl-|-m64|--?ptx|-cubin|--?expt-|--?extended-lambda|-l(?!ineinfo)");
  return option == "-g" || option == "-t" ||
         std::regex_search(option, begins, std::regex_constants::match_continuous);
}

/// True if its value is the next option.
bool takes_value(const std::string& option) {
  static const std::regex names(
      "-arch|--gpu-architecture|-gencode|--generate-code|-code|-Xcompiler|-ccbin|-x|-t");
  return std::regex_match(option, names);
}

void read_options(const JsonField& options, KernelDescription& definition) {
  std::vector<std::string> all;
  for (const JsonField& option : options.one_or_more()) all.push_back(option.text());
  std::string dropped;
  for (std::string& option : usable_options(all, definition.kernel.compiler, dropped))
    definition.kernel.options.push_back(std::move(option));
  if (!dropped.empty()) definition.notes.push_back(format("CompilerOptions: {} not used", dropped));
}

}  // namespace

std::vector<std::string> usable_options(const std::vector<std::string>& texts, CompilerName compiler,
                                        std::string& dropped) {
  std::vector<std::string> all, used;
  for (const std::string& text : texts) {
    std::istringstream parts(text);
    for (std::string part; parts >> part;) all.push_back(part);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!for_others(all[i], compiler)) {
      used.push_back(all[i]);
      continue;
    }
    dropped += (dropped.empty() ? "" : " ") + all[i];
    if (takes_value(all[i]) && i + 1 < all.size()) dropped += " " + all[++i];
  }
  return used;
}

void read_kernel(const JsonField& kernel, KernelDescription& definition) {
  if (const auto language = kernel.find("Language");
      language && word(*language) != "cuda" && word(*language) != "hip" && word(*language) != "opencl")
    definition.unusable =
        format("{}: kernels in {} cannot be compiled here, only CUDA, and HIP and OpenCL like it",
               kernel.file().string(), language->text());
  else if (language && word(*language) == "opencl")
    definition.kernel.language = KernelLanguage::opencl;
  if (const auto size = kernel.find("ProblemSize")) read_problem_size(*size, definition);
  definition.kernel.of_kernel_tuner = true;
  read_files(kernel.at("KernelFile"), definition.kernel);
  if (const auto compiler = kernel.find("Compiler")) definition.kernel.compiler = read_compiler(*compiler);
  if (const auto options = kernel.find("CompilerOptions")) read_options(*options, definition);
  read_arguments(kernel, definition);
  if (definition.kernel.language == KernelLanguage::opencl)  // constant memory is an argument there
    for (Argument& argument : definition.arguments) argument.symbol.clear();
  read_launch(kernel, definition);
}

}  // namespace tune::described::t1
