// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/language/definition.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "kernels/stencil/language/expression.hpp"
#include "kernels/stencil/language/parser.hpp"
#include "kernels/stencil/language/syntax.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

constexpr std::string_view words[] = {"name", "coordinates", "coefficients", "origin", "sum"};

/// Reads statement by statement. Line ends do not matter, except after `name =`: no expression can continue
/// with a name, and every statement but an equation begins with one.
class DefinitionReader {
 public:
  explicit DefinitionReader(std::string_view text) : tokens_(text) {}

  StencilDefinition read(std::string_view default_name) {
    std::optional<Stencil> stencil;
    while (!stencil && tokens_.token().kind != EquationToken::Kind::end)
      if (!statement()) stencil = equation();
    if (!stencil) stencil = from_coefficients();
    return {name_.value_or(std::string(default_name)), *std::move(stencil)};
  }

 private:
  /// Reads a statement other than an equation.
  bool statement() {
    const EquationToken name = tokens_.token();
    if (name.kind != EquationToken::Kind::name) return false;
    if (declares_bounds()) {
      bounded_list(name);
      return true;
    }
    tokens_.next();
    if (!tokens_.accept("=")) {
      tokens_.go_to(name);
      return false;
    }
    if (name.text == "name")
      read_name(name);
    else if (name.text == "coordinates")
      coordinates(name);
    else if (name.text == "coefficients")
      coefficients(name);
    else if (name.text == "origin")
      origin(name);
    else
      constant(name);
    return true;
  }

  /// Returns true if `name[first..last]` follows.
  bool declares_bounds() {
    const EquationToken start = tokens_.token();
    tokens_.next();
    bool found = false;
    if (tokens_.token().is("["))
      while (!found && tokens_.token().kind != EquationToken::Kind::end && !tokens_.token().is("]") &&
             !tokens_.token().is("=")) {
        tokens_.next();
        found = tokens_.token().is("..");
      }
    tokens_.go_to(start);
    return found;
  }

  [[noreturn]] static void fail_at(const EquationToken& token, std::string expected) {
    throw SourceFault{token.offset, token.described(), std::move(expected)};
  }

  static void require_once(const EquationToken& name, bool seen) {
    if (seen) fail_at(name, format("'{}' only once", name.text));
  }

  void require_new(const EquationToken& name) const {
    const auto& axes = names_.coordinates;
    if (std::find(std::begin(words), std::end(words), name.text) != std::end(words) ||
        std::find(axes.begin(), axes.end(), name.text) != axes.end())
      fail_at(name, "a name for a constant that has no other meaning");
    if (names_.numbers.contains(name.text) || names_.lists.contains(name.text))
      fail_at(name, format("'{}' to be declared only once", name.text));
  }

  void read_name(const EquationToken& name) {
    require_once(name, name_.has_value());
    const EquationToken first = tokens_.token();
    const std::string_view text = tokens_.rest_of_line(name);
    if (text.empty()) fail_at(first, "a name on the same line");
    name_ = text;
  }

  void coordinates(const EquationToken& name) {
    require_once(name, coordinates_seen_);
    coordinates_seen_ = true;
    std::vector<std::string> axes;
    const EquationToken start = tokens_.token();
    do {
      const EquationToken axis = tokens_.token();
      if (axis.kind != EquationToken::Kind::name) fail_at(axis, "the name of a coordinate");
      const bool used = std::find(axes.begin(), axes.end(), axis.text) != axes.end() ||
                        std::find(std::begin(words), std::end(words), axis.text) != std::end(words) ||
                        names_.numbers.contains(axis.text) || names_.lists.contains(axis.text);
      if (used) fail_at(axis, "a name for a coordinate that has no other meaning");
      axes.emplace_back(axis.text);
      tokens_.next();
    } while (tokens_.accept(","));
    if (axes.size() != 2 && axes.size() != 3)
      throw SourceFault{start.offset, format("{} coordinates", axes.size()), "two or three"};
    names_.coordinates = std::move(axes);
  }

  void constant(const EquationToken& name) {
    require_new(name);
    if (tokens_.token().is("[")) {
      names_.lists.emplace(name.text, ConstantList{1, list()});
      return;
    }
    names_.numbers.emplace(name.text, constant_value(parser_.constant()));
  }

  std::vector<double> list() {
    const EquationToken start = tokens_.token();
    tokens_.expect("[", "'['");
    std::vector<double> values;
    do {
      values.push_back(constant_value(parser_.constant()));
      if (values.size() > max_terms)
        throw SourceFault{start.offset, format("more than {} elements", max_terms), "a shorter list"};
    } while (tokens_.accept(","));
    tokens_.expect("]", "an operator, ',' or ']'");
    return values;
  }

  void bounded_list(const EquationToken& name) {
    require_new(name);
    tokens_.next();
    tokens_.expect("[", "'['");
    const int first = bound();
    tokens_.expect("..", "an operator or '..'");
    const int last = bound();
    tokens_.expect("]", "an operator or ']'");
    tokens_.expect("=", "'=' and a list");
    const EquationToken start = tokens_.token();
    std::vector<double> values = list();
    if (static_cast<std::int64_t>(values.size()) != std::int64_t{last} - first + 1)
      throw SourceFault{start.offset, format("a list of {}", values.size()),
                        format("{} elements, from {} to {}", std::max(0, last - first + 1), first, last)};
    names_.lists.emplace(name.text, ConstantList{first, std::move(values)});
  }

  int bound() {
    constexpr int max = 1 << 20;
    return integer_value(parser_.constant(), "the index", max);
  }

  void coefficients(const EquationToken& name) {
    require_once(name, coefficients_.has_value());
    coefficients_.emplace(tokens_, parser_).read();
  }

  void origin(const EquationToken& name) {
    require_once(name, origin_.has_value());
    origin_at_ = name;
    origin_.emplace();
    tokens_.expect("[", "'[' and the index of the cell itself along x, y and z");
    do {
      origin_->push_back(integer_value(parser_.constant(), "the index", max_offset));
    } while (origin_->size() < 3 && tokens_.accept(","));
    tokens_.expect("]", origin_->size() < 3 ? "an operator, ',' or ']'" : "an operator or ']'");
  }

  Stencil equation() {
    if (coefficients_) tokens_.fail("no equation, because there are coefficients already");
    if (origin_) fail_at(origin_at_, "no origin, because there is an equation");
    const Equation equation = parser_.equation();
    if (tokens_.token().kind != EquationToken::Kind::end)
      tokens_.fail("an operator or the end, because the equation is the last statement");
    return stencil_of(equation);
  }

  Stencil from_coefficients() const {
    if (!coefficients_) tokens_.fail("an equation, or 'coefficients = [...]'");
    if (origin_) {
      const auto axes = static_cast<std::size_t>(coefficients_->dimensions());
      if (origin_->size() != axes)
        fail_at(origin_at_, format("{} indices, as the coefficients have levels", axes));
      for (std::size_t axis = 0; axis < axes; ++axis)
        if (const int at = (*origin_)[axis], extent = coefficients_->extent(static_cast<int>(axis));
            at < 0 || at >= extent)
          throw SourceFault{origin_at_.offset, format("the index {}", at),
                            format("one from 0 to {} within the coefficients", extent - 1)};
    }
    return coefficients_->stencil(origin_);
  }

  TokenReader tokens_;
  EquationNames names_;
  ExpressionParser parser_{tokens_, names_};
  std::optional<std::string> name_;
  std::optional<CoefficientReader> coefficients_;
  std::optional<std::vector<int>> origin_;
  EquationToken origin_at_;
  bool coordinates_seen_ = false;
};

std::string contents(const std::filesystem::path& path) {
  // A box of radius 32 with all digits is 13 MB.
  constexpr std::size_t max_bytes = std::size_t{1} << 26;
  if (std::filesystem::is_directory(path))
    throw UsageError(format("{} is a folder, not a stencil file", path.string()));
  if (is_other_than_file(path))
    throw UsageError(format("{} is a device, pipe or socket, not a stencil file", path.string()));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(format("cannot read the stencil file {}: check its name", path.string()));
  std::string text;
  std::string piece(std::size_t{1} << 16, '\0');
  while (file && text.size() <= max_bytes) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece, 0, static_cast<std::size_t>(file.gcount()));
  }
  if (text.size() > max_bytes)
    throw UsageError(format("{} is too large for a stencil file (more than 64 MiB)", path.string()));
  return text;
}

/// Returns a name that `name = ` reads back: no comment, one line, no spaces around.
std::string name_in_file(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if ((c >= 0 && c < ' ') || c == '#') c = '_';
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string index(char axis, int offset) {
  return offset == 0 ? std::string(1, axis) : format("{}{:+}", axis, offset);
}

}  // namespace

Parsed<StencilDefinition> parse_definition(std::string_view text, std::string_view file_name) {
  try {
    const std::string stem = std::filesystem::path(file_name).stem().string();
    return DefinitionReader(text).read(stem.empty() ? "stencil" : stem);
  } catch (const SourceFault& fault) {
    return tl::unexpected<SourceError>(source_error(text, file_name, fault));
  }
}

StencilDefinition read_stencil_file(const std::filesystem::path& path) {
  Parsed<StencilDefinition> definition = parse_definition(contents(path), path.string());
  if (!definition) {  // a UsageError is one line: without the source line and the caret below it
    const std::string& message = definition.error().message;
    throw UsageError(message.substr(0, message.find('\n', path.string().size())));
  }
  return *std::move(definition);
}

std::string definition_text(const Stencil& stencil, std::string_view name) {
  if (stencil.points.empty() || stencil.points.size() > max_terms || stencil.radius() > max_offset)
    throw std::invalid_argument(format("no definition can be written of {} points that reach {} cells",
                                       stencil.points.size(), stencil.radius()));
  std::string text;
  if (const std::string known = name_in_file(name); !known.empty()) text += format("name = {}\n", known);
  const bool flat = stencil.dimensions == 2;
  text += flat ? "out[x,y] =" : "out[x,y,z] =";
  std::string_view sign = "\n    ";
  for (const StencilPoint& point : stencil.points) {
    if (!std::isfinite(point.weight))
      throw std::invalid_argument(format("no definition can be written of the weight {}", point.weight));
    text += format("{}{:.17g}*D[{},{}", sign, point.weight, index('x', point.dx), index('y', point.dy));
    text += flat ? "]" : format(",{}]", index('z', point.dz));
    sign = "\n  + ";
  }
  return text + "\n";
}

std::string definition_hash(const Stencil& stencil) {
  constexpr std::size_t digits = 12;
  std::string text = format("{}\n", stencil.dimensions);
  for (const StencilPoint& point : normalized(stencil).points)
    text += format("{} {} {} {:016x}\n", point.dx, point.dy, point.dz,
                   std::bit_cast<std::uint64_t>(point.weight));
  return content_hash(text).substr(0, digits);
}

}  // namespace tune::kernels
