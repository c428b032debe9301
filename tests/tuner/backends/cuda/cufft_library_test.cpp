// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/cufft_library.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#if __has_include(<cufft.h>)
#include <cufft.h>
#endif

namespace tune::cuda {
namespace {

TEST(CufftLibrary, SaysInOneLineWhatIsMissing) {
  std::string reason;
  EXPECT_EQ(open_cufft(&reason, {"/nowhere/libcufft.so.12"}), nullptr);
  EXPECT_NE(reason.find("install libcufft"), std::string::npos) << reason;
  EXPECT_NE(reason.find("CUDA_HOME"), std::string::npos) << reason;
  EXPECT_EQ(reason.find('\n'), std::string::npos) << reason;
  EXPECT_EQ(open_cufft(nullptr, {}), nullptr);
}

TEST(CufftLibrary, PassesOverAnObjectThatIsNotCufft) {
  std::string reason;
  EXPECT_EQ(open_cufft(&reason, {"libc.so.6"}), nullptr);
  EXPECT_FALSE(reason.empty());
}

TEST(CufftLibrary, LooksForWhatTheDriverRuns) {
  setenv("CUDA_HOME", "/opt/some-toolkit", 1);
  const auto newest = cufft_candidates(13), older = cufft_candidates(12);
  unsetenv("CUDA_HOME");
  EXPECT_EQ(newest.front(), "libcufft.so.12") << "what the loader finds comes first";
  const auto place = [&](const char* file) { return std::ranges::find(newest, file); };
  ASSERT_NE(place("/opt/some-toolkit/lib64/libcufft.so.11"), newest.end());
  EXPECT_LT(place("/opt/some-toolkit/lib64/libcufft.so.11"), place("/usr/local/cuda/lib64/libcufft.so.12"));
  EXPECT_EQ(older.front(), "libcufft.so.11");
  EXPECT_TRUE(std::ranges::none_of(older, [](const std::string& file) { return file.ends_with(".12"); }))
      << "cuFFT of CUDA 13 does not start on a driver of CUDA 12";
}

TEST(CufftLibrary, HasEveryFunctionWhereItIsInstalled) {
  const auto cufft = open_cufft(nullptr, cufft_candidates(13));
  if (cufft == nullptr) GTEST_SKIP() << "no cuFFT on this machine";
  for (const bool found :
       {cufft->create != nullptr, cufft->destroy != nullptr, cufft->set_auto_allocation != nullptr,
        cufft->make_plan_many != nullptr, cufft->set_work_area != nullptr, cufft->set_stream != nullptr,
        cufft->execute_r2c != nullptr, cufft->execute_c2r != nullptr, cufft->execute_d2z != nullptr,
        cufft->execute_z2d != nullptr})
    EXPECT_TRUE(found);
}

#ifdef CUFFT_VERSION

TEST(CufftLibrary, NumbersAreThoseOfTheHeader) {
  EXPECT_EQ(int{cufft_r2c}, int{CUFFT_R2C});
  EXPECT_EQ(int{cufft_c2r}, int{CUFFT_C2R});
  EXPECT_EQ(int{cufft_d2z}, int{CUFFT_D2Z});
  EXPECT_EQ(int{cufft_z2d}, int{CUFFT_Z2D});
  EXPECT_EQ(int{cufft_success}, int{CUFFT_SUCCESS});
  EXPECT_EQ(int{cufft_alloc_failed}, int{CUFFT_ALLOC_FAILED});
  EXPECT_EQ(cufft_status_text(CUFFT_EXEC_FAILED), "CUFFT_EXEC_FAILED");
  EXPECT_EQ(cufft_status_text(CUFFT_INVALID_SIZE), "CUFFT_INVALID_SIZE");
  EXPECT_EQ(cufft_status_text(CUFFT_NOT_SUPPORTED), "CUFFT_NOT_SUPPORTED");
  EXPECT_EQ(cufft_status_text(-7), "cuFFT's status -7");
}

/// The same parameters, with the library's own types where they are an int or an address here.
template<class... Ours, class... Theirs>
constexpr bool same_calls(int (*)(Ours...), cufftResult (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) == sizeof...(Theirs))
    return ((sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>)&&...);
  else
    return false;
}

TEST(CufftLibrary, PrototypesAreThoseOfTheHeader) {
  const CufftLibrary ours;
  EXPECT_TRUE(same_calls(ours.create, decltype(&cufftCreate){}));
  EXPECT_TRUE(same_calls(ours.destroy, decltype(&cufftDestroy){}));
  EXPECT_TRUE(same_calls(ours.set_auto_allocation, decltype(&cufftSetAutoAllocation){}));
  EXPECT_TRUE(same_calls(ours.make_plan_many, decltype(&cufftMakePlanMany64){}));
  EXPECT_TRUE(same_calls(ours.set_work_area, decltype(&cufftSetWorkArea){}));
  EXPECT_TRUE(same_calls(ours.set_stream, decltype(&cufftSetStream){}));
  EXPECT_TRUE(same_calls(ours.execute_r2c, decltype(&cufftExecR2C){}));
  EXPECT_TRUE(same_calls(ours.execute_z2d, decltype(&cufftExecZ2D){}));
  EXPECT_FALSE(same_calls(ours.create, decltype(&cufftDestroy){})) << "the comparison tells nothing";
}

#endif

}  // namespace
}  // namespace tune::cuda
