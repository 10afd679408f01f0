#include "bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Writing

uint8_t *cn_buffer_extend(cn_buffer *out, size_t size)
{
    if (out->count + size > out->capacity) {
        size_t capacity = 2 * out->capacity > out->count + size ? 2 * out->capacity : out->count + size + 4096;
        uint8_t *bytes = realloc(out->bytes, capacity);
        if (!bytes) {
            out->failed = true;
            return NULL;
        }
        out->bytes = bytes;
        out->capacity = capacity;
    }
    uint8_t *place = out->bytes + out->count;
    out->count += size;
    return place;
}

// Little-endian whatever the machine.
void cn_put_bits(cn_buffer *out, uint64_t bits, size_t size)
{
    uint8_t *place = cn_buffer_extend(out, size);
    for (size_t i = 0; place && i < size; ++i)
        place[i] = (uint8_t)(bits >> (8 * i));
}

void cn_put_u32(cn_buffer *out, uint32_t value) { cn_put_bits(out, value, 4); }

void cn_put_float(cn_buffer *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    cn_put_bits(out, bits, sizeof bits);
}

void cn_put_double(cn_buffer *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    cn_put_bits(out, bits, sizeof bits);
}

void cn_put_vec3(cn_buffer *out, cn_vec3 v)
{
    cn_put_float(out, v.x);
    cn_put_float(out, v.y);
    cn_put_float(out, v.z);
}

void cn_put_quat(cn_buffer *out, cn_quat q)
{
    cn_put_vec3(out, (cn_vec3){ q.x, q.y, q.z });
    cn_put_float(out, q.w);
}

void cn_put_text(cn_buffer *out, const char *text)
{
    size_t length = strlen(text) < 63 ? strlen(text) : 63;
    cn_put_u32(out, (uint32_t)length);
    uint8_t *place = cn_buffer_extend(out, length);
    if (place)
        memcpy(place, text, length);
}

// ---- Reading

bool cn_cursor_refuse(cn_cursor *in, const char *what)
{
    if (!in->failed && in->chunk)
        cn_message_set(in->error, "%s: chunk %s at offset %zu, byte %zu of its content: %s", in->path, in->chunk,
                       in->chunk_offset, in->at, what);
    else if (!in->failed)
        cn_message_set(in->error, "%s: offset %zu: %s", in->path, in->at, what);
    in->failed = true;
    return false;
}

const uint8_t *cn_cursor_take(cn_cursor *in, size_t size)
{
    if (in->failed || in->size - in->at < size) {
        cn_cursor_refuse(in, "the data ends here, cut short");
        return NULL;
    }
    in->at += size;
    return in->bytes + in->at - size;
}

uint64_t cn_get_bits(cn_cursor *in, size_t size)
{
    const uint8_t *place = cn_cursor_take(in, size);
    uint64_t bits = 0;
    for (size_t i = 0; place && i < size; ++i)
        bits |= (uint64_t)place[i] << (8 * i);
    return bits;
}

uint32_t cn_get_u32(cn_cursor *in) { return (uint32_t)cn_get_bits(in, 4); }

float cn_get_float(cn_cursor *in)
{
    uint32_t bits = cn_get_u32(in);
    float value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value))
        cn_cursor_refuse(in, "a number that is not finite");
    return in->failed ? 0.0f : value;
}

double cn_get_double(cn_cursor *in)
{
    uint64_t bits = cn_get_bits(in, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value))
        cn_cursor_refuse(in, "a number that is not finite");
    return in->failed ? 0.0 : value;
}

cn_vec3 cn_get_vec3(cn_cursor *in)
{
    cn_vec3 v;
    v.x = cn_get_float(in);
    v.y = cn_get_float(in);
    v.z = cn_get_float(in);
    return v;
}

cn_quat cn_get_quat(cn_cursor *in)
{
    cn_vec3 v = cn_get_vec3(in);
    cn_quat q = { v.x, v.y, v.z, cn_get_float(in) };
    float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!in->failed && !(fabsf(square - 1.0f) < 0.01f))
        cn_cursor_refuse(in, "a rotation that is not a unit quaternion");
    return q;
}

void cn_get_text(cn_cursor *in, char text[64])
{
    uint32_t length = cn_get_u32(in);
    if (length > 63)
        cn_cursor_refuse(in, "a name longer than 63 letters");
    const uint8_t *letters = in->failed ? NULL : cn_cursor_take(in, length);
    if (letters)
        memcpy(text, letters, length);
    text[letters ? length : 0] = '\0';
    for (char *letter = text; *letter; ++letter)
        if (*letter < ' ' || *letter > '~')
            *letter = '?';
}

// A count of things that take at least `least` bytes each.
int cn_get_count(cn_cursor *in, size_t least, const char *complaint)
{
    uint32_t count = cn_get_u32(in);
    if (!in->failed && count > (in->size - in->at) / least)
        cn_cursor_refuse(in, complaint);
    return in->failed ? 0 : (int)count;
}
