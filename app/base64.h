// Bytes as letters that may stand in a page, 64 of them and `=` (RFC 4648).
#ifndef CAIRN_APP_BASE64_H
#define CAIRN_APP_BASE64_H

#include <stddef.h>
#include <stdint.h>

// Three bytes become four letters, so pieces of a multiple of three bytes can be joined.
#define CN_BASE64_LENGTH(size) (4 * (((size) + 2) / 3))

// Writes CN_BASE64_LENGTH(size) letters, without a zero at the end.
void cn_base64_encode(const uint8_t *bytes, size_t size, char *text);

#endif
