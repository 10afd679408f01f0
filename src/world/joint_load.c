// How hard a joint holds: by how much its force and torque would accelerate the two bodies if they were alone.
// Slow averages, so that a blow does not count as a load.
#include "world/joint_view.h"

#define PART_PER_STEP 0.1f
#define HEAVY_LOAD 20.0f // times gravity
#define MOST_LOAD 1e9f   // m/s^2
#define STIFF 15800.0f   // 1/s^2: of a spring of 20 Hz, which the substeps of common steps may take for rigid (row_law.c)

// What a force of 1 N and a torque of 1 N m do to both bodies together, as accelerations of what they hold.
typedef struct response {
    float force, torque; // 1/kg, 1/(kg m)
    float size;          // sum of the levers, m
    float extent;        // of the smaller body, m
} response;

static void add_end(response *sum, const cn_world *world, int body, cn_vec3 arm)
{
    if (body == CN_NONE || world->bodies.data[body].type != CN_DYNAMIC)
        return;
    const cn_body *b = &world->bodies.data[body];
    float turn = cn_minf(b->inverse_inertia.xx, cn_minf(b->inverse_inertia.yy, b->inverse_inertia.zz));
    float length = cn_length(arm);
    sum->force += b->inverse_mass;
    sum->torque += turn * length;
    sum->size += length;
    sum->extent = cn_minf(sum->extent, b->extent);
}

// Points that are held together, but are apart by more than this part of the extent of the smaller body, are torn: somebody put a body
// elsewhere. So many times the extent is far.
#define TORN 0.25f
#define FAR 8.0f

// `size`: the extent of the smaller body.
static void note_tear(const cn_solver_joint *view, float size, cn_found_joint *found)
{
    float off_sq = cn_length_sq(cn_get3(view->gap));
    bool holds_point = view->joint_class != CN_CLASS_COUPLING && !view->aims && (view->locked & 7) == 7;
    found->torn = holds_point && off_sq > TORN * TORN * size * size;
    found->far = found->torn && off_sq > FAR * FAR * size * size;
}

static float spin_sq(const cn_world *world, int body)
{
    return body == CN_NONE ? 0.0f : cn_length_sq(world->bodies.data[body].angular_velocity);
}

// A ball acts where the body that spins faster has its end, so that what it still lacks does not go around with that body: where a top
// hangs in the world by the end of the world, its weight had a lever that braked it. What hardly spins keeps to its end b.
#define SPINS 10.0f // rad/s
static bool acts_at_a(const cn_world *world, const cn_joint *joint)
{
    float a = spin_sq(world, joint->body_a), b = spin_sq(world, joint->body_b);
    return a > SPINS * SPINS && a > 4.0f * b;
}

// Slower than what a row that counts as light can do in a substep, from one end of its bounds to the other, for so long, s: a body that
// comes to rest is still by then. Still is what has no more than this part of that speed.
#define LONG 0.5f
#define STILL 0.015625f

static float point_speed(const cn_world *world, int body)
{
    const cn_body *b = body == CN_NONE ? NULL : &world->bodies.data[body];
    return b == NULL ? 0.0f : cn_length(b->linear_velocity) + b->extent * cn_length(b->angular_velocity);
}

static void note_speed(const cn_world *world, cn_joint *joint, float heavy, float dt, cn_found_joint *found)
{
    float speed = cn_maxf(point_speed(world, joint->body_a), point_speed(world, joint->body_b));
    int substeps = world->def.substeps > 0 ? world->def.substeps : world->solver->default_substeps;
    float most = 2.0f * heavy * dt / (float)substeps;
    joint->slow_time = speed < most ? cn_minf(joint->slow_time + dt, LONG) : 0.0f;
    found->slow = joint->slow_time >= LONG;
    found->moves = speed > STILL * most;
}

static void approach(float *average, float value) { *average += PART_PER_STEP * (cn_minf(value, MOST_LOAD) - *average); }

void cn_joint_note_load(const cn_world *world, cn_joint *joint, float gravity, cn_found_joint *found)
{
    const cn_solver_joint *view = &joint->view;
    float heavy = HEAVY_LOAD * cn_maxf(gravity, 1.0f);
    bool ball = view->joint_class == CN_CLASS_BALL;
    float force = cn_length(cn_get3(view->force[0])), torque = ball ? 0.0f : cn_length(cn_get3(view->force[1]));
    // What must be right at once: motors that hold like locks, and joints that break by what they carry.
    bool exact = (world->joint_marks.data[joint - world->joints.data] & CN_JOINT_BREAKS) != 0;
    float own[2] = { 0.0f, 0.0f };      // of the rows that do not give way: force, torque
    float friction[2] = { 0.0f, 0.0f }; // at most
    for (int n = 0; n < view->row_count; n++) {
        const cn_joint_row *row = &view->rows[n];
        if (!row->per_mass && row->kind != CN_ROW_SPRING) // what gives way is carried well by sweeps
            own[row->dof >= CN_TWIST] += cn_absf(row->force);
        if (row->kind == CN_ROW_FRICTION)
            friction[row->dof >= CN_TWIST] += row->most_force;
        found->limited |= row->kind == CN_ROW_STOP;
        if (row->kind == CN_ROW_STOP && row->dof >= CN_TWIST)
            found->passed = cn_maxf(found->passed, cn_maxf(row->lower - row->place, row->place - row->upper));
        exact |= row->kind == CN_ROW_MOTOR && row->stiffness > STIFF;
    }
    for (int i = 0; view->torques != NULL && i < CN_TORQUE_COUNT; i++) {
        const cn_joint_torque *t = &view->torques[i];
        bool gives = t->stiffness > 0.0f && t->stiffness < INFINITY;
        own[1] += gives ? 0.0f : cn_length(cn_get3(t->force));
        exact |= t->stiffness > STIFF;
    }
    response both = { .extent = INFINITY };
    add_end(&both, world, joint->body_a, cn_get3(view->arm_a));
    add_end(&both, world, joint->body_b, cn_get3(view->arm_b));
    float pull = both.force * force; // m/s^2
    if (joint->load < 0.0f) {
        joint->load = 2.0f * heavy; // it is new: what it will carry is not known
    } else {
        approach(&joint->load, pull + both.torque * torque);
        approach(&joint->row_load, both.force * own[0] + both.torque * own[1]);
        approach(&joint->pull, pull);
        joint->pull = cn_maxf(joint->pull, cn_minf(pull, MOST_LOAD)); // a jerk counts at once, and is forgotten slowly
    }
    joint->heavy = cn_maxf(joint->load, joint->row_load) > (joint->heavy ? 0.5f * heavy : heavy);
    found->heavy = joint->heavy || exact;
    found->burden = exact ? INFINITY : cn_maxf(joint->load, joint->row_load) / heavy;
    joint->grips = joint->row_load > (joint->grips ? 0.5f * heavy : heavy);
    found->jammed = joint->jammed;
    found->grips = (joint->grips || exact) && !joint->jammed; // sweeps ask for no more than one of them after the other
    found->rubs = found->grips && (exact || both.force * friction[0] + both.torque * friction[1] > 0.5f * heavy);
    note_tear(view, both.extent, found);
    found->slow = true; // where nothing but locks is
    if (view->row_count > 0 || view->torques != NULL)
        note_speed(world, joint, heavy, joint->solved_dt, found);
    found->at_a = ball && acts_at_a(world, joint);
    // A light body between two taut joints swings like a string.
    found->rate = both.size > 0.0f ? 2.0f * sqrtf(joint->pull / both.size) : 0.0f;
}
