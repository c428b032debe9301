// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "search/space/space_definition.hpp"

namespace tune::search {

/// Estimates what has to be remembered of a constraint once some of its parameters are known: the known
/// operands of a sum, a product and the like are one number, whatever their number is; parameters that are
/// compared with ones to come are all remembered.
class Carried {
 public:
  /// The number of parameters is that of `weights`, the binary logarithms of their numbers of values.
  Carried(const SpaceDefinition& definition, const std::map<std::string, std::size_t>& slots,
          const std::vector<double>& weights, const Expr& rule);

  /// Of the first operands of a chain together: the sum of the parameters' weights, and the binary logarithm
  /// of the number of values.
  using Growth = std::vector<std::pair<double, double>>;

  /// A value that is computed of parameters.
  struct Item {
    std::vector<std::size_t> parameters;
    double most;                     ///< binary logarithm of the number of values
    const Growth* growth = nullptr;  ///< of the chain that it is a part of, if any

    /// Returns the binary logarithm of the number of values where some of the parameters are known otherwise
    /// and the weights of the others have this sum.
    double values(double weight) const;
  };

  const std::vector<std::size_t>& parameters() const { return root_.parameters; }
  /// Adds what is remembered once these parameters are known, some of them not: parameters, and values.
  void gather(const std::vector<bool>& known, std::vector<bool>& carried, std::vector<Item>& items) const {
    gather(root_, known, carried, items);
  }

 private:
  struct Node {
    Expr::Op op = Expr::Op::literal;
    bool chain = false;
    std::vector<std::size_t> parameters;
    std::vector<Node> operands;
    std::vector<double> values;  ///< that it may have, increasing; empty where they are too many
    double count = 0;            ///< binary logarithm of the number of values
    Growth growth;
  };

  Node node_of(const Expr& expr) const;
  void add_operands(const Expr& expr, Expr::Op op, bool negative, std::vector<Node>& operands) const;
  static void limit_products(Node& comparison);
  void count_values(Node& node) const;
  double weight_of(const std::vector<std::size_t>& parameters) const;
  void gather(const Node& node, const std::vector<bool>& known, std::vector<bool>& carried,
              std::vector<Item>& items) const;

  const SpaceDefinition& definition_;
  const std::map<std::string, std::size_t>& slots_;
  const std::vector<double>& weights_;
  Node root_;
};

}  // namespace tune::search
