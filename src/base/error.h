// The last error of a thread, and the checks that every public function makes on its input.
#ifndef CN_ERROR_H
#define CN_ERROR_H

#include "cairn/base.h"

// Formats the sentence that cn_last_error() will return. Always returns false, so that a check can end in `return
// cn_fail(...)`.
bool cn_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The last sentence once more, as one of `function` about `name`. Always returns false.
bool cn_fail_in(const char *function, const char *name);

// Each check fails with "<function>: <field> ..." and returns false when the value is unusable.
bool cn_check_finite(const char *function, const char *field, float value);
bool cn_check_not_negative(const char *function, const char *field, float value); // and finite
bool cn_check_positive(const char *function, const char *field, float value);     // and finite
bool cn_check_vec3(const char *function, const char *field, cn_vec3 value);
bool cn_check_pos3(const char *function, const char *field, cn_pos3 value);
bool cn_check_quat(const char *function, const char *field, cn_quat value);                       // finite, and not zero
bool cn_check_range(const char *function, const char *field, float value, float low, float high); // finite, ends included
bool cn_check_int_range(const char *function, const char *field, int value, int low, int high);
// Every coordinate within `limit` of 0.
bool cn_check_within(const char *function, const char *field, cn_vec3 value, float limit, const char *unit);
bool cn_check_buffer(const char *function, const char *field, const void *buffer, int capacity);
bool cn_check_pointer(const char *function, const char *field, const void *pointer);
bool cn_check_allocator(const char *function, const char *field, const cn_allocator *allocator); // NULL stands for malloc

#endif
