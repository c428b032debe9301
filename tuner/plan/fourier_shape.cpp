// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/fourier_shape.hpp"

#include <algorithm>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune {
namespace {

class ShapeOf {
 public:
  ShapeOf(const LaunchPlan& plan, const FourierTransform& transform) : plan_(plan), transform_(transform) {}

  FourierShape shape() const {
    const Extents& extents = transform_.extents;
    require(!extents.empty() && extents.size() <= 3,
            format("it has {} dimensions, possible are 1 to 3", extents.size()));
    require(std::ranges::find(extents, 0u) == extents.end(), "it has no cells");
    require(transform_.axes >= 1, "it runs along no dimension");
    const BufferSpec& input = plan_.buffer(transform_.input);
    const BufferSpec& output = plan_.buffer(transform_.output);
    check_types(input, output);
    check_roles(input, output);
    FourierShape shape;
    shape.direction = transform_.direction;
    shape.type = input.type;
    shape.extents = {extents.front()};
    for (std::size_t axis = 1; axis < extents.size(); ++axis) {
      if (extents[axis] == 1) continue;
      shape.extents.push_back(extents[axis]);
      if (axis < transform_.axes) shape.axes = shape.extents.size();
    }
    require(shape.extents.size() - shape.axes <= 1,
            format("it runs along {} of {} dimensions, possible are all and all but one", shape.axes,
                   shape.extents.size()));
    shape.real = side(shape.forward() ? input : output, extents.front());
    shape.complex = side(shape.forward() ? output : input, 2 * shape.values());
    const bool whole = std::ranges::all_of(shape.complex.pitches, [](auto pitch) { return pitch % 2 == 0; });
    require(whole, format("rows of '{}' must be a multiple of two elements apart, as complex numbers are",
                          shape.complex.buffer));
    return shape;
  }

 private:
  void require(bool fulfilled, const std::string& what) const {
    if (!fulfilled) throw Error(format("the {} is not possible: {}", step_name(transform_), what));
  }

  void check_types(const BufferSpec& input, const BufferSpec& output) const {
    for (const BufferSpec* buffer : {&input, &output})
      require(buffer->type == ElementType::f32 || buffer->type == ElementType::f64,
              format("'{}' has elements of {}, possible are float and double", buffer->name,
                     to_string(buffer->type)));
    require(input.type == output.type, format("'{}' has elements of {}, '{}' of {}", input.name,
                                              to_string(input.type), output.name, to_string(output.type)));
  }

  void check_roles(const BufferSpec& input, const BufferSpec& output) const {
    require(output.role != BufferRole::input, format("'{}' is an input of the plan", output.name));
    // cuFFT overwrites complex inputs between its passes.
    require(transform_.direction == FourierDirection::forward || input.role != BufferRole::input,
            format("it overwrites '{}', an input of the plan", input.name));
  }

  FourierSide side(const BufferSpec& buffer, std::uint64_t row) const {
    const Extents& extents = transform_.extents;
    const Layout& layout = buffer.layout;
    require(layout.strides.size() == extents.size(),
            format("'{}' has {} dimensions, not {}", buffer.name, layout.strides.size(), extents.size()));
    require(layout.strides.front() == 1, format("the elements of a row of '{}' lie apart", buffer.name));
    require(layout.offset % 2 == 0,
            format("'{}' begins {} elements into its allocation: make it an even number", buffer.name,
                   layout.offset));
    FourierSide side{buffer.name, row, {}, layout.offset, layout.offset + row, layout.allocation};
    std::uint64_t below = 1;  // the pitch of the next faster dimension
    std::uint64_t min = row;  // elements that a step of this dimension has to pass over
    for (std::size_t axis = 1; axis < extents.size(); ++axis) {
      if (extents[axis] == 1) continue;
      const std::uint64_t pitch = layout.strides[axis];
      require(pitch >= min, format("'{}' has a stride of {} elements where {} or more are needed",
                                   buffer.name, pitch, min));
      require(pitch % below == 0, format("'{}' has a stride of {} elements, which is not a multiple of {}",
                                         buffer.name, pitch, below));
      side.pitches.push_back(pitch);
      side.end += (extents[axis] - 1) * pitch;
      below = pitch;
      min = extents[axis] * pitch;
    }
    return side;
  }

  const LaunchPlan& plan_;
  const FourierTransform& transform_;
};

}  // namespace

std::uint64_t FourierShape::rows() const {
  return element_count(extents) / extents.front();
}

std::uint64_t FourierShape::row_begin(const FourierSide& side, std::uint64_t row) const {
  std::uint64_t begin = 0;
  for (std::size_t axis = 1; axis < extents.size(); ++axis) {
    begin += row % extents[axis] * side.pitches[axis - 1];
    row /= extents[axis];
  }
  return begin;
}

FourierShape fourier_shape(const LaunchPlan& plan, const FourierTransform& transform) {
  return ShapeOf(plan, transform).shape();
}

}  // namespace tune
