// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/compiler_options.hpp"

namespace tune::emulator {
namespace {

using Options = std::vector<std::string>;

/// One variant's statics must not be another's, hence no unique symbols.
const Options always = {"-std=c++20",
                        "-O1",
                        "-w",
                        "-fPIC",
                        "-fvisibility=hidden",
                        "-fno-gnu-unique",
                        "-fno-exceptions",
                        "-fno-rtti",
                        "-fno-threadsafe-statics",
                        "-fno-strict-aliasing",
                        "-ffp-contract=off",
                        "-fno-stack-protector",
                        "-fmax-errors=5",
                        "-fdiagnostics-color=never",
                        "-U_FORTIFY_SOURCE"};

/// -g1: lines for what is found; in DWARF 4, because addr2line 2.40 takes the first file of DWARF 5 for the
/// source itself. Where variables are at every moment, nobody asks: finding that out costs a third of a
/// compilation.
const Options line_numbers = {"-g1", "-gdwarf-4", "-fno-var-tracking"};

const Options sanitize = {"-fsanitize=thread,alignment", "-fno-sanitize-recover=alignment",
                          "--param=tsan-instrument-func-entry-exit=0", "--param=tsan-distinguish-volatile=1"};

/// What is left of -O1 is inlining and the allocation of registers, which save more than they cost: -O0,
/// which lacks them, takes as long, because there is more to write, and -Og longer. Found by leaving out one
/// after the other. Passes without an option of their own are disabled by name; none of them is needed for
/// right code, and the names are tried before they are used.
const Options little_effort = {"-fira-region=one",
                               "-fno-tree-loop-optimize",
                               "-fno-tree-dominator-opts",
                               "-fno-thread-jumps",
                               "-fno-move-loop-invariants",
                               "-fno-tree-ccp",
                               "-fno-tree-bit-ccp",
                               "-fno-tree-ch",
                               "-fno-tree-slsr",
                               "-fno-ssa-phiopt",
                               "-fno-split-wide-types",
                               "-fno-if-conversion",
                               "-fno-if-conversion2",
                               "-fno-cprop-registers",
                               "-fno-forward-propagate",
                               "-fno-combine-stack-adjustments",
                               "-fno-compare-elim",
                               "-fno-dce",
                               "-fno-dse",
                               "-fno-shrink-wrap",
                               "-fno-reorder-blocks",
                               "-fno-guess-branch-probability",
                               "-fno-tree-dse",
                               "-fno-tree-sink",
                               "-fno-tree-copy-prop",
                               "-fno-tree-forwprop",
                               "-fno-tree-sra",
                               "-fno-tree-coalesce-vars",
                               "-fno-tree-cselim",
                               "-fno-tree-reassoc",
                               "-fno-tree-phiprop",
                               "-fno-tree-builtin-call-dce",
                               "-fno-ssa-backprop",
                               "-fno-optimize-strlen",
                               "-fno-ipa-modref",
                               "-fno-ipa-sra",
                               "-fno-ipa-pure-const",
                               "-fno-ipa-profile",
                               "-fno-ipa-ra",
                               "-fno-caller-saves",
                               "-fno-lra-remat",
                               "-fno-ira-share-spill-slots",
                               "-fno-ira-share-save-slots",
                               "-fno-early-inlining",
                               "-fno-devirtualize",
                               "-fno-ipa-cp",
                               "-fno-ivopts",
                               "-fno-tree-scev-cprop",
                               "-fno-tree-loop-ivcanon",
                               "-fdisable-tree-ifcombine",
                               "-fdisable-tree-lim1",
                               "-fdisable-tree-lim2",
                               "-fdisable-tree-cddce2",
                               "-fdisable-tree-cddce3",
                               "-fdisable-tree-dce3",
                               "-fdisable-tree-dce4",
                               "-fdisable-tree-dce7",
                               "-fdisable-tree-cunroll",
                               "-fdisable-rtl-jump",
                               "-fdisable-rtl-ce1",
                               "-fdisable-rtl-combine",
                               "-fdisable-rtl-cse1",
                               "-fdisable-rtl-postreload",
                               "-fdisable-tree-waccess1",
                               "-fdisable-tree-waccess2",
                               "-fdisable-tree-waccess3",
                               "-fdisable-tree-wrestrict",
                               "-fdisable-tree-walloca1",
                               "-fdisable-tree-walloca2",
                               "-fdisable-tree-objsz1",
                               "-fdisable-tree-objsz2",
                               "-fdisable-tree-early_objsz"};

}  // namespace

std::vector<std::string> compiler_options(const Build& build) {
  Options options = always;
  const auto add = [&](const Options& more) { options.insert(options.end(), more.begin(), more.end()); };
  if (build.effort == Effort::little) add(little_effort);
  if (build.flavour == Flavour::sanitize) add(sanitize);
  if (build.purpose == Purpose::explain) {
    add(line_numbers);
  } else if (build.flavour == Flavour::sanitize) {
    options.emplace_back("-fsanitize-undefined-trap-on-error");
  }
  return options;
}

}  // namespace tune::emulator
