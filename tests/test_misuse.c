// Every public function with everything wrong, one thing at a time: NULL, null and stale ids and those of other worlds, numbers that are
// none, enums out of range; and in the middle of a step. Nothing crashes, and the world goes on. The calls are written by
// scripts/misuse.py from the headers, so that no function can be forgotten.
#include "scene.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct fixture {
    cn_world *world, *foreign;
    cn_body_id body, other, carrier, stale_body, foreign_body;
    cn_shape_id shape, other_shape, stale_shape, foreign_shape;
    cn_joint_id joint, stale_joint, foreign_joint;
    cn_hull_id hull, stale_hull, foreign_hull;
    cn_mesh *mesh;
    cn_height_field *field;
    cn_compound *compound;
    cn_problem *problem;
    cn_ragdoll doll;
    bool answered; // what the last function said that may change a world
} fixture;

typedef struct misuse {
    const char *name;
    void (*good)(fixture *f);
    void (*call)(fixture *f, int which);
    int count;
} misuse;

// ---- what is good

static const cn_vec3 good_vector = { 0.5f, 1.0f, 0.25f };
static const cn_quat no_turn = CN_QUAT_IDENTITY;
static const cn_pose good_pose = CN_POSE_IDENTITY;
static const cn_transform good_place = { { 0.0, 2.0, 0.0 }, CN_QUAT_IDENTITY };
static const cn_vec3 corners[4] = { { 0.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, { 0.0f, 0.0f, 1.0f } };
static const int faces[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };

static void *take(void *context, size_t size, size_t alignment)
{
    (void)context;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void give_back(void *context, void *memory, size_t size)
{
    (void)context, (void)size;
    free(memory);
}

static const cn_allocator heap = { take, give_back, NULL }, takes_nothing = { NULL, give_back, NULL }, gives_nothing_back = { take, NULL, NULL };

static float go_on(void *context, const cn_hit *hit)
{
    (void)context, (void)hit;
    return 1.0f;
}

static bool accept(void *context, cn_shape_id shape)
{
    (void)context, (void)shape;
    return true;
}

static void leave_alone(void *context, cn_contact_change *change) { (void)context, (void)change; }

static cn_shape_def good_shape(void) { return solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.1f); }

static cn_joint_def good_joint(const fixture *f) { return cn_hinge_joint(f->world, f->body, f->other, cn_p3(0.0, 1.0, 0.0), cn_v3(0.0f, 0.0f, 1.0f)); }

static cn_joint_axis good_axis(void) { return cn_joint_def_default().axes[CN_TWIST]; }

static cn_mesh_def good_mesh(void)
{
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = corners;
    def.vertex_count = 4;
    def.indices = faces;
    def.triangle_count = 4;
    def.allocator = &heap;
    return def;
}

static cn_height_field_def good_field(void)
{
    static const float heights[9] = { 0.0f };
    cn_height_field_def def = cn_height_field_def_default();
    def.columns = def.rows = 3;
    def.heights = heights;
    def.allocator = &heap;
    return def;
}

static cn_compound_part good_part(void) { return (cn_compound_part){ .geometry = cn_sphere(0.5f), .offset = good_pose }; }

static cn_query_filter good_filter(void)
{
    cn_query_filter filter = cn_query_filter_default();
    filter.accept = accept;
    return filter;
}

static cn_probe good_probe(void) { return (cn_probe){ cn_sphere(0.75f), good_place, { 0.0f, -5.0f, 0.0f } }; }

static cn_path_def good_path(void)
{
    static const cn_path_key keys[2] = { { 0.0, { { 0.0, 8.0, 0.0 }, CN_QUAT_IDENTITY } }, { 1.0, { { 1.0, 8.0, 0.0 }, CN_QUAT_IDENTITY } } };
    cn_path_def def = cn_path_def_default();
    def.keys = keys;
    def.key_count = 2;
    return def;
}

static cn_model_body good_model_body(void)
{
    cn_model_body body = { 0 };
    for (int i = 0; i < 6; i++)
        body.inverse_mass[i][i] = 1.0;
    return body;
}

static cn_block_def good_block(void)
{
    cn_block_def def = cn_block_def_default(CN_BLOCK_CONTACT);
    def.friction = 0.5;
    def.side_count = 1;
    for (int i = 0; i < 3; i++)
        def.sides[0].jacobian[i][i] = 1.0;
    return def;
}

static cn_row_problem good_rows(void)
{
    static cn_row_body bodies[1];
    static cn_row rows[1];
    bodies[0] = (cn_row_body){ .inverse_mass = 1.0f, .inverse_inertia = { 1.0f, 1.0f, 1.0f, 0.0f, 0.0f, 0.0f } };
    rows[0] = cn_row_default();
    rows[0].body_a = 0;
    rows[0].body_b = CN_ROW_NO_BODY;
    rows[0].linear_a = cn_v3(1.0f, 0.0f, 0.0f);
    return (cn_row_problem){ bodies, rows, 1, 1 };
}

// ---- what was last called, for those who look at a crash

static char last[256];

static void note(const char *function, const char *what) { snprintf(last, sizeof last, "%s: %s\n", function, what); }

static void tell_last(int signal_number)
{
    if (write(STDERR_FILENO, last, strlen(last)) < 0)
        _exit(2);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void be_silent(void *context, cn_log_level level, const char *message) { (void)context, (void)level, (void)message; }

// ---- the calls

#include "misuse_calls.h"

enum { MISUSE_COUNT = sizeof misuses / sizeof misuses[0] };

static cn_world *open_quiet(cn_modify_fn modify, void *context)
{
    cn_world_def def = cn_world_def_default();
    def.log = be_silent;
    def.modify = modify;
    def.modify_context = context;
    return open_world(&def);
}

static void add_things(cn_world *world, cn_body_id *body, cn_shape_id *shape, cn_joint_id *joint, cn_hull_id *hull)
{
    cn_shape_def box = good_shape();
    *body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 0.0), NULL);
    *shape = cn_shape_create(world, *body, &box);
    cn_joint_def hinge = cn_hinge_joint(world, *body, (cn_body_id){ 0 }, cn_p3(0.0, 0.5, 0.0), cn_v3(0.0f, 1.0f, 0.0f));
    *joint = cn_joint_create(world, &hinge);
    *hull = cn_hull_create(world, corners, 4);
}

static fixture open_fixture(cn_modify_fn modify, void *context)
{
    fixture f = { .world = open_quiet(modify, context), .foreign = open_quiet(NULL, NULL) };
    add_things(f.world, &f.stale_body, &f.stale_shape, &f.stale_joint, &f.stale_hull);
    cn_body_destroy(f.world, f.stale_body);
    cn_hull_destroy(f.world, f.stale_hull);
    add_ground(f.world, 0.6f, 0.0f);
    cn_shape_def box = good_shape();
    box.modify = true;
    add_things(f.world, &f.body, &f.shape, &f.joint, &f.hull);
    f.other = add_upright(f.world, CN_DYNAMIC, cn_p3(0.0, 1.5, 0.0), NULL);
    f.other_shape = cn_shape_create(f.world, f.other, &box);
    f.carrier = add_upright(f.world, CN_KINEMATIC, cn_p3(0.0, 8.0, 0.0), &box);
    for (int i = 0; i < 3; i++)
        add_things(f.foreign, &f.foreign_body, &f.foreign_shape, &f.foreign_joint, &f.foreign_hull);
    cn_mesh_def mesh = good_mesh();
    cn_height_field_def field = good_field();
    cn_compound_part part = good_part();
    cn_model_body body = good_model_body();
    cn_block_def block = good_block();
    cn_ragdoll_def doll = cn_ragdoll_def_default();
    doll.position = cn_p3(20.0, 0.5, 0.0);
    cn_ragdoll_create(f.world, &doll, &f.doll);
    f.mesh = cn_mesh_create(&mesh);
    f.field = cn_height_field_create(&field);
    f.compound = cn_compound_create(&part, 1, NULL);
    f.problem = cn_problem_create(NULL);
    cn_problem_add_body(f.problem, &body);
    cn_problem_add_block(f.problem, &block);
    return f;
}

static void close_fixture(fixture *f)
{
    cn_world_destroy(f->world);
    cn_world_destroy(f->foreign);
    cn_mesh_destroy(f->mesh);
    cn_height_field_destroy(f->field);
    cn_compound_destroy(f->compound);
    cn_problem_destroy(f->problem);
}

// ---- the tests

static void nothing_wrong_crashes(void **state)
{
    (void)state;
    int calls = 0;
    for (int i = 0; i < MISUSE_COUNT; i++)
        for (int which = 0; which <= misuses[i].count; which++, calls++) {
            fixture f = open_fixture(NULL, NULL);
            misuses[i].call(&f, which);
            cn_step_report report = cn_world_step(f.world, tick);
            if (!report.ok || report.lost > 0 || !cn_world_is_finite(f.world))
                fail_msg("after %s the world does not go on: %s", last, cn_last_error());
            close_fixture(&f);
        }
    print_message("%d functions, %d calls\n", MISUSE_COUNT, calls);
}

// A context of callbacks: which function they call, and on what.
typedef struct inner {
    fixture *f;
    int which, calls;
} inner;

static void call_once(inner *s, const char *when)
{
    if (s->f == NULL || s->calls++ > 0)
        return;
    note(misuses[s->which].name, when);
    misuses[s->which].good(s->f);
}

static void call_in_step(void *context, cn_contact_change *change)
{
    (void)change;
    call_once(context, "in the middle of a step");
}

static uint64_t hash_after(int which)
{
    inner s = { .which = which };
    fixture f = open_fixture(call_in_step, &s);
    cn_world_step(f.world, tick);
    s.f = which >= 0 ? &f : NULL;
    cn_step_report report = cn_world_step(f.world, tick);
    assert_true(report.ok);
    assert_true(which < 0 || s.calls > 0);
    if (f.answered)
        fail_msg("%s says that it was done", last);
    s.f = NULL;
    cn_world_step(f.world, tick);
    uint64_t hash = cn_world_hash(f.world);
    close_fixture(&f);
    return hash;
}

// Whoever is called in the middle of a step changes nothing, and says so.
static void a_step_is_left_alone(void **state)
{
    (void)state;
    uint64_t hash = hash_after(-1);
    for (int i = 0; i < MISUSE_COUNT; i++)
        if (hash_after(i) != hash)
            fail_msg("%s in the middle of a step changes the world", misuses[i].name);
}

enum { REUSES = 70000 }; // more than there are generations

typedef struct ids {
    cn_body_id body;
    cn_shape_id shape;
    cn_joint_id joint;
    cn_hull_id hull;
} ids;

static ids make_and_destroy(const fixture *f)
{
    cn_body_def def = cn_body_def_default();
    cn_shape_def box = good_shape();
    cn_joint_def hinge = good_joint(f);
    ids made = { .body = cn_body_create(f->world, &def), .joint = cn_joint_create(f->world, &hinge), .hull = cn_hull_create(f->world, corners, 4) };
    made.shape = cn_shape_create(f->world, made.body, &box);
    assert_true(cn_body_is_valid(f->world, made.body) && cn_shape_is_valid(f->world, made.shape));
    assert_true(cn_joint_is_valid(f->world, made.joint) && cn_hull_is_valid(f->world, made.hull));
    assert_true(cn_joint_destroy(f->world, made.joint) && cn_body_destroy(f->world, made.body) && cn_hull_destroy(f->world, made.hull));
    return made;
}

// What is gone stays gone, however often its slot is used again.
static void stale_ids_stay_stale(void **state)
{
    (void)state;
    fixture f = open_fixture(NULL, NULL);
    ids gone = make_and_destroy(&f);
    for (int i = 0; i < REUSES; i++) {
        ids next = make_and_destroy(&f);
        assert_false(CN_ID_EQUALS(next.body, gone.body) || CN_ID_EQUALS(next.shape, gone.shape));
        assert_false(CN_ID_EQUALS(next.joint, gone.joint) || CN_ID_EQUALS(next.hull, gone.hull));
    }
    close_fixture(&f);
}

// Nor does a world take the ids of another that lives, however many came and went.
static void worlds_know_their_ids(void **state)
{
    (void)state;
    fixture f = open_fixture(NULL, NULL);
    for (int i = 0; i < REUSES; i++) {
        cn_world *world = open_quiet(NULL, NULL);
        cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), NULL);
        assert_true(body.world != f.body.world && body.world != f.foreign_body.world);
        cn_world_destroy(world);
    }
    close_fixture(&f);
}

static bool call_and_accept(void *context, cn_shape_id shape)
{
    (void)shape;
    call_once(context, "when a query asks whether to accept a shape");
    return true;
}

static float call_and_go_on(void *context, const cn_hit *hit)
{
    (void)hit;
    call_once(context, "when a query tells of a hit");
    return 1.0f;
}

// All kinds of queries, one after the other; each calls the function once.
static void ask(fixture *f, int which, int query)
{
    inner s = { f, which, 0 };
    cn_query_filter filter = cn_query_filter_default();
    filter.accept = query < 6 ? call_and_accept : NULL;
    filter.context = &s;
    cn_ray ray = { { 0.0, 5.0, 0.0 }, { 0.0f, -10.0f, 0.0f } };
    cn_probe probe = good_probe();
    cn_hit hits[8];
    cn_shape_id shapes[8];
    switch (query) {
    case 0: cn_world_cast_ray(f->world, &ray, &filter); break;
    case 1: cn_world_cast_shape_all(f->world, &probe, &filter, hits, 8); break;
    case 2: cn_world_overlap_shape(f->world, &probe, &filter, shapes, 8); break;
    case 3: cn_world_closest(f->world, &probe, 10.0f, &filter); break;
    case 4: cn_world_cast_rays(f->world, &ray, 1, &filter, hits); break;
    case 5: cn_world_test_ray(f->world, &ray, &filter); break;
    case 6: cn_world_visit_ray(f->world, &ray, &filter, call_and_go_on, &s); break;
    default: cn_world_visit_cast(f->world, &probe, &filter, call_and_go_on, &s); break;
    }
    if (s.calls == 0)
        fail_msg("query %d did not call back", query);
}

// Nor is anything changed by what the callbacks of a query call, and the next query and step go on.
static void a_query_is_left_alone(void **state)
{
    (void)state;
    enum { QUERIES = 8 };
    for (int i = 0; i < MISUSE_COUNT; i++)
        for (int query = 0; query < QUERIES; query++) {
            fixture f = open_fixture(NULL, NULL);
            uint64_t hash = cn_world_hash(f.world);
            int bodies = cn_world_get_body_count(f.world), joints = cn_world_get_joint_count(f.world);
            ask(&f, i, query);
            if (cn_world_hash(f.world) != hash || cn_world_get_body_count(f.world) != bodies || cn_world_get_joint_count(f.world) != joints)
                fail_msg("%s changes the world", last);
            if (!cn_world_step(f.world, tick).ok)
                fail_msg("after %s: %s", last, cn_last_error());
            close_fixture(&f);
        }
}

int main(void)
{
    signal(SIGSEGV, tell_last);
    signal(SIGABRT, tell_last);
    signal(SIGFPE, tell_last);
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_wrong_crashes), cmocka_unit_test(a_step_is_left_alone),
                                        cmocka_unit_test(a_query_is_left_alone), cmocka_unit_test(stale_ids_stay_stale),
                                        cmocka_unit_test(worlds_know_their_ids) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
