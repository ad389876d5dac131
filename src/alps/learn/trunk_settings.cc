#include "alps/learn/trunk_settings.h"

#include <charconv>

namespace alps {
namespace {

// "16,32,32"
std::vector<size_t> numbers(const char* key, const std::string& text, size_t most) {
  std::vector<size_t> list;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    size_t value = 0;
    const auto [stop, code] = std::from_chars(text.data() + at, text.data() + end, value);
    if (code != std::errc() || stop != text.data() + end || value < 1 || value > most)
      throw UsageError(key, ": '", text, "' is not a list of whole numbers from 1 to ", most,
                       " with commas between them, such as 16,32,32");
    list.push_back(value);
    at = end + 1;
  }
  return list;
}

}  // namespace

std::vector<ConvShape> TrunkSettings::shape() const {
  const auto channels = numbers("trunk_channels", trunk_channels, 4096);
  const auto kernels = numbers("trunk_kernels", trunk_kernels, 256),
             strides = numbers("trunk_strides", trunk_strides, 256);
  if (channels.size() != kernels.size() || channels.size() != strides.size() || channels.size() > 16)
    throw UsageError("trunk_channels, trunk_kernels and trunk_strides hold ", channels.size(), ", ", kernels.size(),
                     " and ", strides.size(), " numbers; each needs one for every convolution, at most 16");
  std::vector<ConvShape> shape;
  for (size_t i = 0; i < channels.size(); ++i) shape.push_back({channels[i], kernels[i], strides[i]});
  return shape;
}

}  // namespace alps
