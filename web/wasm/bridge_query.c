// Questions about space. What is asked comes through the mail, the filter first: category, mask, sensors. `ignored` is a body,
// or 0 for none. A hit is eleven numbers: slot of the body or -1 for no hit, part, fraction, material, point, normal, and the
// bits of the packed id of the shape. A question that was refused leaves a sentence as the last error, any other leaves none.
#include "base/error.h"
#include "bridge.h"

enum { RAY_NUMBERS = 6, HIT_NUMBERS = 11, FIRST_CAPACITY = 64 };

static cn_query_filter take_query_filter(letter *l, uint64_t ignored)
{
    cn_query_filter filter = cn_query_filter_default();
    filter.category = takeu(l), filter.mask = takeu(l), filter.sensors = takeb(l);
    filter.ignored_body = UNPACK(cn_body_id, ignored);
    cn_fail("%s", "");
    return filter;
}

static cn_ray take_ray(letter *l)
{
    cn_ray ray;
    ray.origin = take_place(l), ray.translation = take3(l);
    return ray;
}

// Type, radius, top radius, half height, half extents, position, rotation, translation.
static cn_probe take_probe(letter *l, uint64_t hull)
{
    cn_probe probe = { .geometry = take_geometry(l) };
    probe.geometry.hull = HULL;
    probe.transform.position = take_place(l), probe.transform.rotation = take4(l), probe.translation = take3(l);
    return probe;
}

static void write_hit(const bridge *b, const cn_hit *hit, double *o)
{
    uint64_t key = PACK(hit->shape);
    o[0] = hit->hit ? (double)cn_shape_get_body(WORLD, hit->shape).index1 - 1.0 : -1.0;
    o[1] = hit->part, o[2] = (double)hit->fraction, o[3] = (double)hit->material;
    o[4] = hit->point.x, o[5] = hit->point.y, o[6] = hit->point.z;
    o[7] = (double)hit->normal.x, o[8] = (double)hit->normal.y, o[9] = (double)hit->normal.z;
    memcpy(&o[10], &key, sizeof key);
}

// ---- casts: the first hit goes into the mail

void EXPORT(cast_ray)(const bridge *b, uint64_t ignored)
{
    letter l = { 0 };
    cn_query_filter filter = take_query_filter(&l, ignored);
    cn_ray ray = take_ray(&l);
    cn_hit hit = cn_world_cast_ray(WORLD, &ray, &filter);
    write_hit(b, &hit, mail);
}

void EXPORT(cast_shape)(const bridge *b, uint64_t ignored, uint64_t hull)
{
    letter l = { 0 };
    cn_query_filter filter = take_query_filter(&l, ignored);
    cn_probe probe = take_probe(&l, hull);
    cn_hit hit = cn_world_cast_shape(WORLD, &probe, &filter);
    write_hit(b, &hit, mail);
}

static const double *write_hits(bridge *b, const cn_hit *hits, int count)
{
    double *out = bridge_room(&b->hits, count, HIT_NUMBERS * sizeof *out);
    for (int i = 0; i < count; i++)
        write_hit(b, &hits[i], out + HIT_NUMBERS * i);
    return out;
}

const double *EXPORT(found_hits)(const bridge *b) { return b->hits.data; }
const uint64_t *EXPORT(found_ids)(const bridge *b) { return b->found.data; }

// All hits, at found_hits(); answers how many.
int EXPORT(cast_ray_all)(bridge *b, uint64_t ignored)
{
    letter l = { 0 };
    cn_query_filter filter = take_query_filter(&l, ignored);
    cn_ray ray = take_ray(&l);
    int capacity = FIRST_CAPACITY, count;
    cn_hit *hits = bridge_room(&b->found, capacity, sizeof *hits);
    while ((count = cn_world_cast_ray_all(WORLD, &ray, &filter, hits, capacity)) > capacity)
        hits = bridge_room(&b->found, capacity = count, sizeof *hits);
    write_hits(b, hits, count);
    return count;
}

int EXPORT(cast_shape_all)(bridge *b, uint64_t ignored, uint64_t hull)
{
    letter l = { 0 };
    cn_query_filter filter = take_query_filter(&l, ignored);
    cn_probe probe = take_probe(&l, hull);
    int capacity = FIRST_CAPACITY, count;
    cn_hit *hits = bridge_room(&b->found, capacity, sizeof *hits);
    while ((count = cn_world_cast_shape_all(WORLD, &probe, &filter, hits, capacity)) > capacity)
        hits = bridge_room(&b->found, capacity = count, sizeof *hits);
    write_hits(b, hits, count);
    return count;
}

// Where to write `count` rays: origin and translation, six numbers each.
double *EXPORT(rays_room)(bridge *b, int count) { return bridge_room(&b->asked, count, RAY_NUMBERS * sizeof(double)); }

// Casts them; the hits are at found_hits(), one for each ray.
int EXPORT(cast_rays)(bridge *b, int count, uint64_t ignored)
{
    cn_query_filter filter = take_query_filter(&(letter){ 0 }, ignored);
    const double *asked = b->asked.data;
    cn_ray *rays = bridge_room(&b->rays, count, sizeof *rays);
    for (int i = 0; i < count; i++, asked += RAY_NUMBERS) {
        rays[i].origin = (cn_pos3){ asked[0], asked[1], asked[2] };
        rays[i].translation = (cn_vec3){ (float)asked[3], (float)asked[4], (float)asked[5] };
    }
    cn_hit *hits = bridge_room(&b->found, count, sizeof *hits);
    bool good = cn_world_cast_rays(WORLD, rays, count, &filter, hits);
    write_hits(b, hits, good ? count : 0);
    return good;
}

// ---- overlaps: how many; their ids are at found_ids()

int EXPORT(overlap_shape)(bridge *b, uint64_t ignored, uint64_t hull)
{
    letter l = { 0 };
    cn_query_filter filter = take_query_filter(&l, ignored);
    cn_probe probe = take_probe(&l, hull);
    int capacity = FIRST_CAPACITY, count;
    uint64_t *ids = bridge_room(&b->found, capacity, sizeof *ids);
    while ((count = cn_world_overlap_shape(WORLD, &probe, &filter, (cn_shape_id *)ids, capacity)) > capacity)
        ids = bridge_room(&b->found, capacity = count, sizeof *ids);
    return pack_ids(ids, count, capacity);
}

int EXPORT(overlap_box)(bridge *b, uint64_t ignored)
{
    letter l = { 0 };
    cn_query_filter filter = take_query_filter(&l, ignored);
    cn_bounds box;
    box.lower = take_place(&l), box.upper = take_place(&l);
    int capacity = FIRST_CAPACITY, count;
    uint64_t *ids = bridge_room(&b->found, capacity, sizeof *ids);
    while ((count = cn_world_overlap_box(WORLD, &box, &filter, (cn_shape_id *)ids, capacity)) > capacity)
        ids = bridge_room(&b->found, capacity = count, sizeof *ids);
    return pack_ids(ids, count, capacity);
}

// ---- closest points: answers the shape, or 0; part, distance, point, point of the probe and normal go into the mail

static uint64_t put_closest(const cn_closest_hit *hit)
{
    letter l = { 0 };
    put(&l, hit->part), put(&l, (double)hit->distance);
    put_place(&l, hit->point), put_place(&l, hit->probe_point), put3(&l, hit->normal);
    return PACK(hit->shape);
}

uint64_t EXPORT(closest_point)(const bridge *b, uint64_t ignored, float reach)
{
    letter l = { 0 };
    cn_query_filter filter = take_query_filter(&l, ignored);
    cn_closest_hit hit = cn_world_closest_point(WORLD, take_place(&l), reach, &filter);
    return put_closest(&hit);
}

uint64_t EXPORT(closest)(const bridge *b, uint64_t ignored, uint64_t hull, float reach)
{
    letter l = { 0 };
    cn_query_filter filter = take_query_filter(&l, ignored);
    cn_probe probe = take_probe(&l, hull);
    cn_closest_hit hit = cn_world_closest(WORLD, &probe, reach, &filter);
    return put_closest(&hit);
}
