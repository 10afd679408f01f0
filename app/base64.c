#include "base64.h"

void cn_base64_encode(const uint8_t *bytes, size_t size, char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < size; at += 3) {
        size_t left = size - at;
        uint32_t bits = (uint32_t)bytes[at] << 16;
        bits |= left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0;
        bits |= left > 2 ? bytes[at + 2] : 0;
        *text++ = letters[bits >> 18];
        *text++ = letters[bits >> 12 & 63];
        *text++ = left > 1 ? letters[bits >> 6 & 63] : '=';
        *text++ = left > 2 ? letters[bits & 63] : '=';
    }
}
