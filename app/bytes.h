// Numbers as bytes, little-endian whatever the machine, and back again.
#ifndef CAIRN_APP_BYTES_H
#define CAIRN_APP_BYTES_H

#include "cairn/base.h"
#include "words.h"

// ---- Writing: bytes that grow. Running out of memory sticks.

typedef struct cn_buffer {
    uint8_t *bytes;
    size_t count, capacity;
    bool failed;
} cn_buffer;

// Room for `size` more bytes at the end, or NULL.
uint8_t *cn_buffer_extend(cn_buffer *out, size_t size);
// The lowest `size` bytes of `bits`.
void cn_put_bits(cn_buffer *out, uint64_t bits, size_t size);
void cn_put_u32(cn_buffer *out, uint32_t value);
void cn_put_float(cn_buffer *out, float value);
void cn_put_double(cn_buffer *out, double value);
void cn_put_vec3(cn_buffer *out, cn_vec3 v);
void cn_put_quat(cn_buffer *out, cn_quat q);
// A count and that many letters, 63 at most.
void cn_put_text(cn_buffer *out, const char *text);

// ---- Reading: a place in the content of a chunk, or in a file itself. The first error sticks; then all answers are zero.

typedef struct cn_cursor {
    const uint8_t *bytes;
    size_t at, size;
    const char *path;
    const char *chunk;   // the chunk's tag; NULL when the cursor walks the file
    size_t chunk_offset; // where the chunk is in the file
    bool failed;
    cn_message *error;
} cn_cursor;

// Keeps "path: offset: what" as the error and answers false.
bool cn_cursor_refuse(cn_cursor *in, const char *what);
// The next `size` bytes, or NULL when they are not there.
const uint8_t *cn_cursor_take(cn_cursor *in, size_t size);
uint64_t cn_get_bits(cn_cursor *in, size_t size);
uint32_t cn_get_u32(cn_cursor *in);
// Numbers that are not finite are refused.
float cn_get_float(cn_cursor *in);
double cn_get_double(cn_cursor *in);
cn_vec3 cn_get_vec3(cn_cursor *in);
// A quaternion that is not of unit length is refused.
cn_quat cn_get_quat(cn_cursor *in);
// Letters that are not printable ASCII become question marks.
void cn_get_text(cn_cursor *in, char text[64]);
// A count of things that take at least `least` bytes each; refused with the complaint when so many cannot follow.
int cn_get_count(cn_cursor *in, size_t least, const char *complaint);

#endif
