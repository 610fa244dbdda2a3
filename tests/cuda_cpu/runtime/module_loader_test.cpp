// SPDX-License-Identifier: MIT
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "cuda_cpu/module_abi.h"
#include "cuda_cpu/runtime/harness.hpp"
#include "cuda_cpu/runtime/module_image.hpp"

namespace treadle::cuda_cpu::test {
namespace {

class ModuleLoaderTest : public RuntimeTest {
 protected:
  static CUresult load(const void* image, std::string* log = nullptr) {
    CUmodule module = nullptr;
    char text[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {text, reinterpret_cast<void*>(sizeof text)};
    const CUresult result = CU(cuModuleLoadDataEx)(&module, image, 2, options, values);
    EXPECT_EQ(std::strlen(text), reinterpret_cast<std::size_t>(values[1]));
    if (log != nullptr) *log = text;
    if (result == CUDA_SUCCESS) CU(cuModuleUnload)(module);
    return result;
  }
  static ModuleHeader& header(std::vector<std::byte>& image) {
    return *reinterpret_cast<ModuleHeader*>(image.data());
  }
};

TEST_F(ModuleLoaderTest, finds_kernels_and_variables_by_name) {
  CUfunction function = nullptr;
  CUdeviceptr counter = 0, table = 0;
  size_t size = 0;
  EXPECT_CU(CUDA_SUCCESS, CU(cuModuleGetFunction)(&function, module_, "use_globals"));
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, CU(cuModuleGetFunction)(&function, module_, "use_global"));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuModuleGetFunction)(&function, module_, ""));
  EXPECT_CU(CUDA_SUCCESS, CU(cuModuleGetGlobal)(&counter, &size, module_, "counter"));
  EXPECT_EQ(size, sizeof(int));
  EXPECT_CU(CUDA_SUCCESS, CU(cuModuleGetGlobal)(&table, &size, module_, "table"));
  EXPECT_EQ(size, 4 * sizeof(double));
  EXPECT_CU(CUDA_SUCCESS, CU(cuModuleGetGlobal)(nullptr, &size, module_, "table"));
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, CU(cuModuleGetGlobal)(&table, &size, module_, "chair"));

  const double ten = 10;
  ASSERT_CU(CU(cuMemcpyHtoD)(table, &ten, sizeof ten));
  ASSERT_CU(CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  int count = 0;
  double last = 0;
  ASSERT_CU(CU(cuMemcpyDtoH)(&count, counter, sizeof count));
  ASSERT_CU(CU(cuMemcpyDtoH)(&last, table + 3 * sizeof(double), sizeof last));
  EXPECT_EQ(count, 42);
  EXPECT_EQ(last, 20);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemFree)(counter));
}

TEST_F(ModuleLoaderTest, gives_each_load_its_own_variables) {
  CUmodule second = nullptr;
  CUdeviceptr first_counter = 0, second_counter = 0;
  ASSERT_CU(CU(cuModuleLoadData)(&second, test_image().data()));
  ASSERT_CU(CU(cuModuleGetGlobal)(&first_counter, nullptr, module_, "counter"));
  ASSERT_CU(CU(cuModuleGetGlobal)(&second_counter, nullptr, second, "counter"));
  EXPECT_NE(first_counter, second_counter);
  ASSERT_CU(CU(cuModuleUnload)(second));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuModuleUnload)(second));
  int value = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyDtoH)(&value, second_counter, sizeof value));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemcpyDtoH)(&value, first_counter, sizeof value));
}

TEST_F(ModuleLoaderTest, loads_more_modules_than_files_may_be_open) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  std::vector<CUmodule> modules(50);  // sanitizers look at all libraries again after each one
#else
  std::vector<CUmodule> modules(1200);
#endif
  std::vector<CUdeviceptr> counters(modules.size());
  for (std::size_t i = 0; i < modules.size(); ++i) {
    ASSERT_CU(CU(cuModuleLoadData)(&modules[i], test_image().data())) << i;
    ASSERT_CU(CU(cuModuleGetGlobal)(&counters[i], nullptr, modules[i], "counter"));
  }
  std::sort(counters.begin(), counters.end());
  EXPECT_EQ(std::unique(counters.begin(), counters.end()), counters.end());
  for (CUmodule module : modules) ASSERT_CU(CU(cuModuleUnload)(module));
}

TEST_F(ModuleLoaderTest, lists_functions) {
  unsigned count = 0;
  ASSERT_CU(CU(cuModuleGetFunctionCount)(&count, module_));
  EXPECT_GT(count, 10u);
  std::vector<CUfunction> functions(count);
  ASSERT_CU(CU(cuModuleEnumerateFunctions)(functions.data(), count, module_));
  for (CUfunction function : functions) {
    const char* name = nullptr;
    CUfunction again = nullptr;
    EXPECT_CU(CUDA_SUCCESS, CU(cuFuncGetName)(&name, function));
    EXPECT_CU(CUDA_SUCCESS, CU(cuModuleGetFunction)(&again, module_, name));
    EXPECT_EQ(again, function);
  }
  CUmoduleLoadingMode mode{};
  EXPECT_CU(CUDA_SUCCESS, CU(cuModuleGetLoadingMode)(&mode));
  EXPECT_EQ(mode, CU_MODULE_EAGER_LOADING);
}

TEST_F(ModuleLoaderTest, loads_files) {
  std::string path = (std::filesystem::temp_directory_path() / "treadle-module-XXXXXX").string();
  const int file = mkstemp(path.data());
  ASSERT_GE(file, 0);
  close(file);
  const auto write = [&](std::size_t size) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(test_image().data()),
               static_cast<std::streamsize>(size));
  };
  CUmodule module = nullptr;
  write(test_image().size());
  EXPECT_CU(CUDA_SUCCESS, CU(cuModuleLoad)(&module, path.c_str()));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{7}, sizeof(ModuleHeader) - 1, sizeof(ModuleHeader),
        sizeof(ModuleHeader) + 1, test_image().size() - 1}) {
    write(size);
    EXPECT_CU(CUDA_ERROR_INVALID_IMAGE, CU(cuModuleLoad)(&module, path.c_str())) << size;
  }
  std::filesystem::remove(path);
  EXPECT_CU(CUDA_ERROR_FILE_NOT_FOUND, CU(cuModuleLoad)(&module, path.c_str()));
  EXPECT_CU(CUDA_ERROR_FILE_NOT_FOUND, CU(cuModuleLoad)(&module, "/"));
}

TEST_F(ModuleLoaderTest, refuses_images_of_other_devices_and_none_at_all) {
  std::string log;
  std::vector<unsigned char> cubin(64, 0);
  std::memcpy(cubin.data(),
              "\x7f"
              "ELF\x02\x01\x01",
              7);
  cubin[18] = 190;
  EXPECT_CU(CUDA_ERROR_NO_BINARY_FOR_GPU, load(cubin.data(), &log));
  EXPECT_NE(log.find("cubin"), std::string::npos);
  EXPECT_CU(CUDA_ERROR_NO_BINARY_FOR_GPU, load("//\n.version 8.0\n.target sm_90\n", &log));
  EXPECT_NE(log.find("PTX"), std::string::npos);
  EXPECT_CU(CUDA_ERROR_NO_BINARY_FOR_GPU, load(".version 8.0", &log));
  EXPECT_CU(CUDA_ERROR_NO_BINARY_FOR_GPU, load("\x50\xed\x55\xba more", &log));
  for (const char* garbage : {"", "T", "TRDL", "hello, this is no module", "/"})
    EXPECT_CU(CUDA_ERROR_INVALID_IMAGE, load(garbage, &log)) << garbage;
  EXPECT_NE(log, "");
  CUmodule module = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuModuleLoadData)(&module, nullptr));
}

/// A copy of an image whose end is followed by memory that nobody may touch: cuModuleLoadData is
/// told no size, so an image that claims more than it has is read until that memory.
class EndOfMemory {
 public:
  explicit EndOfMemory(const std::vector<std::byte>& image) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t used = (image.size() + page - 1) / page * page;
    size_ = used + page;
    start_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(start_, MAP_FAILED);
    EXPECT_EQ(mprotect(static_cast<std::byte*>(start_) + used, page, PROT_NONE), 0);
    image_ = static_cast<std::byte*>(start_) + used - image.size();
    std::memcpy(image_, image.data(), image.size());
  }
  EndOfMemory(const EndOfMemory&) = delete;
  ~EndOfMemory() { munmap(start_, size_); }
  std::byte& operator[](std::size_t i) { return image_[i]; }
  const std::byte* data() const { return image_; }

 private:
  void* start_ = nullptr;
  std::size_t size_ = 0;
  std::byte* image_ = nullptr;
};

TEST_F(ModuleLoaderTest, refuses_images_that_are_not_whole) {
  const auto& good = test_image();
  EndOfMemory image(good);
  for (std::size_t i = 0; i < sizeof(ModuleHeader); ++i)
    for (const int bit : {0, 7}) {
      image[i] ^= std::byte{1} << bit;
      const CUresult result = load(image.data());
      image[i] ^= std::byte{1} << bit;
      const bool features =
          i >= offsetof(ModuleHeader, cpu_features);  // may name features this processor has
      EXPECT_TRUE(result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
                  features)
          << "byte " << i << ": " << result;
    }
  for (std::size_t i = sizeof(ModuleHeader); i < good.size(); i += 997) {
    image[i] ^= std::byte{4};
    EXPECT_CU(CUDA_ERROR_INVALID_IMAGE, load(image.data()));
    image[i] ^= std::byte{4};
  }
}

TEST_F(ModuleLoaderTest, refuses_code_for_a_newer_processor_and_says_what_lacks) {
  auto image = test_image();
  header(image).cpu_features[3] = 1ull << 63;
  std::string log;
  EXPECT_CU(CUDA_ERROR_NO_BINARY_FOR_GPU, load(image.data(), &log));
  EXPECT_NE(log.find("bit 255"), std::string::npos) << log;
}

TEST_F(ModuleLoaderTest, refuses_a_payload_that_is_no_library) {
  const std::vector<std::byte> payload(5000, std::byte{0x41});
  std::string log;
  EXPECT_CU(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, load(make_image(payload).data(), &log));
  EXPECT_NE(log, "");
}

TEST_F(ModuleLoaderTest, cuts_log_texts_to_the_buffer) {
  CUmodule module = nullptr;
  char text[8];
  std::memset(text, 'x', sizeof text);
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {text, reinterpret_cast<void*>(sizeof text)};
  EXPECT_CU(CUDA_ERROR_INVALID_IMAGE,
            CU(cuModuleLoadDataEx)(&module, "garbage", 2, options, values));
  EXPECT_EQ(std::strlen(text), 7u);
}

// ---- the descriptor's checks, on descriptors made here

class DescriptorTest : public ::testing::Test {
 protected:
  DescriptorTest() {
    kernel_.name = name_;
    kernel_.run = [](void**, BlockContext*) {};
    kernel_.parameters = parameters_.data();
    kernel_.parameter_count = 2;
    kernel_.parameter_bytes = 16;
    descriptor_ = {module_abi_version,
                   sizeof(ModuleDescriptor),
                   1,
                   1,
                   &kernel_,
                   &global_,
                   nullptr,
                   nullptr,
                   nullptr,
                   0,
                   0,
                   nullptr,
                   0};
  }
  std::string defect() const {
    const auto range = [](const auto& object, bool executable) {
      const auto begin = reinterpret_cast<std::uintptr_t>(&object);
      return MappedRange{begin, begin + sizeof object, executable};
    };
    const auto code = reinterpret_cast<std::uintptr_t>(kernel_code_);
    const MappedRange mapped[] = {range(descriptor_, false), range(kernel_, false),
                                  range(global_, false),     range(name_, false),
                                  range(regions_, false),    range(parameters_, false),
                                  range(storage_, false),    {code, code + 1, true}};
    return descriptor_defect(&descriptor_, mapped);
  }
  void use_regions() {
    kernel_.flags = kernel_has_barrier;
    kernel_.regions = regions_.data();
    kernel_.region_count = 2;
    for (Region& region : regions_) region = {kernel_code_, kernel_code_, -1, 1, 0, {}};
  }

  char name_[4] = "k";
  int storage_ = 0;
  std::array<ParameterRecord, 2> parameters_{
      {{nullptr, nullptr, 0, 4, 4, 0}, {nullptr, nullptr, 1, 8, 8, 8}}};
  std::array<Region, 2> regions_{};
  Kernel kernel_{};
  Global global_{name_, &storage_, sizeof storage_};
  ModuleDescriptor descriptor_{};
  BlockFunction kernel_code_ = kernel_.run;
};

TEST_F(DescriptorTest, passes_when_sound) {
  kernel_code_ = kernel_.run;
  EXPECT_EQ(defect(), "");
  use_regions();
  EXPECT_EQ(defect(), "");
}

TEST_F(DescriptorTest, each_bad_field_is_found) {
  kernel_code_ = kernel_.run;
  const auto broken = [&](auto&& damage) {
    const auto saved = std::tuple(kernel_, descriptor_, global_, parameters_, regions_);
    damage();
    const std::string found = defect();
    std::tie(kernel_, descriptor_, global_, parameters_, regions_) = saved;
    return found != "";
  };
  auto* const nowhere = reinterpret_cast<char*>(0x1000);
  EXPECT_TRUE(broken([&] { descriptor_.abi_version = 99; }));
  EXPECT_TRUE(broken([&] { descriptor_.size = 1; }));
  EXPECT_TRUE(broken([&] { descriptor_.kernel_count = 2; }));
  EXPECT_TRUE(broken([&] { descriptor_.kernel_count = 0xffffffff; }));
  EXPECT_TRUE(broken([&] { descriptor_.kernels = nullptr; }));
  EXPECT_TRUE(broken([&] { descriptor_.globals = reinterpret_cast<const Global*>(nowhere); }));
  EXPECT_TRUE(broken([&] { descriptor_.services = reinterpret_cast<const Services**>(nowhere); }));
  EXPECT_TRUE(broken([&] { global_.size = 1 << 20; }));
  EXPECT_TRUE(broken([&] { global_.name = nowhere; }));
  EXPECT_TRUE(broken([&] { kernel_.name = nullptr; }));
  EXPECT_TRUE(broken([&] { kernel_.signature = nowhere; }));
  EXPECT_TRUE(broken([&] { kernel_.run = nullptr; }));
  EXPECT_TRUE(broken([&] { kernel_.run = reinterpret_cast<BlockFunction>(&storage_); }));
  EXPECT_TRUE(broken([&] { kernel_.parameter_count = 3; }));
  EXPECT_TRUE(broken([&] { kernel_.parameter_bytes = 15; }));
  EXPECT_TRUE(broken([&] { kernel_.parameter_bytes = 1 << 20; }));
  EXPECT_TRUE(broken([&] { parameters_[1].offset = 2; }));
  EXPECT_TRUE(broken([&] { parameters_[1].align = 3; }));
  EXPECT_TRUE(broken([&] { parameters_[1].size = 0xffffffff; }));
  EXPECT_TRUE(broken([&] { kernel_.static_shared = 1ull << 40; }));
  EXPECT_TRUE(broken([&] { kernel_.exchange_shared = 1ull << 40; }));
  EXPECT_TRUE(broken([&] { kernel_.max_threads = 2000; }));
  EXPECT_TRUE(broken([&] { kernel_.varying_frame_size = 1ull << 40; }));
  EXPECT_TRUE(broken([&] { descriptor_.deferred_size = 1; }));
  EXPECT_TRUE(broken([&] { descriptor_.deferred_arguments_size = 1; }));
  use_regions();
  EXPECT_TRUE(broken([&] { kernel_.region_count = 0; }));
  EXPECT_TRUE(broken([&] { kernel_.region_count = 251; }));
  EXPECT_TRUE(broken([&] { kernel_.regions = nullptr; }));
  EXPECT_TRUE(broken([&] { regions_[1].only_successor = 2; }));
  EXPECT_TRUE(broken([&] { regions_[1].only_successor = -2; }));
  EXPECT_TRUE(broken([&] { regions_[1].barrier = 9; }));
  EXPECT_TRUE(broken([&] { regions_[1].run_all = nullptr; }));
  EXPECT_TRUE(
      broken([&] { regions_[0].run_selected = reinterpret_cast<BlockFunction>(&storage_); }));
  EXPECT_EQ(defect(), "");
}

TEST_F(DescriptorTest, an_unterminated_name_is_found) {
  std::memset(name_, 'x', sizeof name_);
  EXPECT_NE(defect(), "");
  EXPECT_NE(descriptor_defect(nullptr, {}), "");
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
