// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/threads.hpp"

#include <pthread.h>
#include <signal.h>

#include <cstddef>
#include <initializer_list>

namespace treadle::cuda_cpu {

bool start_detached_thread(const char* name, void (*body)()) {
  constexpr std::size_t stack_bytes = 16u << 20;
  sigset_t all, before;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
    sigdelset(&all, fault);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_t thread;
  const auto enter = [](void* argument) -> void* {
    reinterpret_cast<void (*)()>(argument)();
    return nullptr;
  };
  const bool started =
      pthread_create(&thread, &attributes, enter, reinterpret_cast<void*>(body)) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (started) pthread_setname_np(thread, name);
  return started;
}

}  // namespace treadle::cuda_cpu
