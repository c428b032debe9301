// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/described/readers/t1.hpp"
#include "tuner/base/format.hpp"

namespace tune::definition::t1 {
namespace {

/// What KTT's relative comparison lets pass in any case.
constexpr double smallest_difference = 1e-4;

double number_of(const std::optional<JsonField>& field) {
  return field ? field->written_number() : 0;
}

/// Why these contents cannot be made, and what would help; empty for those that can.
std::string obstacle(const JsonField& field, const std::string& kind, const std::string& name) {
  const auto source = field.find("DataSource");
  if (kind == "script")
    return format(
        "scripts are never run as code: write what '{}' holds to a file (numpy: a.tofile(\"{}.bin\")), "
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
  const double number = number_of(field.find("FillValue"));
  if (const auto seed = field.find("RandomSeed"))
    contents.seed = static_cast<std::uint64_t>(seed->written_integer());
  if (kind == "constant") {
    contents.kind = Contents::Kind::constant;
    contents.value = number;
  } else if (kind == "random") {
    contents.high = number > 0 ? number : 1;
  } else if (kind == "generator") {
    contents.kind = Contents::Kind::sequence;
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

/// `custom` elements are so many bytes.
void read_element(const JsonField& field, Argument& argument, Definition& definition) {
  const JsonField type = field.at("Type");
  if (word(type) != "custom") {
    read_type(type, argument);
    return;
  }
  argument.type = ElementType::u8;
  argument.components =
      static_cast<int>(std::clamp<std::int64_t>(field.at("TypeSize").written_integer(), 1, 1 << 20));
  definition.notes.push_back(
      format("{}: elements of a custom type are compared byte by byte", argument.name));
}

/// The schema says no more than `Texture`: the fields are those of our own form, in T1's spelling.
TextureSpec read_texture(const JsonField& field, std::size_t dimensions, int components) {
  TextureSpec texture;
  texture.dimensions = static_cast<int>(dimensions);
  texture.channels = components;
  texture.memory = dimensions == 1 ? TextureMemory::linear : TextureMemory::array;
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
                 Definition& definition) {
  for (const JsonField& extent : field.at("Size").one_or_more())
    argument.extents.push_back(Formula{extent.formula(), extent});
  if (argument.extents.empty() || argument.extents.size() > 3)
    field.at("Size").fail("expected one to three extents");
  argument.access = read_access(field);
  const std::string fill = fill_of(field);
  const std::string reason = obstacle(field, fill, argument.name);
  if (reason.empty())
    argument.contents = read_contents(field, fill, definition.file.parent_path());
  else if (argument.access != BufferAccess::write)
    refuse(definition, field.at("FillType"), reason);
  const auto constant = field.find("MemType");
  const std::string special = constant ? word(*constant) : "";
  if (kind == "symbol" || special == "constant") argument.symbol = argument.name;
  if (kind == "texture" || special == "texture")
    argument.texture = read_texture(field, argument.extents.size(), argument.components);
}

Argument read_argument(const JsonField& field, const std::string& kind, Definition& definition) {
  Argument argument{field.at("Name").text(), field};
  read_element(field, argument, definition);
  if (kind == "scalar") {
    if (argument.components != 1) field.at("Type").fail("only a single number is passed by value");
    const JsonField value = field.find("FillValue") ? field.at("FillValue") : field.at("Value");
    argument.value = Formula{value.formula(), value};
    return argument;
  }
  if (kind != "vector" && kind != "symbol" && kind != "texture" && kind != "unifiedvector")
    field.at("MemoryType")
        .fail(format("'{}' is no kind of argument here; there are Scalar, Vector, Local, Symbol, Texture",
                     kind));
  read_vector(field, kind, argument, definition);
  return argument;
}

/// As KTT, which the format's methods come from, compares: whole numbers are equal or not; AbsoluteDifference
/// is about the sum of all differences, SideBySideRelativeComparison about each element's own size.
Bounds read_bounds(const JsonField& field, const Argument& argument) {
  const auto method_field = field.find("ValidationMethod");
  const std::string method = method_field ? word(*method_field) : "sidebysidecomparison";
  const auto threshold_field = field.find("ValidationThreshold");
  const double threshold = threshold_field ? threshold_field->written_number() : smallest_difference;
  if (threshold < 0) threshold_field->fail("expected a number that is not negative");
  if (!is_floating_point(argument.type)) return {};
  if (method == "sidebysidecomparison") return {.absolute = threshold};
  if (method == "sidebysiderelativecomparison") return {.absolute = smallest_difference, .each = threshold};
  if (method == "absolutedifference") return {.absolute = threshold, .sum = threshold};
  method_field->fail(
      format("expected AbsoluteDifference, SideBySideComparison or SideBySideRelativeComparison, found '{}'",
             method_field->text()));
}

void read_reference(const JsonField& field, Definition& definition) {
  const JsonField target = field.at("TargetName");
  const auto argument = std::ranges::find(definition.arguments, target.text(), &Argument::name);
  if (argument == definition.arguments.end()) target.fail(format("there is no argument '{}'", target.text()));
  if (!argument->is_vector()) target.fail(format("'{}' is no vector", target.text()));
  if (argument->access == BufferAccess::read) argument->access = BufferAccess::both;
  const std::string fill = fill_of(field);
  const std::string reason = obstacle(field, fill, argument->name);
  if (reason.empty())
    argument->expected = read_contents(field, fill, definition.file.parent_path());
  else
    definition.notes.push_back(
        format("ReferenceArguments: {}; until then the default configuration is taken for right", reason));
  if (field.find("ValidationMethod") || field.find("ValidationThreshold"))
    argument->bounds = read_bounds(field, *argument);
}

}  // namespace

void read_arguments(const JsonField& kernel, Definition& definition) {
  if (const auto arguments = kernel.find("Arguments"))
    for (const JsonField& field : arguments->elements()) {
      const std::string kind = kind_of_argument(field);
      if (kind == "local") continue;  // memory of a block: read_launch asks for it
      definition.arguments.push_back(read_argument(field, kind, definition));
    }
  if (const auto references = kernel.find("ReferenceArguments"))
    for (const JsonField& field : references->elements()) read_reference(field, definition);
}

}  // namespace tune::definition::t1
