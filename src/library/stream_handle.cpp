// SPDX-License-Identifier: MIT
#include "treadle/library/stream_handle.hpp"

#include <utility>

#include "library/opening.hpp"
#include "library/vendor.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/capture.hpp"
#include "treadle/library/cublas.hpp"
#include "treadle/library/cublaslt.hpp"
#include "treadle/library/cusolver.hpp"
#include "treadle/library/cusparse.hpp"

namespace treadle::library {

bool is_captured(const cuda::Context& context, std::uint64_t stream) {
  const cuda::Activation active(context);
  const auto raw = static_cast<cuda::RawStream>(pointer_of(stream));
  return cuda::capture_status(active.table(), cuda::StreamRef(raw)) != cuda::CaptureStatus::none;
}

template <class Library>
StreamHandle<Library>::StreamHandle(std::shared_ptr<const Library> library,
                                    const cuda::Context& context)
    : library_(std::move(library)), context_(context) {
  const cuda::Activation active(context_);
  raw_ = library_->create_handle();
}

template <class Library>
StreamHandle<Library>::~StreamHandle() {
  if (process_ends() || !context_.is_valid()) return;
  try {
    const cuda::Activation active(context_);
    library_->destroy_handle(raw_);
  } catch (const Error&) {
    // The context has failed or is gone, and with it what the handle had there.
  }
}

template <class Library>
void StreamHandle<Library>::on_stream(std::uint64_t stream, const HandleWorkspace& workspace,
                                      const std::function<void(void*)>& queue) {
  const std::lock_guard lock(mutex_);
  const cuda::Activation active(context_);
  if (!is_set_ || stream != stream_ || workspace != workspace_) {
    is_set_ = false;
    library_->set_stream(raw_, stream, workspace);
    stream_ = stream, workspace_ = workspace, is_set_ = true;
  }
  try {
    queue(raw_);
  } catch (const DeviceError&) {
    // Where an earlier kernel has failed the library knows no more than that; the driver does.
    context_.synchronize();
    throw;
  }
}

template <class Library>
std::unique_ptr<StreamHandle<Library>> StreamHandle<Library>::open(const cuda::Context& context) {
  return used_in<Library>(context, [&](auto library) {
    return std::make_unique<StreamHandle>(std::move(library), context);
  });
}

template class StreamHandle<Cublas>;
template class StreamHandle<CublasLt>;
template class StreamHandle<Cusolver>;
template class StreamHandle<Cusparse>;

}  // namespace treadle::library
