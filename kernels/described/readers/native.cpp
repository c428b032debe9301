// SPDX-License-Identifier: Apache-2.0
// Our own format of definitions: docs/reference/definition.md describes it on one page.
#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "kernels/described/readers/definition.hpp"
#include "kernels/described/struct_layout.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

std::vector<Value> read_values(const JsonField& field) {
  const FormulaValue all = field.evaluated();
  if (!all.is_list() || all.list().empty()) field.fail("expected a list of at least one value");
  DistinctValues values;
  for (const FormulaValue& value : all.list()) {
    if (value.is_list()) field.fail("expected values, found a list in the list");
    values.add(value.scalar());
  }
  return values.take();
}

/// Reads a list of texts as such, or a list from formulas in one text.
std::vector<Value> read_choices(const JsonField& field) {
  if (!field.is_list()) return read_values(field);
  DistinctValues values;
  for (const JsonField& one : field.elements()) {
    if (one.is_list() || one.is_object()) one.fail("expected a value");
    if (!values.add(one.value().scalar())) one.fail("this value is given twice");
  }
  std::vector<Value> all = values.take();
  if (all.empty()) field.fail("expected at least one value");
  return all;
}

Value read_default(const JsonField& object, const std::vector<Value>& values) {
  const auto chosen = object.find("default");
  if (!chosen) return values.front();
  Value value = chosen->value().scalar();
  if (std::ranges::find(values, value) == values.end()) chosen->fail("expected one of the values");
  return value;
}

std::string text_or(const JsonField& object, std::string_view name, const std::string& otherwise) {
  const auto field = object.find(name);
  return field ? field->text() : otherwise;
}

void read_parameters(const JsonField& field, KernelDescription& definition) {
  for (const auto& [name, given] : field.members()) {
    search::Parameter parameter;
    parameter.name = name;
    if (!given.is_object()) {
      parameter.values = read_choices(given);
      parameter.default_value = parameter.values.front();
    } else {
      given.allow({"values", "default", "help", "if"});
      parameter.values = read_choices(given.at("values"));
      parameter.default_value = read_default(given, parameter.values);
      parameter.documentation = text_or(given, "help", "");
      if (const auto condition = given.find("if")) parameter.exists_if = condition->rule();
    }
    add_parameter(std::move(parameter), given, definition);
  }
  if (definition.parameters.empty()) field.fail("expected a parameter");
}

void read_sizes(const JsonField& root, KernelDescription& definition) {
  const bool has_none = root.find("command") && !root.find("sizes");
  using Members = std::vector<std::pair<std::string, JsonField>>;
  for (const auto& [name, given] : has_none ? Members() : root.at("sizes").members()) {
    ExtentInfo extent{name, "", 0};
    if (given.is_object()) {
      given.allow({"default", "help"});
      extent.default_value = given.at("default").integer();
      extent.documentation = text_or(given, "help", "");
    } else {
      extent.default_value = given.integer();
    }
    if (extent.default_value < 1) given.fail("expected a positive whole number");
    definition.extents.push_back(std::move(extent));
  }
  if (definition.extents.empty() && !has_none) root.at("sizes").fail("expected a size");
  const auto settings = root.find("settings");
  if (!settings) return;
  for (const auto& [name, given] : settings->members()) {
    given.allow({"values", "default", "help"});
    SettingInfo setting{name, text_or(given, "help", ""), read_choices(given.at("values")), {}};
    setting.default_value = read_default(given, setting.values);
    definition.settings.push_back(std::move(setting));
  }
}

void read_low_fidelity(const JsonField& root, KernelDescription& definition) {
  const auto cheaper = root.find("low_fidelity");
  if (!cheaper) return;
  for (const auto& [name, field] : cheaper->members()) {
    const std::int64_t value = field.integer();
    if (std::ranges::find(definition.extents, name, &ExtentInfo::name) == definition.extents.end())
      field.fail(format("there is no size '{}'", name));
    if (value < 1) field.fail("expected a positive size");
    definition.low_fidelity.emplace_back(name, value);
  }
}

void read_constraints(const JsonField& root, KernelDescription& definition) {
  const auto rules = root.find("constraints");
  if (!rules) return;
  for (const JsonField& field : rules->elements()) {
    if (field.is_object()) {
      field.allow({"rule", "why"});
      add_constraint(field.at("rule"), field.at("why").text(), definition);
    } else {
      add_constraint(field, "", definition);
    }
  }
}

/// Reads a type, or a setting whose values are types.
void read_type_of(const JsonField& field, const KernelDescription& definition, Argument& argument) {
  const auto setting = std::ranges::find(definition.settings, field.text(), &SettingInfo::name);
  if (setting == definition.settings.end()) {
    read_type(field, argument);
    return;
  }
  for (const Value& value : setting->values)
    if (!value.is_text() || type_named(value.as_text()).value_or(TypeName{.components = 0}).components != 1)
      field.fail(format("setting '{}' may be '{}', which is not a type of an element", setting->name,
                        value.to_string()));
  argument.type_name = setting->name;
}

/// Returns the meaning of this word among `known`. Fails for another.
template<class T>
T chosen(const JsonField& field, const std::map<std::string, T>& known) {
  const auto found = known.find(field.text());
  if (found != known.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, value] : known) names.push_back(name);
  field.fail(format("expected one of {}, found '{}'", joined(names), field.text()));
}

/// After the argument's type and size, which determine channels and dimensions.
void read_texture(const JsonField& field, Argument& argument) {
  if (argument.access != BufferAccess::read) field.fail("a texture is only read");
  TextureSpec texture = texture_over(argument);
  if (!field.is_object()) {
    if (!field.is_bool() || !field.flag())
      field.fail("expected true or an object: without 'texture' it is an array");
    argument.texture = texture;
    return;
  }
  field.allow({"memory", "filter", "address", "read", "normalized", "gather"});
  if (const auto memory = field.find("memory"))
    texture.memory = chosen<TextureMemory>(*memory, {{"linear", TextureMemory::linear},
                                                     {"pitched", TextureMemory::pitched},
                                                     {"array", TextureMemory::array}});
  if (const auto filter = field.find("filter"))
    texture.filter =
        chosen<FilterMode>(*filter, {{"point", FilterMode::point}, {"linear", FilterMode::linear}});
  if (const auto read = field.find("read"))
    texture.read =
        chosen<ReadMode>(*read, {{"element", ReadMode::element}, {"normalized", ReadMode::normalized}});
  if (const auto address = field.find("address")) {
    const std::vector<JsonField> modes = address->one_or_more();
    if (modes.empty() || modes.size() > 3) address->fail("expected one mode, or one for each dimension");
    for (std::size_t i = 0; i < 3; ++i)
      texture.address[i] =
          chosen<AddressMode>(modes[std::min(i, modes.size() - 1)], {{"wrap", AddressMode::wrap},
                                                                     {"clamp", AddressMode::clamp},
                                                                     {"mirror", AddressMode::mirror},
                                                                     {"border", AddressMode::border}});
  }
  if (const auto normalized = field.find("normalized")) texture.normalized_coordinates = normalized->flag();
  if (const auto gather = field.find("gather")) texture.gather = gather->flag();
  argument.texture = texture;
}

/// After the argument's size, which determines the dimensions.
void read_map(const JsonField& field, Argument& argument) {
  if (argument.access != BufferAccess::read && argument.access != BufferAccess::scratch)
    field.fail("a tensor map is only read: 'access' is read, or scratch if an earlier launch writes it");
  if (argument.texture) field.fail("expected 'texture' or 'tensor_map', found both");
  if (argument.type && argument.type->components != 1)
    field.fail("elements of a tensor map are single numbers");
  field.allow({"box", "swizzle", "promotion"});
  TensorMapDescription map;
  for (const JsonField& extent : field.at("box").one_or_more()) map.box.push_back(extent.expression());
  if (map.box.size() != argument.extents.size())
    field.at("box").fail(format("expected as many extents as 'size' has: {}", argument.extents.size()));
  if (const auto swizzle = field.find("swizzle"))
    map.swizzle = chosen<MapSwizzle>(*swizzle, {{"none", MapSwizzle::none},
                                                {"32B", MapSwizzle::bytes_32},
                                                {"64B", MapSwizzle::bytes_64},
                                                {"128B", MapSwizzle::bytes_128}});
  if (const auto promotion = field.find("promotion"))
    map.promotion = chosen<MapPromotion>(*promotion, {{"none", MapPromotion::none},
                                                      {"64B", MapPromotion::bytes_64},
                                                      {"128B", MapPromotion::bytes_128},
                                                      {"256B", MapPromotion::bytes_256}});
  argument.map = std::move(map);
}

void read_alignment(const JsonField& field, StructField& object) {
  const auto given = field.find("align");
  if (!given) return;
  const std::int64_t bytes = given->integer();
  if (bytes < 1 || bytes > 4096 || (bytes & (bytes - 1)) != 0)
    given->fail("expected a power of two: the bytes of __align__ or alignas");
  if (object.fields.empty()) given->fail("only a struct has an alignment of its own");
  object.alignment = static_cast<std::size_t>(bytes);
}

/// Reads numbers, an address or the fields of a struct in a struct.
StructField read_struct_field(const JsonField& field) {
  field.allow({"name", "type", "value", "buffer", "struct", "align"});
  StructField read{.place = field.place(), .name = text_or(field, "name", "")};
  if (const auto fields = field.find("struct")) {
    for (const JsonField& one : fields->elements()) read.fields.push_back(read_struct_field(one));
    if (read.fields.empty()) fields->fail("expected a field");
    read_alignment(field, read);
  } else if (const auto buffer = field.find("buffer")) {
    read.buffer = buffer->text();
  } else {
    Argument number;
    read_type(field.at("type"), number);
    read.type = *number.type;
    for (const JsonField& one : field.at("value").one_or_more()) read.values.push_back(one.expression());
  }
  return read;
}

/// Reads pairs of hexadecimal digits, with spaces between them or without.
std::vector<std::byte> read_bytes(const JsonField& field) {
  std::string digits;
  for (const char c : field.text())
    if (c != ' ') digits += c;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(&digits[i], &digits[i] + 2, value, 16);
    if (error != std::errc() || end != &digits[i] + 2) break;
    bytes.push_back(static_cast<std::byte>(value));
  }
  if (bytes.empty() || 2 * bytes.size() != digits.size() || bytes.size() > 4096)
    field.fail("expected two hexadecimal digits for each of 1 to 4,096 bytes: \"00 00 80 3f\"");
  return bytes;
}

/// After all arguments: the addresses in structs are those of arrays.
void check_structs(const KernelDescription& definition) {
  const auto check = [&](const auto& self, const StructField& field) -> void {
    for (const StructField& one : field.fields) self(self, one);
    if (field.buffer.empty()) return;
    const Argument* const array = definition.argument(field.buffer);
    if (array == nullptr || !array->is_vector() || array->texture || array->map)
      field.place.fail(format("there is no array '{}'", field.buffer));
  };
  for (const Argument& argument : definition.arguments)
    if (argument.object) check(check, argument.object->all);
}

/// Reads a number, a vector of numbers or a struct that is passed by value; false for an array.
bool read_value(const JsonField& field, const KernelDescription& definition, Argument& argument) {
  const auto value = field.find("value"), fields = field.find("struct"), bytes = field.find("bytes");
  if (!value && !fields && !bytes) return false;
  if (field.find("size")) field.fail("expected 'size' for an array, or a value; found both");
  if (value) {
    read_type_of(field.at("type"), definition, argument);
    if (argument.type && argument.type->components != 1) {
      StructField all = {.place = field.place(), .type = *argument.type};
      for (const JsonField& one : value->one_or_more()) all.values.push_back(one.expression());
      argument.object = StructDescription{.all = std::move(all)};
    } else {
      argument.value = value->scalar();
    }
    return true;
  }
  field.allow({"struct", "bytes", "symbol", "align"});
  argument.object.emplace();
  if (fields) argument.object->all.place = field.place();
  if (fields)
    for (const JsonField& one : fields->elements())
      argument.object->all.fields.push_back(read_struct_field(one));
  if (bytes) argument.object->bytes = read_bytes(*bytes);
  if (fields || field.find("align")) read_alignment(field, argument.object->all);
  if (argument.object->all.fields.empty() == argument.object->bytes.empty())
    field.fail("expected the fields of a struct, or its bytes");
  return true;
}

/// Makes a value the contents of a variable.
void copy_to_symbol(const JsonField& field, Argument& argument) {
  const auto symbol = field.find("symbol");
  if (!symbol) return;
  argument.symbol = symbol->text();
  if (argument.object) {
    const auto check = [&](const auto& self, const StructField& one) -> void {
      if (!one.buffer.empty()) symbol->fail("a struct with the address of an array cannot be a variable");
      for (const StructField& inner : one.fields) self(self, inner);
    };
    check(check, argument.object->all);
    argument.type_name = "uint8";
    argument.type = TypeName{ElementType::u8};
    argument.contents.kind = Contents::Kind::object;
  } else {
    argument.contents.kind = Contents::Kind::constant;
    argument.contents.value = *std::exchange(argument.value, std::nullopt);
  }
  if (!argument.object) {
    argument.extents = {{1.0, field.place()}};
    return;
  }
  argument.extents = {size_of(*argument.object, field.place())};
}

Argument read_argument(const std::string& name, const JsonField& field, const KernelDescription& definition) {
  field.allow({"type", "size", "access", "fill", "value", "struct", "bytes", "align", "symbol", "expect",
               "tolerance", "compare", "texture", "tensor_map"});
  Argument argument{name, field.place()};
  if (read_value(field, definition, argument)) {
    copy_to_symbol(field, argument);
    return argument;
  }
  read_type_of(field.at("type"), definition, argument);
  read_extents(field.at("size"), argument);
  const std::string access = text_or(field, "access", "read");
  static const std::map<std::string, BufferAccess> known = {{"read", BufferAccess::read},
                                                            {"write", BufferAccess::write},
                                                            {"both", BufferAccess::both},
                                                            {"scratch", BufferAccess::scratch}};
  const auto found = known.find(access);
  if (found == known.end())
    field.at("access").fail(format("expected read, write, both or scratch, found '{}'", access));
  argument.access = found->second;
  if (const auto fill = field.find("fill")) {
    argument.contents = read_fill(*fill);
    if (argument.access == BufferAccess::write)
      fill->fail(
          "an array that is only written has no contents before: 'access' is both, or leave 'fill' out");
    if (argument.access == BufferAccess::scratch) argument.access = BufferAccess::restored;
  }
  if (const auto expect = field.find("expect")) {
    if (!argument.is_written()) expect->fail("only written arguments are compared, scratch is not");
    if (expect->is_text() && expect->text() == "random") expect->fail("expected the right contents");
    argument.expected = read_contents(*expect);
  }
  if (const auto tolerance = field.find("tolerance")) {
    if (!argument.is_written()) tolerance->fail("only outputs are compared");
    read_tolerance(*tolerance, argument);
  }
  if (const auto compared = field.find("compare")) {
    if (!argument.is_written()) compared->fail("only outputs are compared");
    read_compared(*compared, argument);
  }
  if (const auto texture = field.find("texture")) read_texture(*texture, argument);
  if (const auto map = field.find("tensor_map")) read_map(*map, argument);
  argument.symbol = text_or(field, "symbol", "");
  if (!argument.symbol.empty() && argument.access != BufferAccess::read)
    field.at("symbol").fail("a constant-memory variable can only be read");
  return argument;
}

std::array<std::optional<Expression>, 3> read_dimensions(const JsonField& field) {
  const std::vector<JsonField> given = field.one_or_more();
  if (given.empty() || given.size() > 3) field.fail("expected one to three numbers or formulas");
  std::array<std::optional<Expression>, 3> all;
  for (std::size_t i = 0; i < given.size(); ++i) all[i] = given[i].expression();
  return all;
}

/// Reads a pair of arrays, or a list of pairs.
void read_swaps(const JsonField& field, const KernelDescription& definition, LaunchDescription& launch) {
  if (!launch.repeat) field.fail("arrays are swapped between repetitions: expected 'repeat' beside it");
  std::vector<JsonField> pairs = field.elements();
  if (!pairs.empty() && pairs.front().is_text()) pairs = {field};
  for (const JsonField& pair : pairs) {
    const std::vector<JsonField> two = pair.elements();
    if (two.size() != 2) pair.fail("expected the names of two arrays");
    const Argument *one = definition.argument(two[0].text()), *other = definition.argument(two[1].text());
    for (const auto& [argument, name] : {std::pair(one, two[0]), std::pair(other, two[1])})
      if (argument == nullptr || !argument->is_vector())
        name.fail(format("there is no array '{}'", name.text()));
    if (one->type_name != other->type_name) pair.fail("arrays of two types cannot take each other's place");
    launch.swaps.emplace_back(one->name, other->name);
  }
}

/// Returns the name of an array that launches may write.
std::string read_written(const JsonField& field, const KernelDescription& definition) {
  const Argument* const array = definition.argument(field.text());
  if (array == nullptr || !array->is_vector()) field.fail(format("there is no array '{}'", field.text()));
  if (array->access == BufferAccess::read) field.fail(format("'{}' is only read", field.text()));
  return field.text();
}

CopyDescription read_copy(const JsonField& field, const KernelDescription& definition) {
  field.allow({"from", "to", "count", "from_first", "to_first"});
  CopyDescription copy;
  const JsonField from = field.at("from");
  if (const Argument* const array = definition.argument(from.text()); array == nullptr || !array->is_vector())
    from.fail(format("there is no array '{}'", from.text()));
  copy.from = from.text();
  copy.to = read_written(field.at("to"), definition);
  if (definition.argument(copy.from)->type_name != definition.argument(copy.to)->type_name)
    field.fail("elements of two types cannot be copied to each other");
  if (const auto count = field.find("count")) copy.count = count->expression();
  if (const auto first = field.find("from_first")) copy.from_first = first->expression();
  if (const auto first = field.find("to_first")) copy.to_first = first->expression();
  return copy;
}

/// Reads how often a step runs.
void read_repeat(const JsonField& field, const KernelDescription& definition, LaunchDescription& launch) {
  if (const auto repeat = field.find("repeat")) launch.repeat = repeat->expression();
  if (const auto swap = field.find("swap")) read_swaps(*swap, definition, launch);
  const auto counter = field.find("as");
  if (!counter) return;
  launch.counter = counter->text();
  if (!launch.repeat) counter->fail("it names the number of a repetition: expected 'repeat' beside it");
  const std::string& name = launch.counter;
  if (std::ranges::count(definition.extents, name, &ExtentInfo::name) > 0 ||
      std::ranges::count(definition.settings, name, &SettingInfo::name) > 0 ||
      std::ranges::count(definition.parameters, name, &search::Parameter::name) > 0 || name.empty())
    counter->fail(format("'{}' is a size, a setting or a parameter: expected another name", name));
}

LaunchDescription read_launch(const JsonField& field, const KernelDescription& definition) {
  LaunchDescription launch;
  if (const auto when = field.find("if")) launch.when = when->expression();
  if (const auto copy = field.find("copy")) {
    field.allow({"copy", "if"});
    launch.copy = read_copy(*copy, definition);
    return launch;
  }
  if (const auto zero = field.find("zero")) {
    field.allow({"zero", "if"});
    launch.zero = read_written(*zero, definition);
    return launch;
  }
  read_repeat(field, definition, launch);
  if (const auto body = field.find("launches")) {
    field.allow({"launches", "repeat", "as", "swap", "if"});
    launch.body = read_launches(*body, definition);
    return launch;
  }
  const bool has_threads = definition.kernel.language != KernelLanguage::cpp;
  if (has_threads)
    field.allow(
        {"entry", "grid", "block", "shared", "cooperative", "arguments", "if", "repeat", "as", "swap"});
  else
    field.allow({"entry", "arguments", "if", "repeat", "as", "swap"});
  launch.entry = field.at("entry").text();
  if (launch.entry.empty()) field.at("entry").fail("expected the name of a kernel");
  if (has_threads) launch.grid = read_dimensions(field.at("grid"));
  if (has_threads) launch.block = read_dimensions(field.at("block"));
  if (const auto shared = field.find("shared")) launch.shared = shared->expression();
  if (const auto cooperative = field.find("cooperative")) launch.cooperative = cooperative->flag();
  if (const auto arguments = field.find("arguments")) {
    launch.arguments.emplace();
    for (const JsonField& name : arguments->elements()) {
      if (definition.argument(name.text()) == nullptr)
        name.fail(format("there is no argument '{}'", name.text()));
      launch.arguments->push_back(name.text());
    }
  }
  return launch;
}

void read_cost(const JsonField& root, KernelDescription& definition) {
  const auto work = root.find("work");
  if (!work) return;
  work->allow({"items", "item", "flops", "bytes", "per_execution"});
  const auto formula = [&](std::string_view name) -> std::optional<Expression> {
    const auto field = work->find(name);
    if (!field) return std::nullopt;
    return field->expression();
  };
  definition.items = formula("items");
  definition.flops = formula("flops");
  definition.bytes = formula("bytes");
  definition.per_execution = formula("per_execution");
  definition.item = text_or(*work, "item", definition.item);
}

}  // namespace

KernelSource read_kernel(const JsonField& field, const std::filesystem::path& folder) {
  KernelSource kernel;
  if (field.is_text()) {
    kernel.path = folder / field.text();
    return kernel;
  }
  field.allow({"file", "include", "options", "defines", "redefine", "compiler", "language", "environment"});
  read_files(field.at("file"), kernel);
  if (const auto include = field.find("include"))
    for (const JsonField& one : include->one_or_more()) kernel.folders.push_back(folder / one.text());
  if (const auto options = field.find("options"))
    for (const JsonField& one : options->elements()) kernel.options.push_back(one.text());
  if (const auto defines = field.find("defines"))
    for (const auto& [name, value] : defines->members())
      kernel.defines.emplace_back(name, value.expression());
  std::ranges::sort(kernel.defines, {}, &std::pair<std::string, Expression>::first);
  if (const auto compiler = field.find("compiler")) kernel.compiler = read_compiler(*compiler);
  if (const auto language = field.find("language"))
    kernel.language = chosen<KernelLanguage>(
        *language,
        {{"cuda", KernelLanguage::cuda}, {"opencl", KernelLanguage::opencl}, {"c++", KernelLanguage::cpp}});
  if (kernel.language == KernelLanguage::opencl && kernel.compiler == CompilerName::nvcc)
    field.at("compiler").fail("OpenCL is compiled by NVRTC: leave 'compiler' out");
  if (kernel.language == KernelLanguage::cpp && field.find("compiler"))
    field.at("compiler").fail("C++ is compiled by g++, or what TUNE_CXX names: leave 'compiler' out");
  if (kernel.language != KernelLanguage::cpp && field.find("environment"))
    field.at("environment")
        .fail("a kernel of a GPU has no environment: 'language' of one of the processor is c++");
  if (const auto redefine = field.find("redefine"))
    for (const auto& [name, value] : redefine->members())
      kernel.redefines.emplace_back(name, value.expression());
  kernel.place = field.place();
  return kernel;
}

std::vector<LaunchDescription> read_launches(const JsonField& field, const KernelDescription& definition) {
  std::vector<LaunchDescription> launches;
  for (const JsonField& one : field.one_or_more()) launches.push_back(read_launch(one, definition));
  if (launches.empty()) field.fail("expected a launch");
  return launches;
}

void check_arguments_of_processor(const JsonField& root, const KernelDescription& definition) {
  for (const Argument& argument : definition.arguments)
    if (argument.texture || argument.map || !argument.symbol.empty())
      argument.place.fail("textures, tensor maps and constant memory are of a GPU: pass an array or a value");
  const auto& other = definition.reference.kernel;
  if (other && other->language != KernelLanguage::cpp)
    root.at("reference").fail("its kernel runs on a GPU: give it the 'language' c++");
}

/// Reads what only a kernel has, after its parameters.
void read_native_kernel(const JsonField& root, KernelDescription& definition) {
  const JsonField kernel = root.at("kernel");
  if (kernel.is_object()) definition.kernel.environment = read_environment(kernel, definition);
  for (const auto& [name, field] : root.at("arguments").members())
    definition.arguments.push_back(read_argument(name, field, definition));
  check_structs(definition);
  share_contents(definition);
  definition.launches = read_launches(root.at("launches"), definition);
  read_reference(root, definition, root.file().parent_path());
  read_judge(root, definition);
  if (definition.kernel.language == KernelLanguage::cpp) check_arguments_of_processor(root, definition);
}

KernelDescription read_native(const JsonField& root) {
  const auto command = root.find("command");
  if (command)
    root.allow({"problem", "summary", "command", "sizes", "settings", "parameters", "constraints", "work",
                "metrics", "objective", "budget"});
  else
    root.allow({"problem", "summary", "kernel", "sizes", "settings", "check", "low_fidelity", "parameters",
                "constraints", "arguments", "launches", "reference", "tolerance", "verify", "work", "metrics",
                "objective", "budget"});
  KernelDescription definition;
  definition.name = root.at("problem").text();
  definition.summary = text_or(root, "summary", root.file().filename().string());
  if (!command) definition.kernel = read_kernel(root.at("kernel"), root.file().parent_path());
  read_sizes(root, definition);
  read_check_sizes(root, definition);
  read_low_fidelity(root, definition);
  read_parameters(root.at("parameters"), definition);
  read_constraints(root, definition);
  if (command)
    read_command(*command, definition);
  else
    read_native_kernel(root, definition);
  read_cost(root, definition);
  if (const auto metrics = root.find("metrics"))
    for (const auto& [name, formula] : metrics->members())
      definition.metrics.emplace_back(name, formula.expression());
  if (const auto objective = root.find("objective")) read_objective(*objective, definition);
  if (const auto budget = root.find("budget")) {
    budget->allow({"evaluations", "seconds"});
    if (const auto count = budget->find("evaluations")) definition.budget_evaluations = count->integer();
    if (const auto seconds = budget->find("seconds")) definition.budget_seconds = seconds->number();
    if (definition.budget_evaluations && *definition.budget_evaluations < 1)
      budget->at("evaluations").fail("expected a number of at least 1");
    if (definition.budget_seconds && !(*definition.budget_seconds > 0))
      budget->at("seconds").fail("expected a number above 0");
  }
  return definition;
}

}  // namespace tune::described
