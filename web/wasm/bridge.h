// What JavaScript can call. Structures travel through the mail, an array of numbers in a fixed order; ids travel as 64-bit
// integers; texts as zero-terminated UTF-8. web/package/ is the other end.
#ifndef CAIRN_WASM_BRIDGE_H
#define CAIRN_WASM_BRIDGE_H

#include "build.h"
#include "cairn/cairn.h"

#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name), used)) name

enum { MAIL_SIZE = 128, TEXT_SIZE = 1024 };
extern double mail[MAIL_SIZE];
extern char text[TEXT_SIZE];

// A world with the arrays that JavaScript looks into. They stay valid until the next call that fills them.
typedef struct bridge {
    cn_build build; // its world, and the bodies of its scene
    struct array {
        void *data;
        size_t size;
    } transforms, velocities, contacts, points, boxes, islands, asked, rays, found, hits, joints;
} bridge;

// Room for `count` elements in one of them; what was there is lost.
void *bridge_room(struct array *array, int count, size_t element_size);

// Letters are put and taken one after the other.
typedef struct letter {
    int at;
} letter;
static inline void put(letter *l, double value) { mail[l->at++] = value; }
static inline void put3(letter *l, cn_vec3 v) { put(l, (double)v.x), put(l, (double)v.y), put(l, (double)v.z); }
static inline void put_place(letter *l, cn_pos3 p) { put(l, p.x), put(l, p.y), put(l, p.z); }
static inline void put4(letter *l, cn_quat q)
{
    put(l, (double)q.x), put(l, (double)q.y), put(l, (double)q.z), put(l, (double)q.w);
}
static inline double take(letter *l) { return mail[l->at++]; }
static inline float takef(letter *l) { return (float)take(l); }
static inline bool takeb(letter *l) { return take(l) != 0.0; }
// Out of range gives a value that every check refuses; converting it as it is would be undefined.
static inline int takei(letter *l)
{
    double value = take(l);
    return value >= -2147483647.0 && value <= 2147483647.0 ? (int)value : -2147483647;
}
static inline uint64_t takeu(letter *l) // negative means all bits
{
    double value = take(l);
    return value >= 0.0 && value <= 9007199254740992.0 ? (uint64_t)value : UINT64_MAX;
}
static inline cn_vec3 take3(letter *l)
{
    cn_vec3 v;
    v.x = takef(l), v.y = takef(l), v.z = takef(l);
    return v;
}
static inline cn_pos3 take_place(letter *l)
{
    cn_pos3 p;
    p.x = take(l), p.y = take(l), p.z = take(l);
    return p;
}
static inline cn_quat take4(letter *l)
{
    cn_quat q;
    q.x = takef(l), q.y = takef(l), q.z = takef(l), q.w = takef(l);
    return q;
}

#define PACK(id) ((uint64_t)(id).index1 | (uint64_t)(id).generation << 32 | (uint64_t)(id).world << 48)
#define UNPACK(type, key) ((type){ (uint32_t)(key), (uint16_t)((key) >> 32), (uint16_t)((key) >> 48) })
#define WORLD b->build.world
#define BODY UNPACK(cn_body_id, body)
#define SHAPE UNPACK(cn_shape_id, shape)
#define HULL UNPACK(cn_hull_id, hull)
#define JOINT UNPACK(cn_joint_id, joint)

// Ids that were written into `ids` as structures, of whatever kind, packed in place. Answers the count.
static inline int pack_ids(uint64_t *ids, int count, int capacity)
{
    for (int i = 0; i < count && i < capacity; i++) {
        cn_joint_id id;
        memcpy(&id, &ids[i], sizeof id);
        ids[i] = PACK(id);
    }
    return count;
}

static inline void put_material(letter *l, const cn_material *m)
{
    put(l, (double)m->friction), put(l, (double)m->kinetic_friction), put(l, (double)m->restitution);
    put(l, (double)m->rolling_resistance), put(l, (double)m->spinning_resistance), put3(l, m->surface_velocity);
    put3(l, m->grain), put(l, (double)m->grain_friction);
}

static inline cn_material take_material(letter *l)
{
    cn_material m = cn_material_default();
    m.friction = takef(l), m.kinetic_friction = takef(l), m.restitution = takef(l);
    m.rolling_resistance = takef(l), m.spinning_resistance = takef(l), m.surface_velocity = take3(l);
    m.grain = take3(l), m.grain_friction = takef(l);
    return m;
}

// All bits of the mask are -1.
static inline void put_filter(letter *l, const cn_filter *filter)
{
    put(l, (double)filter->category), put(l, -1.0), put(l, filter->group);
}
static inline cn_filter take_filter(letter *l)
{
    cn_filter filter;
    filter.category = takeu(l), filter.mask = takeu(l), filter.group = takei(l);
    return filter;
}

// Type, radius, top radius, half height and half extents of a convex form.
static inline cn_geometry take_geometry(letter *l)
{
    cn_geometry g = { 0 };
    g.type = (cn_shape_type)takei(l);
    g.radius = takef(l), g.top_radius = takef(l), g.half_height = takef(l), g.half_extents = take3(l);
    return g;
}
// The same, and where it lies.
static inline void put_form(const cn_geometry *g, cn_pose offset)
{
    letter l = { 0 };
    put(&l, g->type), put(&l, (double)g->radius), put(&l, (double)g->top_radius), put(&l, (double)g->half_height);
    put3(&l, g->half_extents);
    put3(&l, offset.position), put4(&l, offset.rotation), put3(&l, g->scale);
}

#endif
