// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/fourier_plans.hpp"

#include <algorithm>
#include <utility>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

CufftType type_of(const FourierShape& shape) {
  if (shape.type == ElementType::f32) return shape.forward() ? cufft_r2c : cufft_c2r;
  return shape.forward() ? cufft_d2z : cufft_z2d;
}

/// A side in cuFFT's terms: how many rows (of complex or real numbers) a plane has room for, and so on, the
/// slowest dimension first; cuFFT ignores the first.
struct Embedding {
  std::vector<long long> extents;
  long long distance = 0;  ///< from a transform of a batch to the next one

  Embedding(const FourierShape& shape, const FourierSide& side, std::uint64_t elements_a_number) {
    std::uint64_t below = elements_a_number;
    for (std::size_t axis = 1; axis < shape.axes; ++axis) {
      extents.insert(extents.begin(), static_cast<long long>(side.pitches[axis - 1] / below));
      below = side.pitches[axis - 1];
    }
    const std::uint64_t slowest =
        shape.axes == 1 ? side.row / elements_a_number : shape.extents[shape.axes - 1];
    extents.insert(extents.begin(), static_cast<long long>(slowest));
    const bool batched = shape.axes < shape.extents.size();
    const std::uint64_t elements = batched ? side.pitches[shape.axes - 1] : slowest * below;
    distance = static_cast<long long>(elements / elements_a_number);
  }
};

tl::unexpected<Failure> refused(const FourierShape& shape, const CufftLibrary& library, int status) {
  return fail(Phase::resources, status == cufft_alloc_failed ? "device memory" : "cuFFT",
              format("{} makes no plan for a transform of {}: {}", library.path,
                     joined(shape.extents, {}, "x"), cufft_status_text(status)));
}

}  // namespace

Result<FourierPlan> FourierPlan::make(std::shared_ptr<const CufftLibrary> library,
                                      const FourierShape& shape) {
  int number = 0;
  if (const int status = library->create(&number); status != cufft_success)
    return refused(shape, *library, status);
  FourierPlan plan(std::move(library), shape, number);
  if (const int status = plan.library_->set_auto_allocation(number, 0); status != cufft_success)
    return refused(shape, *plan.library_, status);
  const auto slower = static_cast<std::ptrdiff_t>(shape.extents.size() - shape.axes);
  std::vector<long long> extents(shape.extents.rbegin() + slower, shape.extents.rend());
  Embedding real(shape, shape.real, 1), complex(shape, shape.complex, 2);
  auto& input = shape.forward() ? real : complex;
  auto& output = shape.forward() ? complex : real;
  const int status = plan.library_->make_plan_many(number, static_cast<int>(extents.size()), extents.data(),
                                                   input.extents.data(), 1, input.distance,
                                                   output.extents.data(), 1, output.distance, type_of(shape),
                                                   static_cast<long long>(shape.batch()), &plan.work_bytes_);
  if (status != cufft_success) return refused(shape, *plan.library_, status);
  return plan;
}

FourierPlan::FourierPlan(FourierPlan&& other) noexcept
    : library_(std::move(other.library_)),
      shape_(std::move(other.shape_)),
      plan_(other.plan_),
      work_bytes_(other.work_bytes_) {}

FourierPlan::~FourierPlan() {
  // After a fault this fails like every call.
  if (library_ != nullptr) library_->destroy(plan_);
}

bool FourierPlan::serves(const FourierShape& shape) const {
  return shape.direction == shape_.direction && shape.type == shape_.type &&
         shape.extents == shape_.extents && shape.axes == shape_.axes &&
         shape.real.pitches == shape_.real.pitches && shape.complex.pitches == shape_.complex.pitches &&
         shape.in_place() == shape_.in_place();
}

int FourierPlan::set_work_area(std::byte* memory) const {
  return work_bytes_ == 0 ? cufft_success : library_->set_work_area(plan_, memory);
}

int FourierPlan::enqueue(std::byte* input, std::byte* output, cudaStream_t stream) const {
  if (const int status = library_->set_stream(plan_, stream); status != cufft_success) return status;
  switch (type_of(shape_)) {
    case cufft_r2c:
      return library_->execute_r2c(plan_, input, output);
    case cufft_c2r:
      return library_->execute_c2r(plan_, input, output);
    case cufft_d2z:
      return library_->execute_d2z(plan_, input, output);
    case cufft_z2d:
      break;
  }
  return library_->execute_z2d(plan_, input, output);
}

Result<FourierPlans> FourierPlans::make(const LaunchPlan& plan,
                                        const std::shared_ptr<const CufftLibrary>& library) {
  FourierPlans made;
  for (const auto* step : all_steps(plan)) {
    const auto* transform = std::get_if<FourierTransform>(step);
    if (transform == nullptr) continue;
    const auto shape = fourier_shape(plan, *transform);
    for (const auto* side : {&shape.real, &shape.complex})
      if (!side->fits())
        throw Error(format("the {} reaches element {} of '{}', which has {} elements", step_name(*transform),
                           side->end - 1, side->buffer, side->allocation));
    if (std::ranges::any_of(made.plans_, [&](const auto& known) { return known.serves(shape); })) continue;
    auto added = FourierPlan::make(library, shape);
    if (!added) return tl::unexpected(added.error());
    made.plans_.push_back(std::move(*added));
  }
  return made;
}

FourierPlans& FourierPlans::operator=(FourierPlans&& other) noexcept {
  std::swap(plans_, other.plans_);
  std::swap(pool_, other.pool_);
  std::swap(work_, other.work_);
  return *this;
}

FourierPlans::~FourierPlans() {
  if (work_.data() != nullptr) pool_->give_back(std::move(work_));
}

std::size_t FourierPlans::work_bytes() const {
  std::size_t max = 0;
  for (const auto& plan : plans_) max = std::max(max, plan.work_bytes());
  return max;
}

Result<void> FourierPlans::take_work_area(MemoryPool& pool, InputSnapshots& snapshots) {
  const auto bytes = work_bytes();
  if (bytes == 0) return {};
  pool_ = &pool;
  work_ = pool.take(bytes);
  while (work_.data() == nullptr && snapshots.drop_oldest()) work_ = pool.take(bytes);
  if (work_.data() == nullptr)
    return fail(
        Phase::resources, "device memory",
        format("cuFFT needs {} bytes beside the buffers, {} bytes are free", bytes, pool.available()));
  for (const auto& plan : plans_)
    if (const int status = plan.set_work_area(work_.data()); status != cufft_success)
      return fail(Phase::resources, "cuFFT",
                  format("cuFFT refuses its work area: {}", cufft_status_text(status)));
  return {};
}

const FourierPlan& FourierPlans::find(const FourierShape& shape) const {
  const auto found =
      std::ranges::find_if(plans_, [&](const FourierPlan& plan) { return plan.serves(shape); });
  if (found == plans_.end()) throw Error("a plan has a Fourier transform that was not prepared");
  return *found;
}

}  // namespace tune::cuda
