// SPDX-License-Identifier: MIT
#include "treadle/cuda/context_settings.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

class ContextSettings : public OnEachProvider {};
INSTANTIATE_TEST_SUITE_P(Providers, ContextSettings, each_provider, provider_name);

TEST_P(ContextSettings, FlagsOfAContextThatIsThereChange) {
  if (!is_present(device().driver().table().cuCtxSetFlags)) GTEST_SKIP() << "an older driver";
  const Context made = Context::create(device(), ContextFlags::schedule_spin);
  set_flags(made, ContextFlags::schedule_blocking_sync);
  const auto scheduling = static_cast<unsigned>(made.flags()) & 7u;
  EXPECT_EQ(scheduling, static_cast<unsigned>(ContextFlags::schedule_blocking_sync));
  EXPECT_THROW(set_flags(made, static_cast<ContextFlags>(1u << 30)), DeviceError);
  made.detach();
  EXPECT_THROW(set_flags(made, ContextFlags::schedule_auto), InvalidState);
}

TEST_P(ContextSettings, PreferencesForCachesAreTakenAndTold) {
  const Context made = Context::create(device());
  for (const CacheConfig wanted : {CacheConfig::prefer_l1, CacheConfig::none}) {
    made.set_cache_config(wanted);
    const CacheConfig told = made.cache_config();  // devices may ignore it
    EXPECT_TRUE(told == wanted || told == CacheConfig::none);
  }
  made.set_shared_config(SharedConfig::eight_byte_bank_size);
  const SharedConfig told = made.shared_config();
  if (GetParam() == Provider::cpu) {  // has no banks; what a GPU says of wrong numbers is its own
    EXPECT_EQ(told, SharedConfig::default_bank_size);
    EXPECT_THROW(made.set_cache_config(static_cast<CacheConfig>(77)), DeviceError);
  } else {
    EXPECT_LE(static_cast<unsigned>(told), 2u);
  }
  made.detach();
  EXPECT_THROW(made.set_cache_config(CacheConfig::prefer_l1), InvalidState);
  EXPECT_THROW((void)made.shared_config(), InvalidState);
}

TEST_P(ContextSettings, EveryContextHasANumberOfItsOwn) {
  const Context first = Context::create(device()), second = Context::create(device());
  EXPECT_NE(context_id(first), context_id(second));
  EXPECT_EQ(context_id(first), context_id(first));
  EXPECT_NE(context_id(first), context_id(context()));
  first.detach();
  EXPECT_THROW(context_id(first), InvalidState);
  second.detach();
}

TEST_P(ContextSettings, APrimaryContextIsResetForEverybody) {
  leave_context();
  std::optional<DeviceMemory> memory;
  const Context before = Context::primary(device());
  {
    const auto current = Context::make_current(before);
    memory.emplace(std::size_t{64});
  }
  reset_primary(device());
  EXPECT_FALSE(before.is_valid());
  memory.reset();  // nothing to be freed any more
  const auto current = Context::make_current(device());
  const DeviceMemory fresh(std::size_t{64});
  EXPECT_TRUE(current->is_valid());
}

TEST_P(ContextSettings, FlagsOfThePrimaryContextAreSetBeforeItIsMade) {
  leave_context();
  reset_primary(device());
  set_primary_flags(device(), ContextFlags::schedule_yield);
  {
    const auto current = Context::make_current(device());
    EXPECT_EQ(static_cast<unsigned>(current->flags()) & 7u,
              static_cast<unsigned>(ContextFlags::schedule_yield));
  }
  set_primary_flags(device(), ContextFlags::schedule_auto);
  EXPECT_THROW(set_primary_flags(device(), static_cast<ContextFlags>(1u << 30)), DeviceError);
}

TEST_P(ContextSettings, AShareOfTheDeviceIsToldWhereThereIsOne) {
  // A GPU without the attribute tells all of its multiprocessors, or refuses.
  try {
    EXPECT_LE(multiprocessor_affinity(context()),
              static_cast<unsigned>(device().attribute(DeviceAttribute::multiprocessor_count)));
  } catch (const Error&) {
    EXPECT_FALSE(has_affinity(device()));
  }
}

}  // namespace
}  // namespace treadle::cuda
