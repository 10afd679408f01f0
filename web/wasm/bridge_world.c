// Worlds and scenes: life, step, what can be measured.
#include "bridge.h"
#include "scenes.h"
#include "settings.h"
#include "solve/solve.h"

#include <math.h>
#include <stdlib.h>

double mail[MAIL_SIZE];
char text[TEXT_SIZE];
static char scene_error[sizeof(cn_message)];

double *EXPORT(mail_address)(void) { return mail; }
char *EXPORT(text_address)(void) { return text; }
void *EXPORT(allocate)(int size) { return malloc((size_t)size); }
void EXPORT(release)(void *memory) { free(memory); }
const char *EXPORT(last_error)(void) { return cn_last_error(); }
const char *EXPORT(last_scene_error)(void) { return scene_error; }
const char *EXPORT(solver_name)(int index) { return cn_solver_name(index); }
const char *EXPORT(solver_summary)(int index) { return cn_solver_summary(index); }
// Those of the laboratory solve the contact model, for comparison; the others are for scenes of any size.
int EXPORT(solver_is_fast)(int index) { return cn_solvers[index].model_solver == NULL; }
const char *EXPORT(scene_name)(int index) { return cn_scene_name(index); }
const char *EXPORT(scene_summary)(int index) { return cn_scene_at(index)->summary; }
int EXPORT(scene_steps)(int index) { return cn_scene_at(index)->steps; }

void EXPORT(version)(void)
{
    cn_version v = cn_get_version();
    mail[0] = v.major, mail[1] = v.minor, mail[2] = v.patch;
}

// The definition and the name of its solver, in the mail and in the text.
static void send_world_def(const cn_world_def *def)
{
    letter l = { 0 };
    put3(&l, def->gravity);
    put(&l, def->substeps), put(&l, def->iterations), put(&l, (double)def->early_exit), put(&l, def->friction_model);
    put(&l, (double)def->contact_stiffness), put(&l, (double)def->contact_damping_ratio), put(&l, (double)def->push_speed);
    put(&l, (double)def->joint_speed);
    put(&l, (double)def->projection), put(&l, def->position_correction), put(&l, def->joint_solve);
    put(&l, (double)def->restitution_speed), put(&l, (double)def->hit_speed);
    put(&l, def->sleeping), put(&l, (double)def->sleep_speed), put(&l, (double)def->sleep_time);
    put(&l, def->measure), put(&l, (double)def->tolerance), put(&l, def->effort);
    const cn_capacity *room = &def->capacity;
    put(&l, room->bodies), put(&l, room->shapes), put(&l, room->contacts), put(&l, room->joints);
    strncpy(text, def->solver, TEXT_SIZE - 1);
}

static cn_world_def receive_world_def(void)
{
    cn_world_def def = cn_world_def_default();
    letter l = { 0 };
    def.gravity = take3(&l);
    def.substeps = takei(&l), def.iterations = takei(&l), def.early_exit = takef(&l);
    def.friction_model = (cn_friction_model)takei(&l);
    def.contact_stiffness = takef(&l), def.contact_damping_ratio = takef(&l), def.push_speed = takef(&l);
    def.joint_speed = takef(&l);
    def.projection = takef(&l), def.position_correction = (cn_position_correction)takei(&l);
    def.joint_solve = (cn_joint_solve)takei(&l);
    def.restitution_speed = takef(&l), def.hit_speed = takef(&l);
    def.sleeping = takeb(&l), def.sleep_speed = takef(&l), def.sleep_time = takef(&l);
    def.measure = takeb(&l), def.tolerance = takef(&l), def.effort = takei(&l);
    def.capacity.bodies = takei(&l), def.capacity.shapes = takei(&l);
    def.capacity.contacts = takei(&l), def.capacity.joints = takei(&l);
    text[TEXT_SIZE - 1] = '\0';
    def.solver = text;
    return def;
}

void EXPORT(world_defaults)(void)
{
    cn_world_def def = cn_world_def_default();
    send_world_def(&def);
}

// Those of `cairn run`.
void EXPORT(scene_defaults)(void)
{
    cn_settings settings = cn_settings_default();
    cn_world_def def = cn_settings_world(&settings);
    send_world_def(&def);
}

static void free_arrays(bridge *b)
{
    free(b->transforms.data), free(b->velocities.data), free(b->contacts.data), free(b->points.data), free(b->boxes.data);
    free(b->islands.data), free(b->asked.data), free(b->rays.data), free(b->found.data), free(b->hits.data);
    free(b->joints.data);
}

void EXPORT(world_destroy)(bridge *b)
{
    cn_build_close(&b->build);
    free_arrays(b);
    free(b);
}

static bridge *open_world(const cn_scene *scene)
{
    cn_world_def def = receive_world_def();
    bridge *b = calloc(1, sizeof *b);
    bool good = b != NULL && (scene != NULL ? cn_scene_build(scene, &def, &b->build) : cn_build_open(&b->build, &def));
    if (!good) {
        strncpy(scene_error, b != NULL ? b->build.error.text : "out of memory", sizeof scene_error - 1);
        if (b != NULL)
            world_destroy(b);
        return NULL;
    }
    return b;
}

bridge *EXPORT(world_create)(void) { return open_world(NULL); }
bridge *EXPORT(scene_create)(int index) { return open_world(cn_scene_at(index)); }

int EXPORT(world_step)(bridge *b, float dt)
{
    cn_step_report r = cn_world_step(b->build.world, dt);
    letter l = { 0 };
    put(&l, (double)r.step), put(&l, r.bodies), put(&l, r.awake_bodies), put(&l, r.islands), put(&l, r.sleeping_islands);
    put(&l, r.pairs), put(&l, r.manifolds), put(&l, r.points), put(&l, r.joints), put(&l, r.direct);
    put(&l, r.colors), put(&l, r.substeps), put(&l, r.iterations), put(&l, r.max_substeps);
    put(&l, r.max_penetration), put(&l, r.step_ms);
    bool judged = cn_world_get_measure(b->build.world) || cn_world_get_tolerance(b->build.world) > 0.0f;
    put(&l, judged ? r.residual.value : (double)NAN), put(&l, judged ? r.worst_residual : (double)NAN);
    put(&l, r.handed_over), put(&l, r.missed);
    put(&l, r.lost), put(&l, r.lost_body.index1);
    for (int i = 0; i < CN_STAGE_COUNT; i++)
        put(&l, r.stage_ms[i]);
    return r.ok;
}

uint64_t EXPORT(world_hash)(const bridge *b) { return cn_world_hash(b->build.world); }
int EXPORT(world_body_count)(const bridge *b) { return cn_world_get_body_count(b->build.world); }
double EXPORT(world_max_penetration)(const bridge *b) { return cn_world_get_max_penetration(b->build.world); }
int EXPORT(world_set_sleeping)(bridge *b, int sleeping) { return cn_world_set_sleeping(b->build.world, sleeping != 0); }
int EXPORT(world_get_sleeping)(const bridge *b) { return cn_world_get_sleeping(b->build.world); }
int EXPORT(world_set_measure)(bridge *b, int measure) { return cn_world_set_measure(b->build.world, measure != 0); }
int EXPORT(world_get_measure)(const bridge *b) { return cn_world_get_measure(b->build.world); }
int EXPORT(world_set_tolerance)(bridge *b, float tolerance) { return cn_world_set_tolerance(b->build.world, tolerance); }
float EXPORT(world_get_tolerance)(const bridge *b) { return cn_world_get_tolerance(b->build.world); }
int EXPORT(world_set_solver)(bridge *b) { return cn_world_set_solver(b->build.world, text); }
const char *EXPORT(world_get_solver)(const bridge *b) { return cn_world_get_solver(b->build.world); }

void EXPORT(world_get_gravity)(const bridge *b)
{
    letter l = { 0 };
    put3(&l, cn_world_get_gravity(b->build.world));
}

int EXPORT(world_set_gravity)(bridge *b)
{
    letter l = { 0 };
    return cn_world_set_gravity(b->build.world, take3(&l));
}

void EXPORT(world_energy)(const bridge *b)
{
    cn_energy e = cn_world_get_energy(b->build.world);
    letter l = { 0 };
    put(&l, e.kinetic), put(&l, e.potential), put(&l, e.mass);
    for (int i = 0; i < 3; i++)
        put(&l, e.linear_momentum[i]);
    for (int i = 0; i < 3; i++)
        put(&l, e.angular_momentum[i]);
}
