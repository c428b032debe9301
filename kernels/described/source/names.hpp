// SPDX-License-Identifier: Apache-2.0
// What the name of a macro, an argument or a constant says about its use.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tune::described {

/// In small letters.
std::string lower(std::string_view name);

bool has_one_of(std::string_view name, std::initializer_list<std::string_view> parts);

bool names_a_block(std::string_view name);

bool names_a_grid(std::string_view name);

bool names_a_switch(std::string_view name);

/// True for the name of a function of two numbers whose quotient it rounds up: `iDivUp`, `ceil_div`.
bool rounds_up(std::string_view name);

/// True for what counts the steps of a computation, or tells one of them.
bool names_a_turn(std::string_view name);

/// The axis that ends a name: 1 of BLOCK_SIZE_Y; 3 where there is none.
std::size_t axis_in(std::string_view name);

/// True for the name of a block, a tile or the like: of what is tuned.
bool names_a_parameter(std::string_view name);

/// True for a name that says that it is an extent of the data: `WIDTH`, `SIZE_A`, `n`. Of an argument
/// `count`, too: as a macro that may be anything.
bool names_a_size(std::string_view name, bool is_argument);

/// True for the distance of two rows in elements: `pitch`, `row_stride`, `lda`.
bool names_a_pitch(std::string_view name);
/// A pitch that may be the distance of elements, too.
bool names_a_stride(std::string_view name);

}  // namespace tune::described
