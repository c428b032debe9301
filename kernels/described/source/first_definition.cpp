// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/first_definition.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "kernels/described/description.hpp"
#include "search/expressions/expr_syntax.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

std::string as_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class Writer {
 public:
  Writer(const std::string& file_name, const Examination& examination)
      : file_name_(file_name),
        facts_(examination.facts()),
        guesses_(examination.guesses()),
        elsewhere_(examination.elsewhere()) {
    for (const TemplateParameter& one : facts_.templates)
      if (one.kind == "typename") types_.push_back(one.name);
  }

  FirstDefinition write() {
    for (const GuessedSize& size : guesses_.sizes())
      if (!search::is_variable_name(size.name))
        result_.missing.push_back(format(
            "formulas cannot have a size '{0}', a word of their language: name it otherwise", size.name));
    line("{");
    line("  // Made by 'tune new'. Each guess is marked: correct it, then remove its mark.");
    line(format("  \"problem\": {},", as_json(facts_.name)));
    write_kernel();
    write_sizes();
    write_parameters();
    write_arguments();
    write_launch();
    line(
        "  \"reference\": {\"configuration\": {}},",
        "the default configuration counts as right; can another kernel or a file? Do results depend on a parameter (\"same\")?");
    line(format("  \"work\": {{\"items\": {}, \"item\": \"element\", \"flops\": 0}}",
                as_json(joined(guesses_.extents(), {}, " * "))),
         "operations of the whole work (\"flops\": a formula), for rates");
    line("}");
    return std::move(result_);
  }

 private:
  void line(std::string text, const std::string& guess = {}) {
    ++lines_;
    if (!guess.empty()) {
      text += "  // TODO: " + guess;
      const std::size_t begin = text.find('"') + 1;
      result_.guesses.push_back({lines_, text.substr(begin, text.find('"', begin) - begin), guess});
    }
    result_.json += text + "\n";
  }

  void write_kernel() {
    std::vector<std::string> sizes, others, fixed;
    const auto named = [](const std::string& name) { return format("{}: {}", as_json(name), as_json(name)); };
    for (const GuessedSize& size : guesses_.sizes()) {
      if (size.is_define) sizes.push_back(named(size.name));
      if (size.is_fixed) fixed.push_back(named(size.name));
    }
    for (const Tunable& one : guesses_.tunables())
      if (one.source == Tunable::Source::fixed) fixed.push_back(named(one.name));
    for (const auto& [name, value] : elsewhere_) others.push_back(format("{}: {}", as_json(name), value));
    std::vector<std::pair<std::string, std::string>> parts;
    if (!sizes.empty())
      parts.emplace_back("\"defines\": {" + joined(sizes), "are these sizes? Else make them parameters");
    if (!others.empty())
      parts.emplace_back((sizes.empty() ? "\"defines\": {" : "") + joined(others),
                         "other functions of the file ask for these");
    if (!fixed.empty())
      parts.emplace_back("\"redefine\": {" + joined(fixed),
                         "the file fixes these by #define; are they sizes or parameters?");
    line(parts.empty() ? format("  \"kernel\": {},", as_json(file_name_))
                       : format("  \"kernel\": {{\"file\": {},", as_json(file_name_)));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool goes_on = !sizes.empty() && !others.empty() && i == 0;
      line(format("    {}{}", parts[i].first,
                  goes_on                ? ","
                  : i + 1 < parts.size() ? "},"
                                         : "}},"),
           parts[i].second);
    }
    line("");
  }

  void write_sizes() {
    std::vector<std::string> sizes, small;
    for (const GuessedSize& size : guesses_.sizes()) {
      sizes.push_back(format("{}: {}", as_json(size.name), size.value));
      small.push_back(format("{}: {}", as_json(size.name), size.check));
    }
    line(format("  \"sizes\": {{{}}},", joined(sizes)), "the sizes of the work, and those to tune for");
    const bool is_whole = std::ranges::any_of(guesses_.sizes(), &GuessedSize::is_whole),
               one = sizes.size() == 1 && !is_whole &&
                     guesses_.grid().front().formula.find_first_of("/-") == std::string::npos;
    line(format("  \"check\": [{}{{{}}}],",
                one ? format("{{{}: 1}}, ", as_json(guesses_.sizes().front().name)) : "", joined(small)),
         is_whole
             ? "small sizes at which every configuration is checked: the kernel seems to need whole blocks"
             : "small sizes at which every configuration is checked; add odd ones, if the kernel takes them");
    if (!types_.empty()) {
      std::vector<std::string> settings;
      for (const std::string& type : types_)
        settings.push_back(format("{}: {{\"values\": [{}]}}", as_json(type), joined(types_for(type))));
      line(format("  \"settings\": {{{}}},", joined(settings)), "the types to choose from");
    }
    line("");
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

  void write_parameters() {
    line("  \"parameters\": {");
    const auto& tunables = guesses_.tunables();
    for (std::size_t i = 0; i < tunables.size(); ++i) {
      const Tunable& one = tunables[i];
      const GuessedValues values = guesses_.values_of(one);
      std::string what = "values to try";
      if (one.source == Tunable::Source::unknown) what += "; the file does not define this name";
      if (one.source == Tunable::Source::template_argument) what += " of the template's argument";
      if (one.source == Tunable::Source::fixed) what += "; the file fixes it";
      if (one.source == Tunable::Source::launch) what += " (of the launch alone)";
      line(format("    {}: {{\"values\": [{}], \"default\": {}}}{}", as_json(one.name), joined(values.values),
                  values.default_value, i + 1 < tunables.size() ? "," : ""),
           what);
    }
    if (tunables.empty()) {
      line("    \"unused\": [0]",
           "the kernel has no parameter: #ifndef NAME, #define NAME 16, #endif gives it one");
    }
    line("  },");
    std::vector<std::string> extents;
    for (const GuessedExtent& extent : guesses_.block())
      if (extent.formula != "1") extents.push_back(extent.formula);
    const bool is_plain = std::ranges::all_of(extents, [&](const std::string& one) {
      return std::ranges::find(tunables, one, &Tunable::name) != tunables.end();
    });
    line(
        format("  \"constraints\": [{}],",
               extents.size() > 1 && is_plain ? as_json(joined(extents, {}, " * ") + " <= max_threads") : ""),
        "further rules of the kernel over parameters and sizes");
    line("");
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

  std::string fill_of(const std::string& type) const {
    const auto known = type_named(type);
    if (known && known->is_bool) return R"("fill": {"random": [0, 1]})";
    if (known && !is_floating_point(known->element))
      return format("\"fill\": {{\"random\": [0, \"{} - 1\"]}}", guesses_.extents().front());
    return R"("fill": {"random": [-1, 1]})";
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
    return extents.size() == 1 ? extents.front() : "[" + joined(extents) + "]";
  }

  void add(std::string text, const std::string& guess = {}) {
    arguments_.emplace_back(std::move(text), guess);
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

  void add_array(const ParameterOfKernel& parameter) {
    const ArgumentType type = type_of(parameter.type);
    const Accesses& is = parameter.accesses;
    std::string guess = "its size", access;
    if (parameter.is_const || (!is.unknown && !is.written)) {
      access = fill_of(type.name);
    } else if (!is.unknown && !is.read && !guesses_.has_rim()) {
      access = "\"access\": \"write\"";
    } else {
      access = "\"access\": \"both\", " + fill_of(type.name);
      if (is.unknown) guess += "; is it read, written or both?";
      if (!is.unknown && !is.read) guess += "; it is only written (\"write\"), but perhaps not all of it";
    }
    std::string size = size_of_array(type.elements);
    if (const std::string elements = allocated(parameter.name); !elements.empty()) {
      const auto formula = type.elements == 1 ? guesses_.formula_of(elements) : std::nullopt;
      if (formula && std::ranges::any_of(guesses_.sizes(), [&](const GuessedSize& one) {
            return has_word(*formula, one.name);
          })) {
        size = as_json(for_all_values(*formula));
        guess = guess.size() > 8 ? guess.substr(10) : "";
      } else {
        guess.insert(8, format(": the file allocates '{}'", elements));
      }
    }
    if (access.find("fill") != std::string::npos && is_whole(type.name))
      guess += std::string(guess.empty() ? "" : "; ") + "its contents";
    if (!type.guess.empty()) guess += (guess.empty() ? "" : "; ") + type.guess;
    if (std::ranges::count(parameter.declared, '*') > 1)
      result_.missing.push_back(format("'{}' is a pointer to pointers", parameter.declared));
    add(format("    {}: {{\"type\": {}, \"size\": {}, {}}}", as_json(parameter.name), as_json(type.name),
               size, access),
        guess);
  }

  void add_texture(const ParameterOfKernel& parameter) {
    const TextureUse& use = facts_.textures.at(parameter.name);
    const ArgumentType type =
        use.type.empty() ? ArgumentType{"float", 1, "the type of its texels"} : type_of(use.type);
    std::vector<std::string> extents;
    for (int i = 0; i < std::max(1, use.dimensions); ++i)
      extents.push_back(as_json(guesses_.extents()[std::min<std::size_t>(static_cast<std::size_t>(i),
                                                                         guesses_.extents().size() - 1)]));
    add(format("    {}: {{\"type\": {}, \"size\": {}, {}, \"texture\": true}}", as_json(parameter.name),
               as_json(type.name), extents.size() == 1 ? extents.front() : "[" + joined(extents) + "]",
               fill_of(type.name)),
        "its extents, filter and address mode (\"texture\": {...})" +
            (type.guess.empty() ? "" : "; " + type.guess));
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
      std::string value = guesses_.is_size(name) ? as_json(name) : value_of(*known);
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
    const std::string name = as_json(parameter.name);
    if (known && known->components > 1) {
      add(format("    {}: {{\"type\": {}, \"value\": {}}}", name, as_json(parameter.type), value_of(*known)),
          "its value");
    } else if (const auto fields = fields_of(parameter.type, 0); !is_type && !known && fields) {
      add(format("    {}: {{\"struct\": [{}]}}", name, *fields), "the values of its fields");
    } else if (!is_type && !known) {
      add(format("    {}: {{\"bytes\": \"00 00 00 00\"}}", name),
          format("'{}' is passed by value, but its type is not understood", parameter.declared));
      result_.missing.push_back(format("the type of '{}' is not understood", parameter.declared));
    } else if (const std::string own = guesses_.parameter_for(parameter.name); !own.empty()) {
      add(format("    {}: {{\"type\": {}, \"value\": {}}}", name, as_json(parameter.type), as_json(own)));
    } else if (guesses_.is_size(parameter.name)) {
      add(format("    {}: {{\"type\": {}, \"value\": {}}}", name, as_json(parameter.type),
                 as_json(parameter.name)),
          guesses_.is_bound(parameter.name) ? "" : "is it a size?");
    } else {
      const bool whole = known && !is_floating_point(known->element);
      const std::string given = passed(parameter.name, whole);
      add(format("    {}: {{\"type\": {}, \"value\": {}}}", name, as_json(parameter.type),
                 !given.empty() ? given
                 : whole        ? "1"
                                : "0.5"),
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
    add(format("    {}: {{\"type\": {}, \"size\": {}, {}, \"symbol\": {}}}", as_json(own), as_json(type.name),
               extents.size() == 1 ? extents.front() : "[" + joined(extents) + "]", fill_of(type.name),
               as_json(array.name)),
        guess);
  }

  void write_arguments() {
    for (const ParameterOfKernel& parameter : facts_.parameters) {
      if (parameter.name.empty() || parameter.declared.find('(') != std::string::npos)
        result_.missing.push_back(format("the argument '{}' is not understood", parameter.declared));
      if (facts_.textures.contains(parameter.name))
        add_texture(parameter);
      else if (parameter.is_pointer)
        add_array(parameter);
      else
        add_scalar(parameter);
    }
    for (const ConstantArray& array : facts_.constants) add_constant(array);
    line("  // In the kernel's order; \"access\" is read, unless it is given.");
    line("  \"arguments\": {");
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      line(arguments_[i].first + (i + 1 < arguments_.size() ? "," : ""), arguments_[i].second);
    line("  },");
    line("");
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
    return texts.size() == 1 ? texts.front() : "[" + joined(texts) + "]";
  }

  void write_launch() {
    std::string entry = facts_.entry;
    if (!facts_.templates.empty()) entry += "<" + joined(facts_.templates, &TemplateParameter::name) + ">";
    const auto is_certain = [](const std::vector<GuessedExtent>& all) {
      return std::ranges::all_of(all, &GuessedExtent::is_certain);
    };
    const LaunchOfFile* const own = guesses_.launch();
    const auto as_launched = [&](const std::vector<std::string>& extents) {
      return own == nullptr ? std::string()
                            : format("; line {} of the file has '{}'", own->line, joined(extents));
    };
    line("  // Up to three axes: [\"ceil_div(nx, BX)\", \"ny\"].");
    line(format("  \"launches\": {{\"entry\": {},", as_json(entry)));
    line(format("    \"grid\": {},", extents_of(guesses_.grid())),
         is_certain(guesses_.grid()) ? "" : "the grid in blocks" + (own ? as_launched(own->grid) : ""));
    const std::string end = facts_.dynamic_shared.empty() ? "}," : ",";
    line(format("    \"block\": {}{}", extents_of(guesses_.block()), end),
         is_certain(guesses_.block()) ? "" : "the block in threads" + (own ? as_launched(own->block) : ""));
    if (!facts_.dynamic_shared.empty()) {
      if (const auto formula = own && !own->shared.empty()
                                   ? guesses_.formula_of_launch(without_sizeof(own->shared))
                                   : std::nullopt) {
        line(format("    \"shared\": {}}},", as_json(*formula)));
        line("");
        return;
      }
      const auto type = type_named(facts_.dynamic_shared);
      const std::size_t bytes = type ? bytes_of(*type) : 4;
      line(
          format("    \"shared\": {}}},",
                 as_json(format("{} * {}", bytes, joined(guesses_.block(), &GuessedExtent::formula, " * ")))),
          "bytes of dynamic shared memory" +
              (own && !own->shared.empty() ? as_launched({own->shared}) : std::string()));
    }
    line("");
  }

  const std::string& file_name_;
  const KernelFacts& facts_;
  const Guesses guesses_;
  const std::vector<std::pair<std::string, std::string>> elsewhere_;
  std::vector<std::string> types_ = {};
  std::vector<std::pair<std::string, std::string>> arguments_ = {};
  FirstDefinition result_ = {};
  int lines_ = 0;
};

}  // namespace

FirstDefinition first_definition(const std::string& file_name, const KernelText& text,
                                 const std::string& entry, const UndefinedNames& undefined) {
  const Examination examination(file_name, text, entry, undefined);
  FirstDefinition definition = Writer(file_name, examination).write();
  definition.kernels = examination.facts().kernels;
  return definition;
}

}  // namespace tune::described
