// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/jobs/fourier.hpp"

#include <complex>
#include <unsupported/Eigen/FFT>
#include <vector>

namespace tune::emulator {
namespace {

using Complex = std::complex<double>;

/// Transforms complex lines of any length, unscaled; keeps the factors of each length.
class Lines {
 public:
  explicit Lines(bool forward) : forward_(forward) { fft_.SetFlag(Eigen::FFT<double>::Unscaled); }

  void transform(std::vector<Complex>& line) {
    if (line.size() == 1) return;  // the library cannot factorise 1
    result_.resize(line.size());
    const auto length = static_cast<Eigen::Index>(line.size());
    if (forward_)
      fft_.fwd(result_.data(), line.data(), length);
    else
      fft_.inv(result_.data(), line.data(), length);
    line.swap(result_);
  }

 private:
  bool forward_;
  Eigen::FFT<double> fft_;
  std::vector<Complex> result_;
};

template<class T>
class Transform {
 public:
  Transform(const FourierShape& shape, const char* input, char* output)
      : shape_(shape),
        input_(reinterpret_cast<const T*>(input)),
        output_(reinterpret_cast<T*>(output)),
        lines_(shape.forward()),
        values_(shape.values()),
        spectrum_(values_ * shape.rows()) {}

  void forward() {
    for (std::uint64_t row = 0; row < shape_.rows(); ++row) {
      const T* const from = input_ + shape_.row_begin(shape_.real, row);
      line_.assign(from, from + shape_.extents.front());
      lines_.transform(line_);
      std::copy_n(line_.begin(), values_, spectrum_.begin() + offset(row));
    }
    along_slower_dimensions();
    for (std::uint64_t row = 0; row < shape_.rows(); ++row) {
      T* to = output_ + shape_.row_begin(shape_.complex, row);
      for (std::uint64_t i = 0; i < values_; ++i) {
        *to++ = static_cast<T>(spectrum_[row * values_ + i].real());
        *to++ = static_cast<T>(spectrum_[row * values_ + i].imag());
      }
    }
  }

  void inverse() {
    for (std::uint64_t row = 0; row < shape_.rows(); ++row) {
      const T* from = input_ + shape_.row_begin(shape_.complex, row);
      for (std::uint64_t i = 0; i < values_; ++i, from += 2)
        spectrum_[row * values_ + i] = {static_cast<double>(from[0]), static_cast<double>(from[1])};
    }
    along_slower_dimensions();
    const std::uint64_t nx = shape_.extents.front();
    line_.resize(nx);
    for (std::uint64_t row = 0; row < shape_.rows(); ++row) {
      const Complex* const half = spectrum_.data() + row * values_;
      line_[0] = half[0].real();
      for (std::uint64_t i = 1; 2 * i < nx; ++i) {
        line_[i] = half[i];
        line_[nx - i] = std::conj(half[i]);
      }
      if (nx % 2 == 0) line_[nx / 2] = half[nx / 2].real();
      lines_.transform(line_);
      T* const to = output_ + shape_.row_begin(shape_.real, row);
      for (std::uint64_t i = 0; i < nx; ++i) to[i] = static_cast<T>(line_[i].real());
    }
  }

 private:
  std::ptrdiff_t offset(std::uint64_t row) const { return static_cast<std::ptrdiff_t>(row * values_); }

  void along_slower_dimensions() {
    std::uint64_t step = values_;
    for (std::size_t axis = 1; axis < shape_.axes; ++axis) {
      const std::uint64_t length = shape_.extents[axis];
      line_.resize(length);
      for (std::uint64_t first = 0; first < spectrum_.size(); ++first) {
        if (first / step % length != 0) continue;
        for (std::uint64_t i = 0; i < length; ++i) line_[i] = spectrum_[first + i * step];
        lines_.transform(line_);
        for (std::uint64_t i = 0; i < length; ++i) spectrum_[first + i * step] = line_[i];
      }
      step *= length;
    }
  }

  const FourierShape& shape_;
  const T* input_;
  T* output_;
  Lines lines_;
  std::uint64_t values_;
  std::vector<Complex> spectrum_;  ///< rows of `values_`, dense
  std::vector<Complex> line_;
};

template<class T>
void carry_out_in(const FourierShape& shape, const char* input, char* output) {
  Transform<T> transform(shape, input, output);
  if (shape.forward())
    transform.forward();
  else
    transform.inverse();
}

}  // namespace

void carry_out(const FourierShape& shape, const char* input, char* output) {
  if (shape.type == ElementType::f32)
    carry_out_in<float>(shape, input, output);
  else
    carry_out_in<double>(shape, input, output);
}

}  // namespace tune::emulator
