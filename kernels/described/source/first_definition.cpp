// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/first_definition.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "kernels/described/description.hpp"
#include "kernels/described/source/names.hpp"
#include "search/expressions/expr_syntax.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

class Drafter {
 public:
  Drafter(const std::string& file_name, const Examination& examination)
      : file_name_(file_name),
        facts_(examination.facts()),
        guesses_(examination.guesses()),
        elsewhere_(examination.elsewhere()),
        deciding_(examination.deciding()) {
    for (const TemplateParameter& one : facts_.templates)
      if (one.kind == "typename") types_.push_back(one.name);
  }

  Draft draft() {
    for (const GuessedSize& size : guesses_.sizes())
      if (!search::is_variable_name(size.name))
        draft_.missing.push_back(format(
            "formulas cannot have a size '{0}', a word of their language: name it otherwise", size.name));
    draft_.problem = facts_.name;
    add_kernel();
    add_sizes();
    add_parameters();
    add_constraints();
    add_arguments();
    add_launch();
    add_results();
    return std::move(draft_);
  }

 private:
  void add_results() {
    for (const Tunable& one : guesses_.tunables())
      if (deciding_.contains(one.name)) draft_.same.push_back(one.name);
    draft_.results = {guessed_reference(draft_.same, facts_),
                      {"work",
                       format("{{\"items\": {}, \"item\": \"element\", \"flops\": 0}}",
                              as_json(joined(guesses_.extents(), {}, " * "))),
                       "for rates: the operations, as a formula (\"flops\")"}};
  }

  void add_kernel() {
    std::vector<std::string> defines, fixed;
    const auto named = [](const std::string& name) { return format("{}: {}", as_json(name), as_json(name)); };
    for (const GuessedSize& size : guesses_.sizes()) {
      if (size.is_define) defines.push_back(named(size.name));
      if (size.is_fixed) fixed.push_back(named(size.name));
    }
    for (const auto& [macro, size] : guesses_.followers())
      fixed.push_back(format("{}: {}", as_json(macro), as_json(size)));
    for (const Tunable& one : guesses_.tunables())
      if (one.source == Tunable::Source::fixed) fixed.push_back(named(one.name));
    std::string guess = defines.empty() ? "" : "are these sizes? Else make them parameters";
    if (!elsewhere_.empty())
      guess += (guess.empty() ? "" : "; ") +
               format("other functions of the file ask for {}",
                      joined(elsewhere_, &std::pair<std::string, std::string>::first));
    for (const auto& [name, value] : elsewhere_) defines.push_back(format("{}: {}", as_json(name), value));
    draft_.kernel.push_back({"file", as_json(file_name_)});
    if (!defines.empty()) draft_.kernel.push_back({"defines", "{" + joined(defines) + "}", guess});
    if (!fixed.empty())
      draft_.kernel.push_back(
          {"redefine", "{" + joined(fixed) + "}", "the file fixes these: are they sizes or parameters?"});
  }

  void add_sizes() {
    std::vector<std::string> sizes, small;
    for (const GuessedSize& size : guesses_.sizes()) {
      sizes.push_back(format("{}: {}", as_json(size.name), size.value));
      small.push_back(format("{}: {}", as_json(size.name), size.check));
    }
    draft_.work.push_back({"sizes", "{" + joined(sizes) + "}", "the sizes to tune for"});
    const bool is_whole = std::ranges::any_of(guesses_.sizes(), &GuessedSize::is_whole),
               one = sizes.size() == 1 && !is_whole && facts_.components == 1 &&
                     guesses_.grid().front().formula.find_first_of("/-") == std::string::npos;
    draft_.work.push_back(
        {"check",
         format("[{}{{{}}}]", one ? format("{{{}: 1}}, ", as_json(guesses_.sizes().front().name)) : "",
                joined(small)),
         is_whole ? "small sizes for checks; the kernel seems to need whole blocks"
                  : "small sizes for checks; add odd ones if the kernel takes them"});
    if (types_.empty()) return;
    std::vector<std::string> settings;
    for (const std::string& type : types_)
      settings.push_back(format("{}: {{\"values\": [{}]}}", as_json(type), joined(types_for(type))));
    draft_.work.push_back({"settings", "{" + joined(settings) + "}", "the types to choose from"});
  }

  /// Those of the file's launches, else the usual ones.
  std::vector<std::string> types_for(const std::string& type) const {
    std::vector<std::string> types;
    for (std::size_t i = 0; i < facts_.templates.size(); ++i)
      for (const LaunchOfFile& launch : facts_.launches)
        if (facts_.templates[i].name == type && i < launch.template_arguments.size() &&
            type_named(launch.template_arguments[i]))
          if (const std::string one = as_json(launch.template_arguments[i]);
              std::ranges::find(types, one) == types.end())
            types.push_back(one);
    return types.empty() ? std::vector<std::string>{R"("float")", R"("double")"} : types;
  }

  void add_parameters() {
    for (const Tunable& one : guesses_.tunables()) {
      const GuessedValues values = guesses_.values_of(one);
      std::string what = "values to try";
      if (one.source == Tunable::Source::unknown) what += "; the file does not define this name";
      if (one.source == Tunable::Source::template_argument) what += " of the template's argument";
      if (one.source == Tunable::Source::fixed) what += "; the file fixes it";
      if (one.source == Tunable::Source::launch) what += " (of the launch alone)";
      draft_.parameters.push_back({one.name,
                                   {{"values", format("[{}]", joined(values.values))},
                                    {"default", std::to_string(values.default_value)}},
                                   what});
    }
    if (draft_.parameters.empty())
      draft_.parameters.push_back(
          {"unused",
           {{"values", "[0]"}},
           "the kernel has no parameter: #ifndef NAME, #define NAME 16, #endif gives it one"});
  }

  void add_constraints() {
    const auto& tunables = guesses_.tunables();
    std::vector<std::string> extents;
    for (const GuessedExtent& extent : guesses_.block())
      if (extent.formula != "1") extents.push_back(extent.formula);
    const bool is_plain = std::ranges::all_of(extents, [&](const std::string& one) {
      return std::ranges::find(tunables, one, &Tunable::name) != tunables.end();
    });
    if (extents.size() > 1 && is_plain)
      draft_.constraints.push_back({"", as_json(joined(extents, {}, " * ") + " <= max_threads")});
    add_whole_quotients();
    draft_.further_constraints = "add the rules that the kernel needs over parameters and sizes";
  }

  /// Of `TILE//ROWS` threads, `TILE % ROWS == 0`.
  void add_whole_quotients() {
    const auto is_parameter = [&](std::string_view name) {
      return std::ranges::find(guesses_.tunables(), name, &Tunable::name) != guesses_.tunables().end();
    };
    std::set<std::string> rules;
    for (const GuessedExtent& extent : guesses_.block()) {
      const std::string_view formula = extent.formula;
      const std::size_t divides = formula.find("//");
      if (divides == std::string_view::npos) continue;
      const std::string_view of = trimmed(formula.substr(0, divides)),
                             by = trimmed(formula.substr(divides + 2));
      if (is_parameter(of) && is_parameter(by)) rules.insert(format("{} % {} == 0", of, by));
    }
    for (const std::string& rule : rules) draft_.constraints.push_back({"", as_json(rule)});
  }

  // ---- arguments

  struct ArgumentType {
    std::string name;
    int elements = 1;  ///< numbers in each element of the kernel's type
    std::string guess = {};
  };

  /// The definition's type of an array's elements, or of a number.
  ArgumentType type_of(const std::string& type) const {
    if (std::ranges::find(types_, type) != types_.end() || type_named(type)) return {type, 1, {}};
    if (type == "void" || type == "char" || type == "signed char")
      return {type == "void" ? "uint8" : "int8", 1, type == "void" ? "the type behind void*" : ""};
    const auto members = facts_.structs.find(type);
    if (members == facts_.structs.end() || members->second.empty())
      return {"float", 1, format("what is '{}'?", type)};
    const std::string& first = members->second.front().first;
    const bool is_uniform =
        std::ranges::all_of(members->second, [&](const auto& member) { return member.first == first; });
    if (is_uniform && type_named(first) && type_named(first)->components == 1)
      return {first, static_cast<int>(members->second.size()), {}};
    return {"uint8", 1, format("'{}' as bytes: its size times the number of elements", type)};
  }

  /// A number that is below each of the sizes.
  std::string below_all_sizes() const {
    const auto& sizes = guesses_.sizes();
    if (sizes.size() < 2) return format("{} - 1", guesses_.extents().front());
    return format("min({}) - 1", joined(sizes, &GuessedSize::name));
  }

  std::string fill_of(const std::string& type) const {
    const auto known = type_named(type);
    if (known && known->is_bool) return R"({"random": [0, 1]})";
    if (known && !is_floating_point(known->element)) {
      const std::string below = below_all_sizes();
      switch (known->element) {
        case ElementType::i8:
          return R"({"random": [0, 127]})";
        case ElementType::u8:
          return R"({"random": [0, 255]})";
        case ElementType::i16:
          return format("{{\"random\": [0, \"min({}, 32767)\"]}}", below);
        case ElementType::u16:
          return format("{{\"random\": [0, \"min({}, 65535)\"]}}", below);
        default:
          return format("{{\"random\": [0, \"{}\"]}}", below);
      }
    }
    return R"({"random": [-1, 1]})";
  }

  static bool is_whole(const std::string& type) {
    const auto known = type_named(type);
    return known && !is_floating_point(known->element);
  }

  /// Of an array along the grid's axes; `times`: numbers in an element.
  std::string size_of_array(int times) const {
    std::vector<std::string> extents;
    for (const std::string& extent : guesses_.extents())
      extents.push_back(as_json(extents.empty() && times > 1 ? format("{} * {}", times, extent) : extent));
    return json_extents(extents);
  }

  void add(const std::string& name, std::vector<std::pair<std::string, std::string>> members,
           const std::string& guess = {}) {
    draft_.arguments.push_back({name, std::move(members), guess});
  }

  /// An array has one size for all configurations: `max(BLOCK)` for a parameter.
  std::string for_all_values(const std::string& formula) const {
    std::string text;
    for (std::string_view rest = formula; !rest.empty();) {
      const std::string_view word = leading_word(rest);
      const bool is_parameter =
          std::ranges::find(guesses_.tunables(), word, &Tunable::name) != guesses_.tunables().end();
      text += is_parameter ? format("max({})", word) : std::string(word.empty() ? rest.substr(0, 1) : word);
      rest.remove_prefix(std::max<std::size_t>(1, word.size()));
    }
    return text;
  }

  /// The elements that the file allocates for an argument; empty where that is not known.
  std::string allocated(const std::string& argument) const {
    if (guesses_.launch() == nullptr) return {};
    return guesses_.elements_of(*guesses_.launch(), argument);
  }

  /// The number, or the formula over sizes and parameters, that the file's launch passes; empty where it is
  /// none.
  std::string passed(const std::string& argument, bool is_whole) const {
    if (guesses_.launch() == nullptr) return {};
    const auto found = guesses_.launch()->values.find(argument);
    if (found == guesses_.launch()->values.end()) return {};
    std::string text = found->second;
    while (text.size() > 1 && (text.back() == 'f' || text.back() == 'F') && !is_whole &&
           text.find_first_of("xX") == std::string::npos)
      text.pop_back();
    if (text.ends_with('.')) text += '0';
    const auto number = nlohmann::json::parse(text, nullptr, false);
    if (number.is_number()) return !is_whole || number.is_number_integer() ? text : std::string();
    const auto formula = is_whole ? guesses_.formula_of(text) : std::nullopt;
    if (!formula) return {};
    const bool is_plain = formula->find_first_not_of("0123456789") == std::string::npos;
    return is_plain ? *formula : as_json(*formula);
  }

  struct ArraySize {
    std::string json;
    std::string guess = {};
    bool is_partial = false;  ///< not all configurations reach all of it
  };

  /// What the file allocates; else what the largest index says, and else the extents of the grid.
  ArraySize size_of(const ParameterOfKernel& parameter, int times) {
    ArraySize size{size_of_array(times), "its size"};
    if (const std::string elements = allocated(parameter.name); !elements.empty()) {
      const auto formula = times == 1 ? guesses_.formula_of(elements) : std::nullopt;
      if (formula && std::ranges::any_of(guesses_.sizes(), [&](const GuessedSize& one) {
            return has_word(*formula, one.name);
          }))
        return {as_json(for_all_values(*formula))};
      size.guess += format(": the file allocates '{}'", elements);
    }
    std::set<std::string, std::less<>> parameters;
    const auto extents = guesses_.extents_of(parameter, parameters);
    if (!extents) return size;
    size.is_partial = !parameters.empty();
    deciding_.merge(parameters);  // it reaches more or less
    std::vector<std::string> texts;
    for (const std::string& extent : *extents)
      texts.push_back(as_json(texts.empty() && times > 1
                                  ? format("{} * {}", times, is_name(extent) ? extent : "(" + extent + ")")
                                  : extent));
    size.json = json_extents(texts);
    if (size.guess.size() == std::string_view("its size").size()) size.guess += ", by its largest index";
    return size;
  }

  void add_array(const ParameterOfKernel& parameter) {
    const ArgumentType type = type_of(parameter.type);
    const Accesses& is = parameter.accesses;
    const ArraySize size = size_of(parameter, type.elements);
    std::vector<std::string> guesses;
    if (!size.guess.empty()) guesses.push_back(size.guess);
    std::string access, fill = fill_of(type.name);
    if (parameter.is_const || (!is.unknown && !is.written)) {
      // read, which need not be said
    } else if (!is.unknown && !is.read && !guesses_.has_rim() && !size.is_partial) {
      access = "write";
      fill.clear();
    } else {
      access = "both";
      if (is.unknown) guesses.emplace_back("is it read, written or both?");
      if (!is.unknown && !is.read) {
        guesses.emplace_back(R"(it is only written ("write"), but perhaps not all of it)");
        if (size.is_partial) fill = "0";
      }
    }
    if (!fill.empty() && fill != "0" && is_whole(type.name)) guesses.emplace_back("its contents");
    if (!type.guess.empty()) guesses.push_back(type.guess);
    if (std::ranges::count(parameter.declared, '*') > 1)
      draft_.missing.push_back(format("'{}' is a pointer to pointers", parameter.declared));
    add(parameter.name, {{"type", as_json(type.name)}, {"size", size.json}}, joined(guesses, {}, "; "));
    if (!access.empty()) draft_.arguments.back().set("access", as_json(access));
    if (!fill.empty()) draft_.arguments.back().set("fill", fill);
  }

  void add_texture(const ParameterOfKernel& parameter) {
    const TextureUse& use = facts_.textures.at(parameter.name);
    const ArgumentType type =
        use.type.empty() ? ArgumentType{"float", 1, "the type of its texels"} : type_of(use.type);
    std::vector<std::string> extents;
    for (int i = 0; i < std::max(1, use.dimensions); ++i)
      extents.push_back(as_json(guesses_.extents()[std::min<std::size_t>(static_cast<std::size_t>(i),
                                                                         guesses_.extents().size() - 1)]));
    add(parameter.name,
        {{"type", as_json(type.name)},
         {"size", json_extents(extents)},
         {"fill", fill_of(type.name)},
         {"texture", "true"}},
        "its extents, filter and address mode (\"texture\": {...})" +
            (type.guess.empty() ? "" : "; " + type.guess));
  }

  /// True for an offset or a beginning, for which 0 is always in range.
  static bool names_a_place(const std::string& name) {
    const std::string text = lower(name);
    return text.ends_with("off") || has_one_of(text, {"offset", "start", "begin", "first", "shift"});
  }

  static std::string value_of(const TypeName& type) {
    const std::string one = is_floating_point(type.element) ? "0.5" : "1";
    return type.components == 1
               ? one
               : "[" + joined(std::vector<std::string>(static_cast<std::size_t>(type.components), one)) + "]";
  }

  /// The fields of a struct that is passed by value; nothing where one is not understood.
  std::optional<std::string> fields_of(const std::string& type, int depth) const {
    constexpr int deepest = 8;
    const auto members = facts_.structs.find(type);
    if (members == facts_.structs.end() || members->second.empty() || depth == deepest) return std::nullopt;
    std::vector<std::string> fields;
    for (const auto& [declared, name] : members->second) {
      const std::size_t bracket = std::min(declared.find('['), declared.size());
      const std::string element = declared.substr(0, bracket);
      const auto known = type_named(element);
      if (!known) {
        const auto inner = bracket == declared.size() ? fields_of(element, depth + 1) : std::nullopt;
        if (!inner) return std::nullopt;
        fields.push_back(format("{{\"name\": {}, \"struct\": [{}]}}", as_json(name), *inner));
        continue;
      }
      std::string value =
          guesses_.is_size(name) ? as_json(name)
          : is_whole_type(element) && names_a_pitch(name)
              ? (guesses_.extents().size() == 1 && names_a_stride(name) ? std::string("1")
                                                                        : as_json(guesses_.extents().front()))
              : value_of(*known);
      if (bracket < declared.size()) {
        constexpr std::int64_t most = 64;
        const std::size_t end = std::min(declared.find(']'), declared.size());
        const auto count = number_in(declared.substr(bracket + 1, end - bracket - 1));
        if (!count || *count < 1 || *count > most || known->components > 1 || end + 1 != declared.size())
          return std::nullopt;
        value = "[" + joined(std::vector<std::string>(static_cast<std::size_t>(*count), value)) + "]";
      }
      fields.push_back(
          format("{{\"name\": {}, \"type\": {}, \"value\": {}}}", as_json(name), as_json(element), value));
    }
    return joined(fields);
  }

  void add_scalar(const ParameterOfKernel& parameter) {
    const auto known = type_named(parameter.type);
    const bool is_type = std::ranges::find(types_, parameter.type) != types_.end();
    const std::string& name = parameter.name;
    const std::pair<std::string, std::string> of_type = {"type", as_json(parameter.type)};
    if (known && known->components > 1) {
      add(name, {of_type, {"value", value_of(*known)}}, "its value");
    } else if (const auto fields = fields_of(parameter.type, 0); !is_type && !known && fields) {
      add(name, {{"struct", format("[{}]", *fields)}}, "the values of its fields");
    } else if (!is_type && !known) {
      add(name, {{"bytes", as_json("00 00 00 00")}},
          format("'{}' is passed by value, but its type is not understood", parameter.declared));
      draft_.missing.push_back(format("the type of '{}' is not understood", parameter.declared));
    } else if (const std::string own = guesses_.parameter_for(name); !own.empty()) {
      add(name, {of_type, {"value", as_json(own)}});
    } else if (guesses_.is_size(name)) {
      add(name, {of_type, {"value", as_json(name)}}, guesses_.is_bound(name) ? "" : "is it a size?");
    } else if (guesses_.is_pitch(name)) {
      add(name, {of_type, {"value", as_json(guesses_.extents().front())}}, "the elements of a row?");
    } else {
      const bool whole = known && !is_floating_point(known->element);
      const std::string given = passed(name, whole);
      add(name,
          {of_type,
           {"value", !given.empty()        ? given
                     : !whole              ? "0.5"
                     : names_a_place(name) ? "0"
                                           : "1"}},
          "its value" +
              (given.empty() ? std::string() : format(" (of line {} of the file)", guesses_.launch()->line)));
    }
  }

  void add_constant(const ConstantArray& array) {
    const ArgumentType type = type_of(array.type);
    std::vector<std::string> extents;
    bool is_known = true;
    for (const std::string& extent : array.extents) {
      const auto formula = guesses_.formula_of(extent);
      is_known = is_known && formula;
      extents.insert(extents.begin(), as_json(formula.value_or("1")));
    }
    if (extents.empty()) extents.emplace_back("1");
    if (type.elements > 1)
      extents.front() =
          as_json(format("{} * ({})", type.elements, extents.front().substr(1, extents.front().size() - 2)));
    std::string guess = is_known ? std::string() : format("the size of '{}'", array.name);
    if (!type.guess.empty()) guess += (guess.empty() ? "" : "; ") + type.guess;
    if (is_whole(type.name)) guess += std::string(guess.empty() ? "" : "; ") + "its contents";
    const std::string own =
        std::ranges::find(facts_.parameters, array.name, &ParameterOfKernel::name) == facts_.parameters.end()
            ? array.name
            : array.name + "_constant";
    add(own,
        {{"type", as_json(type.name)},
         {"size", json_extents(extents)},
         {"fill", fill_of(type.name)},
         {"symbol", as_json(array.name)}},
        guess);
  }

  void add_arguments() {
    for (const ParameterOfKernel& parameter : facts_.parameters) {
      if (parameter.name.empty() || parameter.declared.find('(') != std::string::npos)
        draft_.missing.push_back(format("the argument '{}' is not understood", parameter.declared));
      if (facts_.textures.contains(parameter.name))
        add_texture(parameter);
      else if (parameter.is_pointer)
        add_array(parameter);
      else
        add_scalar(parameter);
    }
    for (const ConstantArray& array : facts_.constants) add_constant(array);
  }

  // ---- launch

  /// `4` in place of `sizeof(float)`; the types of templates are parameters of the definition.
  std::string without_sizeof(std::string text) const {
    for (std::size_t at = text.find("sizeof"); at != std::string::npos; at = text.find("sizeof", at)) {
      const std::size_t begin = text.find('(', at), end = text.find(')', at);
      if (begin == std::string::npos || end == std::string::npos || end < begin) return text;
      const auto type = type_named(trimmed(std::string_view(text).substr(begin + 1, end - begin - 1)));
      if (!type) return text;
      text.replace(at, end + 1 - at, std::to_string(bytes_of(*type)));
    }
    return text;
  }
  static std::size_t bytes_of(const TypeName& type) {
    return element_size(type.element) * static_cast<std::size_t>(type.components);
  }

  static std::string extents_of(const std::vector<GuessedExtent>& all) {
    std::vector<std::string> texts;
    for (const GuessedExtent& one : all) texts.push_back(as_json(one.formula));
    return json_extents(texts);
  }

  /// What the file's own launch has in a place, for a mark.
  std::string as_launched(const std::vector<std::string>& extents) const {
    return format("; line {} of the file has '{}'", guesses_.launch()->line, joined(extents));
  }

  void add_launch() {
    std::string entry = facts_.entry;
    if (!facts_.templates.empty()) entry += "<" + joined(facts_.templates, &TemplateParameter::name) + ">";
    const auto is_certain = [](const std::vector<GuessedExtent>& all) {
      return std::ranges::all_of(all, &GuessedExtent::is_certain);
    };
    const LaunchOfFile* const own = guesses_.launch();
    DraftLaunch launch = {
        {"entry", as_json(entry)},
        {"grid", extents_of(guesses_.grid()),
         is_certain(guesses_.grid()) ? "" : "the grid in blocks" + (own ? as_launched(own->grid) : "")},
        {"block", extents_of(guesses_.block()),
         is_certain(guesses_.block()) ? "" : "the block in threads" + (own ? as_launched(own->block) : "")}};
    if (!facts_.dynamic_shared.empty()) launch.push_back(shared_memory());
    if (facts_.words.contains("this_grid") || (own != nullptr && own->cooperative)) {
      launch.push_back({"cooperative", "true"});
      if (launch[1].guess.empty())
        launch[1].guess = "the grid in blocks, all of which must fit on the device at once";
    }
    draft_.launches.push_back(std::move(launch));
  }

  DraftField shared_memory() const {
    const LaunchOfFile* const own = guesses_.launch();
    const bool is_given = own != nullptr && !own->shared.empty();
    if (const auto formula =
            is_given ? guesses_.formula_of_launch(without_sizeof(own->shared)) : std::nullopt)
      return {"shared", as_json(*formula)};
    const auto type = type_named(facts_.dynamic_shared);
    const std::size_t bytes = type ? bytes_of(*type) : 4;
    return {"shared",
            as_json(format("{} * {}", bytes, joined(guesses_.block(), &GuessedExtent::formula, " * "))),
            "bytes of dynamic shared memory" + (is_given ? as_launched({own->shared}) : std::string())};
  }

  const std::string& file_name_;
  const KernelFacts& facts_;
  const Guesses guesses_;
  const std::vector<std::pair<std::string, std::string>> elsewhere_;
  std::set<std::string, std::less<>> deciding_;  ///< parameters on which results seem to depend
  std::vector<std::string> types_ = {};
  Draft draft_ = {};
};

}  // namespace

DraftField guessed_reference(const std::vector<std::string>& same, const KernelFacts& kernel) {
  std::vector<std::string> names;
  for (const std::string& one : same) names.push_back(as_json(one));
  std::string other;
  for (const std::string& name : kernel.kernels)
    for (const std::string_view word : {"naive", "reference", "_ref", "simple", "baseline"})
      if (other.empty() && name != kernel.name && name.find(word) != std::string::npos)
        other = format(" such as '{}'", name);
  return {
      "reference",
      same.empty() ? R"({"configuration": {}})"
                   : format("{{\"configuration\": {{}}, \"same\": {}}}", json_list(names)),
      format(
          "the default configuration is the reference: is there a better one, a kernel{} or a file? Do results depend on {}",
          other, same.empty() ? "a parameter (\"same\")?" : "the parameters of \"same\" alone?")};
}

Draft draft_of_kernel(const std::string& file_name, const Examination& examination) {
  Draft draft = Drafter(file_name, examination).draft();
  std::vector<std::string> types;
  for (const std::string& one : examination.missing_types()) types.push_back(as_json("-D" + one + "=float"));
  if (!types.empty())
    draft.kernel.push_back(
        {"options", json_list(types), "the file does not declare this type: which is it?"});
  return draft;
}

FirstDefinition first_definition(const std::string& file_name, const KernelText& text,
                                 const std::string& entry, const UndefinedNames& undefined,
                                 const std::vector<std::string>& folders) {
  const Examination examination(file_name, text, entry, undefined);
  if (const auto& alike = examination.facts().alike; alike.size() > 1)
    throw UsageError(format(
        "{}: {} kernels are called '{}': {}; choose one by its line: --entry {}", file_name, alike.size(),
        entry,
        joined(alike, [&](const auto& one) { return format("{}:{} {}", file_name, one.first, one.second); }),
        alike.front().first));
  Draft draft = draft_of_kernel(file_name, examination);
  std::vector<std::string> names;
  for (const std::string& folder : folders) names.push_back(as_json(folder));
  if (!names.empty()) draft.kernel.insert(draft.kernel.begin() + 1, {"include", json_list(names)});
  FirstDefinition definition = write_draft(draft);
  definition.kernels = examination.facts().kernels;
  return definition;
}

}  // namespace tune::described
