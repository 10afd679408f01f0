// Thousands of steps in which bodies and shapes of all kinds come, go and change at random. The world must stay whole: numbers
// finite, counts right, begin and end of every contact paired, all memory given back. CAIRN_SOAK_STEPS sets how long.
#include "random_shapes.h"
#include "scene.h"
#include "solve/solve.h"
#include "world/lost.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 120, MOST_SHAPES = 6, HULLS = 4, MOST_PAIRS = 1 << 14, MOST_EXACT = 25 };

// ---- an allocator that counts; worlds allocate on worker threads too

typedef struct ledger {
    atomic_llong bytes, blocks;
    atomic_int wrong_sizes;
} ledger;
enum { HEADER = 64 };

static void *counting_allocate(void *context, size_t size, size_t alignment)
{
    ledger *books = context;
    char *block = alignment <= HEADER ? aligned_alloc(HEADER, (size + 2 * HEADER - 1) / HEADER * HEADER) : NULL;
    if (block == NULL)
        return NULL;
    memcpy(block, &size, sizeof size);
    memset(block + HEADER, 0xff, size); // NaN, if anybody reads what nobody wrote
    atomic_fetch_add(&books->bytes, (long long)size);
    atomic_fetch_add(&books->blocks, 1);
    return block + HEADER;
}

static void counting_release(void *context, void *memory, size_t size)
{
    ledger *books = context;
    size_t asked;
    memcpy(&asked, (char *)memory - HEADER, sizeof asked);
    atomic_fetch_add(&books->wrong_sizes, asked != size);
    atomic_fetch_sub(&books->bytes, (long long)asked);
    atomic_fetch_sub(&books->blocks, 1);
    free((char *)memory - HEADER);
}

// ---- the contacts that have begun and not ended

typedef struct touch_set {
    cn_touch_event pairs[MOST_PAIRS];
    int count;
} touch_set;

static int find_pair(const touch_set *set, const cn_touch_event *event)
{
    for (int i = 0; i < set->count; i++) {
        const cn_touch_event *p = &set->pairs[i];
        if ((CN_ID_EQUALS(p->shape_a, event->shape_a) && CN_ID_EQUALS(p->shape_b, event->shape_b)) ||
            (CN_ID_EQUALS(p->shape_a, event->shape_b) && CN_ID_EQUALS(p->shape_b, event->shape_a)))
            return i;
    }
    return -1;
}

// A contact that was taken away and came back in the same step is in both lists.
static void follow_contacts(const cn_world *world, touch_set *set, int step)
{
    cn_contact_events events = cn_world_get_contact_events(world);
    for (int i = 0; i < events.end_count; i++) {
        int found = find_pair(set, &events.end[i]);
        if (found < 0)
            fail_msg("step %d: shapes %u and %u end to touch, but never began", step, events.end[i].shape_a.index1,
                     events.end[i].shape_b.index1);
        set->pairs[found] = set->pairs[--set->count];
    }
    for (int i = 0; i < events.begin_count; i++) {
        if (find_pair(set, &events.begin[i]) >= 0)
            fail_msg("step %d: shapes %u and %u begin to touch for the second time", step, events.begin[i].shape_a.index1,
                     events.begin[i].shape_b.index1);
        assert_true(set->count < MOST_PAIRS);
        set->pairs[set->count++] = events.begin[i];
    }
    for (int i = 0; i < set->count; i++)
        if (!cn_shape_is_valid(world, set->pairs[i].shape_a) || !cn_shape_is_valid(world, set->pairs[i].shape_b))
            fail_msg("step %d: a shape is gone and its contact did not end", step);
}

// ---- what happens to the world

typedef struct soak {
    cn_world *world;
    cn_body_id ground, bodies[MOST_BODIES];
    int count;
    cn_hull_id hulls[HULLS];
    cn_mesh *mesh;
    cn_height_field *field;
    cn_compound *compound;
    rng random;
    int solver;
} soak;

// Shapes of many parts: a closed mesh, a small field of bumps, and a cross of two boxes.
static void make_composites(soak *s)
{
    static const cn_vec3 corners[4] = {
        { 0.5f, 0.5f, 0.5f }, { -0.5f, -0.5f, 0.5f }, { -0.5f, 0.5f, -0.5f }, { 0.5f, -0.5f, -0.5f }
    };
    static const int faces[12] = { 0, 1, 3, 0, 3, 2, 0, 2, 1, 1, 2, 3 };
    cn_mesh_def mesh = cn_mesh_def_default();
    mesh.vertices = corners;
    mesh.vertex_count = mesh.triangle_count = 4;
    mesh.indices = faces;
    s->mesh = cn_mesh_create(&mesh);
    static const float heights[16] = { 0.0f, 0.1f, 0.0f, 0.2f, 0.1f, 0.3f, 0.1f, 0.0f,
                                       0.0f, 0.1f, 0.4f, 0.1f, 0.0f, 0.0f, 0.1f, 0.0f };
    cn_height_field_def field = cn_height_field_def_default();
    field.columns = field.rows = 4;
    field.spacing_x = field.spacing_z = 0.8f;
    field.heights = heights;
    s->field = cn_height_field_create(&field);
    const cn_compound_part parts[2] = { { .geometry = cn_box(0.8f, 0.2f, 0.2f), .offset = CN_POSE_IDENTITY },
                                        { .geometry = cn_box(0.2f, 0.8f, 0.2f), .offset = CN_POSE_IDENTITY } };
    s->compound = cn_compound_create(parts, 2, NULL);
    if (s->mesh == NULL || s->field == NULL || s->compound == NULL)
        fail_msg("%s", cn_last_error());
}

// Shapes keep what they use.
static void let_go_of_composites(soak *s)
{
    cn_mesh_destroy(s->mesh);
    cn_height_field_destroy(s->field);
    cn_compound_destroy(s->compound);
}

static cn_hull_id random_hull(soak *s)
{
    cn_vec3 points[20];
    for (int i = 0; i < 20; i++)
        points[i] = rng_vec(&s->random, 0.6f);
    return cn_hull_create(s->world, points, 20);
}

static cn_geometry random_geometry(soak *s)
{
    float a = rng_range(&s->random, 0.2f, 0.6f), b = rng_range(&s->random, 0.2f, 0.6f), c = rng_range(&s->random, 0.2f, 0.6f);
    cn_vec3 scale = { 1.0f + a, 1.0f + b, 1.0f + c };
    switch (rng_next(&s->random) % CN_SHAPE_TYPE_COUNT) {
    case CN_MESH: return cn_geometry_mesh(s->mesh, scale);
    case CN_HEIGHT_FIELD: return cn_geometry_height_field(s->field, scale);
    case CN_COMPOUND: return cn_geometry_compound(s->compound);
    case CN_SPHERE: return cn_sphere(a);
    case CN_CAPSULE: return cn_capsule(a, b);
    case CN_BOX: return cn_box(a, b, c);
    case CN_CYLINDER: return cn_cylinder(a, b);
    case CN_TAPERED_CAPSULE: return cn_tapered_capsule(a, b, 0.5f * c);
    default: return cn_hull(s->hulls[rng_next(&s->random) % HULLS]);
    }
}

static cn_material random_material(soak *s)
{
    cn_material m = cn_material_default();
    m.friction = rng_range(&s->random, 0.0f, 1.0f);
    m.kinetic_friction = rng_next(&s->random) % 2 ? -1.0f : 0.5f * m.friction;
    m.restitution = rng_next(&s->random) % 3 ? 0.0f : rng_range(&s->random, 0.0f, 0.9f);
    m.rolling_resistance = rng_next(&s->random) % 3 ? 0.0f : 0.05f;
    m.spinning_resistance = rng_next(&s->random) % 3 ? 0.0f : 0.05f;
    if (rng_next(&s->random) % 8 == 0)
        m.surface_velocity = rng_vec(&s->random, 2.0f);
    return m;
}

static cn_transform random_place(soak *s)
{
    cn_quat rotation = rng_quat(&s->random);
    cn_vec3 p = rng_vec(&s->random, 5.0f);
    return (cn_transform){ { (double)p.x, 4.0 + (double)p.y * 0.6, (double)p.z }, rotation };
}

static bool add_random_shape(soak *s, cn_body_id body)
{
    cn_shape_def def = cn_shape_def_default();
    def.geometry = random_geometry(s);
    def.offset.position = rng_vec(&s->random, 0.4f);
    def.offset.rotation = rng_quat(&s->random);
    def.density = rng_next(&s->random) % 10 == 0 ? 0.0f : rng_range(&s->random, 100.0f, 3000.0f);
    if (def.geometry.type == CN_HEIGHT_FIELD)
        def.density = 0.0f; // it has no inside
    def.sensor = rng_next(&s->random) % 16 == 0;
    def.material = random_material(s);
    def.contact_events = def.hit_events = true;
    return !CN_IS_NULL(cn_shape_create(s->world, body, &def));
}

static bool add_random_body(soak *s)
{
    if (s->count == MOST_BODIES)
        return true;
    cn_body_def def = cn_body_def_default();
    cn_transform place = random_place(s);
    uint32_t kind = rng_next(&s->random) % 10;
    def.type = kind == 0 ? CN_KINEMATIC : kind == 1 ? CN_STATIC : CN_DYNAMIC;
    def.position = place.position;
    def.rotation = place.rotation;
    if (def.type == CN_DYNAMIC) {
        def.awake = rng_next(&s->random) % 8 != 0 || !cn_world_get_sleeping(s->world);
        def.angular_damping = rng_range(&s->random, 0.0f, 0.5f);
    }
    if (def.type != CN_STATIC && def.awake) {
        def.linear_velocity = rng_vec(&s->random, rng_next(&s->random) % 10 == 0 ? 300.0f : 3.0f);
        def.angular_velocity = rng_vec(&s->random, 3.0f);
    }
    cn_body_id body = cn_body_create(s->world, &def);
    if (CN_IS_NULL(body))
        return false;
    s->bodies[s->count++] = body;
    for (uint32_t i = 1 + rng_next(&s->random) % 3 / 2; i > 0; i--)
        if (!add_random_shape(s, body))
            return false;
    return true;
}

static bool destroy_body(soak *s, int i)
{
    cn_body_id body = s->bodies[i];
    s->bodies[i] = s->bodies[--s->count];
    return cn_body_destroy(s->world, body) && !cn_body_is_valid(s->world, body);
}

static bool change_shape(soak *s, cn_body_id body, uint32_t what)
{
    cn_shape_id shapes[MOST_SHAPES];
    int count = cn_body_get_shapes(s->world, body, shapes, MOST_SHAPES);
    if (count == 0 || (what == 0 && count < MOST_SHAPES && rng_next(&s->random) % 2))
        return add_random_shape(s, body);
    cn_shape_id shape = shapes[rng_next(&s->random) % (uint32_t)count];
    cn_material material = random_material(s);
    cn_filter filter = cn_filter_default();
    filter.group = rng_next(&s->random) % 4 ? 0 : -1;
    switch (what) {
    case 0: return cn_shape_destroy(s->world, shape);
    case 1: return cn_shape_set_material(s->world, shape, &material);
    default: return cn_shape_set_filter(s->world, shape, filter);
    }
}

static bool push(soak *s, cn_body_id body)
{
    float m = cn_body_get_mass(s->world, body).mass;
    cn_pos3 at = cn_body_get_center(s->world, body);
    at.x += 0.3;
    if (m == 0.0f)
        return true;
    return cn_body_apply_impulse_at(s->world, body, rng_vec(&s->random, 4.0f * m), at) &&
           cn_body_apply_force(s->world, body, rng_vec(&s->random, 50.0f * m)) &&
           cn_body_apply_torque(s->world, body, rng_vec(&s->random, 5.0f * m)) &&
           cn_body_apply_angular_impulse(s->world, body, rng_vec(&s->random, 0.2f * m));
}

static bool change_type(soak *s, cn_body_id body)
{
    static const cn_body_type types[6] = { CN_STATIC, CN_KINEMATIC, CN_DYNAMIC, CN_DYNAMIC, CN_DYNAMIC, CN_DYNAMIC };
    return cn_body_set_type(s->world, body, types[rng_next(&s->random) % 6]);
}

static bool change_world(soak *s)
{
    switch (rng_next(&s->random) % 4) {
    case 0: return cn_world_set_gravity(s->world, cn_v3(rng_range(&s->random, -2.0f, 2.0f), -10.0f, 0.0f));
    case 1: return cn_world_set_sleeping(s->world, rng_next(&s->random) % 4 != 0);
    case 2: {
        uint32_t i = rng_next(&s->random) % HULLS; // shapes that use it keep it alive
        bool destroyed = cn_hull_destroy(s->world, s->hulls[i]);
        s->hulls[i] = random_hull(s);
        return destroyed && !CN_IS_NULL(s->hulls[i]);
    }
    default:
        s->solver++;
        if (cn_solver_name(s->solver) == NULL || (cn_solvers[s->solver].model_solver != NULL && s->count > MOST_EXACT))
            s->solver = 0;
        return cn_world_set_solver(s->world, cn_solver_name(s->solver));
    }
}

static bool meddle(soak *s)
{
    uint32_t what = rng_next(&s->random) % 24;
    if (s->count == 0 || what < 3)
        return add_random_body(s);
    int i = (int)(rng_next(&s->random) % (uint32_t)s->count);
    cn_body_id body = s->bodies[i];
    cn_body_type type = cn_body_get_type(s->world, body);
    cn_mass mass = { 3.0f, { 0.1f, 0.0f, 0.0f }, { 1.0f, 1.5f, 2.0f, 0.0f, 0.0f, 0.0f } };
    switch (what) {
    case 3:
    case 4: return s->count < 20 || destroy_body(s, i);
    case 5:
    case 6:
    case 7: return change_shape(s, body, what - 5);
    case 8:
    case 9:
    case 10: return type != CN_DYNAMIC || push(s, body);
    case 11: return type == CN_STATIC || cn_body_set_linear_velocity(s->world, body, rng_vec(&s->random, 6.0f));
    case 12: return type == CN_STATIC || cn_body_set_angular_velocity(s->world, body, rng_vec(&s->random, 6.0f));
    case 13: cn_body_set_awake(s->world, body, false); return true; // may be refused: not everything can sleep
    case 14: return type != CN_DYNAMIC || cn_body_set_awake(s->world, body, true);
    case 15:
    case 16: return change_type(s, body);
    case 17: return cn_body_set_transform(s->world, body, random_place(s));
    case 18: return cn_body_set_locks(s->world, body, rng_next(&s->random) % 4 ? 0 : rng_next(&s->random) % 64);
    case 19: return cn_body_set_can_sleep(s->world, body, rng_next(&s->random) % 4 != 0);
    case 20: return type != CN_DYNAMIC || cn_body_set_mass(s->world, body, mass);
    case 21: return type != CN_DYNAMIC || cn_body_reset_mass(s->world, body);
    case 22: return cn_body_set_gravity_scale(s->world, body, rng_range(&s->random, 0.5f, 1.5f));
    default: return change_world(s);
    }
}

// ---- what must hold

static bool finite_vec(cn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static int check_contacts(const soak *s, cn_body_id body, int step)
{
    enum { MOST_PLACES = 512 };
    static cn_contact_data contacts[MOST_PLACES];
    int count = cn_body_get_contacts(s->world, body, contacts, MOST_PLACES), pairs = 0;
    assert_true(count <= MOST_PLACES);
    for (int i = 0; i < count; i++) {
        const cn_contact_data *c = &contacts[i];
        cn_body_id a = cn_shape_get_body(s->world, c->shape_a), b = cn_shape_get_body(s->world, c->shape_b);
        if (!(CN_ID_EQUALS(a, body) || CN_ID_EQUALS(b, body)) || CN_ID_EQUALS(a, b))
            fail_msg("step %d: a contact of a body is between others", step);
        // The places of a pair follow each other.
        pairs += i == 0 || !CN_ID_EQUALS(c->shape_a, c[-1].shape_a) || !CN_ID_EQUALS(c->shape_b, c[-1].shape_b);
        assert_near(cn_length(c->normal), c->point_count > 0 ? 1.0 : 0.0, 1e-3);
        for (int k = 0; k < c->point_count; k++)
            if (!(c->points[k].normal_impulse >= 0.0f) || !isfinite(c->points[k].normal_impulse) ||
                !finite_vec(c->points[k].friction_impulse) || !isfinite(c->points[k].separation))
                fail_msg("step %d: a contact point has an impulse of %g, friction of %g, a separation of %g", step,
                         (double)c->points[k].normal_impulse, (double)cn_length(c->points[k].friction_impulse),
                         (double)c->points[k].separation);
    }
    return pairs;
}

// Returns false when the body has left the scene.
static bool check_body(const soak *s, cn_body_id body, int step)
{
    cn_transform t = cn_body_get_transform(s->world, body);
    cn_quat q = t.rotation;
    cn_vec3 v = cn_body_get_linear_velocity(s->world, body), w = cn_body_get_angular_velocity(s->world, body);
    cn_mass mass = cn_body_get_mass(s->world, body);
    bool dynamic = cn_body_get_type(s->world, body) == CN_DYNAMIC;
    if (!cn_body_is_valid(s->world, body) || !isfinite(t.position.x + t.position.y + t.position.z) || !finite_vec(v) ||
        !finite_vec(w))
        fail_msg("step %d: body %u is lost: %s", step, body.index1, cn_last_error());
    assert_near(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1.0, 1e-4);
    assert_true(dynamic ? mass.mass > 0.0f : mass.mass == 0.0f);
    if (dynamic && !cn_body_is_awake(s->world, body))
        assert_true(cn_length(v) == 0.0f && cn_length(w) == 0.0f);
    cn_shape_id shapes[MOST_SHAPES];
    int count = cn_body_get_shapes(s->world, body, shapes, MOST_SHAPES);
    assert_in_range(count, 0, MOST_SHAPES);
    for (int i = 0; i < count; i++) {
        cn_bounds bounds = cn_shape_get_bounds(s->world, shapes[i]);
        assert_true(CN_ID_EQUALS(cn_shape_get_body(s->world, shapes[i]), body));
        assert_true(bounds.lower.x < bounds.upper.x && bounds.lower.y < bounds.upper.y && bounds.lower.z < bounds.upper.z);
        assert_int_equal(cn_shape_get_material(s->world, shapes[i]).user_data, 0);
    }
    return t.position.y > -5.0 && fabs(t.position.x) < 60.0 && t.position.y < 60.0 && fabs(t.position.z) < 60.0;
}

static void check_world(soak *s, const touch_set *touching, cn_step_report report, int step, bool thorough)
{
    assert_int_equal(cn_world_get_body_count(s->world), s->count + 1); // and the ground
    assert_int_equal(report.bodies, s->count + 1);
    int move_count;
    const cn_move_event *moves = cn_world_get_move_events(s->world, &move_count);
    for (int i = 0; i < move_count; i++)
        assert_true(cn_body_is_valid(s->world, moves[i].body));
    if (thorough) {
        cn_energy energy = cn_world_get_energy(s->world);
        assert_true(isfinite(energy.kinetic) && isfinite(energy.potential) && energy.kinetic >= 0.0);
        assert_true(isfinite(cn_world_get_max_penetration(s->world)));
        int sides = check_contacts(s, s->ground, step);
        for (int i = 0; i < s->count; i++)
            sides += check_contacts(s, s->bodies[i], step);
        assert_int_equal(sides, 2 * touching->count); // what the events say is what the bodies say
    }
    for (int i = s->count - 1; i >= 0; i--)
        if (!check_body(s, s->bodies[i], step) && !destroy_body(s, i))
            fail_msg("step %d: %s", step, cn_last_error());
}

// The world logs an error when it has to stop a body whose motion was not finite.
static void note_error(void *context, cn_log_level level, const char *message)
{
    if (level == CN_LOG_ERROR)
        snprintf(context, 128, "%s", message);
}

static int steps_asked(void)
{
    const char *text = getenv("CAIRN_SOAK_STEPS");
    int steps = text != NULL ? atoi(text) : 0;
    return steps > 0 ? steps : 10000;
}

static void soak_world(uint64_t seed)
{
    static touch_set touching;
    touching.count = 0;
    ledger books = { 0 };
    cn_allocator allocator = { counting_allocate, counting_release, &books };
    cn_world_def def = cn_world_def_default();
    def.allocator = &allocator;
    def.threads = 2;
    char error[128] = "";
    def.log = note_error;
    def.log_context = error;
    soak s = { .world = open_world(&def), .random = { seed } };
    cn_shape_def ground = solid_def(cn_box(40.0f, 1.0f, 40.0f), 0.6f, 0.0f);
    ground.contact_events = ground.hit_events = true;
    s.ground = add_upright(s.world, CN_STATIC, cn_p3(0.0, -1.0, 0.0), &ground);
    make_composites(&s);
    for (int i = 0; i < HULLS; i++)
        s.hulls[i] = random_hull(&s);
    static const float ticks[4] = { 1.0f / 60.0f, 1.0f / 60.0f, 1.0f / 30.0f, 1.0f / 144.0f };
    int steps = steps_asked();
    long long most = 0, sleeping = 0, contacts = 0;
    for (int step = 0; step < steps; step++) {
        for (uint32_t i = rng_next(&s.random) % 4; i > 0; i--)
            if (!meddle(&s))
                fail_msg("step %d: %s", step, cn_last_error());
        cn_step_report report = cn_world_step(s.world, ticks[step / 50 % 4]);
        if (!report.ok)
            fail_msg("step %d: %s", step, cn_last_error());
        if (error[0] != '\0' || report.lost > 0)
            fail_msg("step %d: %s", step, error);
        if (!cn_world_is_finite(s.world))
            fail_msg("step %d: %s", step, cn_last_error());
        follow_contacts(s.world, &touching, step);
        check_world(&s, &touching, report, step, step % 20 == 0);
        most = s.count > most ? s.count : most;
        sleeping += report.bodies - report.awake_bodies;
        contacts += report.manifolds;
    }
    print_message("%d steps: %lld bodies at most, %.1f asleep or static and %.1f manifolds on average\n", steps, most,
                  (double)sleeping / steps, (double)contacts / steps);
    while (s.count > 0)
        assert_true(destroy_body(&s, s.count - 1));
    cn_step_report report = cn_world_step(s.world, tick);
    follow_contacts(s.world, &touching, steps);
    assert_int_equal(touching.count, 0);
    assert_int_equal(report.pairs, 0);
    let_go_of_composites(&s);
    cn_world_destroy(s.world);
    assert_int_equal(atomic_load(&books.bytes), 0);
    assert_int_equal(atomic_load(&books.blocks), 0);
    assert_int_equal(atomic_load(&books.wrong_sizes), 0);
}

// Three histories: one alone may be lucky.
static void a_world_survives_everything(void **state)
{
    (void)state;
    soak_world(20240607);
}

static void a_second_world_survives_everything(void **state)
{
    (void)state;
    soak_world(2);
}

static void a_third_world_survives_everything(void **state)
{
    (void)state;
    soak_world(3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_survives_everything),
        cmocka_unit_test(a_second_world_survives_everything),
        cmocka_unit_test(a_third_world_survives_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
