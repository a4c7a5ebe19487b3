// SPDX-License-Identifier: Apache-2.0
// As c/main.c, with a context that closes itself.
#include <array>
#include <cstdio>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <wideblock.h>

struct Close {
    void operator()(wideblock *context) const { wideblock_close(context); }
};

std::unique_ptr<wideblock, Close> opened(std::string_view scheme, const std::vector<uint8_t> &key) {
    wideblock *context = nullptr;
    if (int result = wideblock_open(&context, scheme.data(), key.data(), key.size(), nullptr))
        throw std::runtime_error(wideblock_message(result));
    return std::unique_ptr<wideblock, Close>(context);
}

int main() try {
    std::vector<uint8_t> key(16), data(2 * 512);
    std::iota(key.begin(), key.end(), uint8_t(0));
    const std::array<uint8_t, 16> first{5};
    const auto context = opened("hctr2", key);
    if (wideblock_crypt_numbered(context.get(), 0, data.data(), data.data(), 2, 512, first.data(), 16, 2)) return 2;
    for (uint8_t byte : data) std::printf("%02x", byte);
    key.pop_back();
    opened("hctr2", key);
    return 1;
} catch (const std::runtime_error &error) {
    std::printf(" %s\n", error.what());
}
