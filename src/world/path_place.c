// Where a path is at a time.
//
// Smooth paths are cubic between keys. The velocity at a key is that of its two sides, each weighted by the speed of the other:
// it is zero where either stands still or where the path turns back, so that nothing overshoots, and it is the usual one
// (Catmull-Rom) where both are equally fast. Rotations take the same velocities through the cubic curve of Kim, Kim and Shin
// (1995, A general construction scheme for unit quaternion curves with simple high order derivatives).
#include "world/world.h"

typedef struct rates {
    double linear[3];
    cn_vec3 angular; // in the body's axes
} rates;

// From key i to the next.
static rates mean_rates(const cn_path_def *def, int i)
{
    const cn_path_key *from = &def->keys[i], *to = &def->keys[i + 1];
    double rate = 1.0 / (to->time - from->time);
    const cn_pos3 *p = &from->transform.position, *q = &to->transform.position;
    cn_vec3 turn = cn_quat_log(cn_quat_mul(cn_quat_conj(from->transform.rotation), to->transform.rotation));
    return (rates){ { rate * (q->x - p->x), rate * (q->y - p->y), rate * (q->z - p->z) },
                    { (float)(rate * (double)turn.x), (float)(rate * (double)turn.y), (float)(rate * (double)turn.z) } };
}

static double speed_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static rates rates_at_key(const cn_path_def *def, int i)
{
    rates at = { 0 };
    int last = def->key_count - 1;
    if ((i == 0 || i == last) && !def->loop)
        return at;
    rates before = mean_rates(def, i == 0 ? last - 1 : i - 1), after = mean_rates(def, i == last ? 0 : i);
    double slow = speed_of(before.linear), fast = speed_of(after.linear), sum = slow + fast;
    for (int k = 0; k < 3 && sum > 0.0; k++)
        at.linear[k] = (fast * before.linear[k] + slow * after.linear[k]) / sum;
    float turning = cn_length(before.angular), then = cn_length(after.angular);
    if (turning + then > 0.0f)
        at.angular = cn_scale(1.0f / (turning + then), cn_madd(cn_scale(then, before.angular), turning, after.angular));
    return at;
}

// The last key that is not after `time`, and not the last of all.
static int find_key(const cn_path_def *def, double time)
{
    int low = 0, high = def->key_count - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (def->keys[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static cn_transform place_linear(const cn_path_key *from, const cn_path_key *to, double s)
{
    const cn_pos3 *p = &from->transform.position, *q = &to->transform.position;
    cn_quat r = from->transform.rotation;
    cn_vec3 turn = cn_quat_log(cn_quat_mul(cn_quat_conj(r), to->transform.rotation));
    return (cn_transform){ { p->x + s * (q->x - p->x), p->y + s * (q->y - p->y), p->z + s * (q->z - p->z) },
                           cn_quat_mul(r, cn_quat_exp(cn_scale((float)s, turn))) };
}

static double cubic(double from, double from_rate, double to, double to_rate, double s)
{
    double way = to - from;
    return from + s * (from_rate + s * (3.0 * way - 2.0 * from_rate - to_rate + s * (from_rate + to_rate - 2.0 * way)));
}

static cn_quat cubic_rotation(cn_quat from, cn_vec3 from_rate, cn_quat to, cn_vec3 to_rate, float s)
{
    cn_vec3 first = cn_scale(1.0f / 3.0f, from_rate), last = cn_scale(1.0f / 3.0f, to_rate);
    cn_quat between = cn_quat_mul(cn_quat_conj(from), to);
    cn_vec3 rest = cn_quat_log(cn_quat_mul(cn_quat_exp(cn_neg(first)), cn_quat_mul(between, cn_quat_exp(cn_neg(last)))));
    float left = 1.0f - s;
    cn_quat q = cn_quat_mul(from, cn_quat_exp(cn_scale(1.0f - left * left * left, first)));
    q = cn_quat_mul(q, cn_quat_exp(cn_scale(s * s * (3.0f - 2.0f * s), rest)));
    return cn_quat_mul(q, cn_quat_exp(cn_scale(s * s * s, last)));
}

static cn_transform place_smooth(const cn_path_def *def, int i, double s)
{
    const cn_path_key *from = &def->keys[i], *to = &def->keys[i + 1];
    const cn_pos3 *p = &from->transform.position, *q = &to->transform.position;
    rates first = rates_at_key(def, i), last = rates_at_key(def, i + 1);
    double h = to->time - from->time;
    return (cn_transform){ { cubic(p->x, h * first.linear[0], q->x, h * last.linear[0], s),
                             cubic(p->y, h * first.linear[1], q->y, h * last.linear[1], s),
                             cubic(p->z, h * first.linear[2], q->z, h * last.linear[2], s) },
                           cubic_rotation(from->transform.rotation, cn_scale((float)h, first.angular), to->transform.rotation,
                                          cn_scale((float)h, last.angular), (float)s) };
}

cn_transform cn_path_place(const cn_path_def *def, double time)
{
    if (def->key_count == 1)
        return def->keys[0].transform;
    int i = find_key(def, time);
    double s = (time - def->keys[i].time) / (def->keys[i + 1].time - def->keys[i].time);
    cn_transform place =
        def->ease == CN_PATH_SMOOTH ? place_smooth(def, i, s) : place_linear(&def->keys[i], &def->keys[i + 1], s);
    place.rotation = cn_quat_normalize(place.rotation);
    return place;
}
