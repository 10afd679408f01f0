#include "solve/joint_model.h"
#include "solve/joint_coordinate.h"
#include "solve/joint_posture.h"

#include <math.h>
#include <string.h>

// ---- where the joints are

// Of the degrees of freedom of a joint: errors of its locks, in the axes that their forces have, and changes since the step
// began.
typedef struct joint_places {
    float errors[6], changes[6];
} joint_places;

static joint_places find_places(const cn_solve_input *input, const cn_found_joint *found, float ahead)
{
    const cn_solver_joint *joint = found->joint;
    joint_places p = { { 0.0f }, { 0.0f } };
    cn_joint_change(input, found, ahead, p.changes);
    for (int d = 0; d < 6; d++)
        p.errors[d] = joint->place[d / 3][d % 3] + p.changes[d];
    if (joint->joint_class != CN_CLASS_BALL)
        return p;
    cn_solver_joint then = cn_joint_moved(input, found, ahead);
    cn_vec3 x = cn_row3(then.axes[0]), y = cn_row3(then.axes[1]);
    cn_mat3 frame = { x, y, cn_cross(x, y) };
    cn_vec3 error = cn_mat3_mul(&frame, cn_row3(p.errors));
    p.errors[0] = error.x, p.errors[1] = error.y, p.errors[2] = error.z;
    return p;
}

static double place_of(const cn_joint_coordinate *c, const joint_places *p)
{
    if (c->row == NULL)
        return (double)p->errors[c->dof];
    if (c->found->joint->joint_class == CN_CLASS_COUPLING)
        return (double)(c->row->place + p->changes[0]);
    float place = c->row->place;
    for (int d = 0; d < 6; d++)
        place += c->row->axis[d] * p->changes[d];
    return (double)place;
}

// Places of now, and how much further they would be after the (sub)step than their speeds say: bodies turn along arcs.
static void update_places(cn_unit_model *model)
{
    const cn_found_joint *known = NULL;
    joint_places now = { { 0.0f }, { 0.0f } }, then = now;
    float sees = (float)model->timing.sees, h = model->timing.judged ? 0.0f : (float)model->h;
    for (int i = 0; i < model->coordinate_count; i++) {
        cn_joint_coordinate *c = &model->coordinates[i];
        if (c->found != known) {
            known = c->found;
            now = find_places(model->input, known, sees);
            then = find_places(model->input, known, sees + h);
        }
        if (c->torque != NULL) {
            cn_vec3 error = cn_torque_at(model->input, known, c->torque, sees).error;
            const double *axis = c->jacobian[1] + 3;
            c->place = axis[0] * (double)error.x + axis[1] * (double)error.y + axis[2] * (double)error.z;
            continue;
        }
        c->place = place_of(c, &now);
        c->drift = place_of(c, &then) - c->place - (double)h * cn_coordinate_speed(model, c);
    }
}

// ---- the problem

int cn_joint_most_rows(const cn_solver_joint *joint)
{
    int rows = joint->row_count;
    for (int dof = 0; dof < 6; dof++)
        rows += joint->locked >> dof & 1;
    for (int i = 0; joint->torques != NULL && i < CN_TORQUE_COUNT; i++)
        rows += joint->torques[i].most > 0.0f ? 3 : 0;
    return rows;
}

// The softness of a row of the problem, and its scale: so that its diagonal is that of a rigid row. One that moves nothing has
// a diagonal all the same, and no velocity: it carries nothing.
static double soften(const cn_unit_model *model, cn_joint_coordinate *c)
{
    if (c->mass > 0.0) {
        double softness = cn_coordinate_law_of(model, c).softness;
        c->scale = c->length / sqrt(1.0 + softness * c->mass);
        return c->scale * c->scale * softness;
    }
    const cn_body_mass *masses = model->input->masses;
    double some = (double)masses[c->found->a].inverse_mass + (double)masses[c->found->b].inverse_mass;
    c->scale = c->length;
    return some > 0.0 ? some : 1.0;
}

// A block of the coordinates that come next in the model's list.
static void add_block(cn_unit_model *model, int rows)
{
    cn_joint_coordinate *c = model->coordinates + model->coordinate_count;
    const int bodies[2] = { model->body_of[c->found->a], model->body_of[c->found->b] };
    cn_block_def def = cn_block_def_default(c->row == NULL && c->torque == NULL ? CN_BLOCK_EQUALITY : CN_BLOCK_BOUNDED);
    def.rows = rows;
    for (int i = 0; i < rows; i++)
        def.softness[i] = soften(model, &c[i]);
    for (int s = 0; s < 2; s++) {
        if (bodies[s] < 0)
            continue;
        cn_side *side = &def.sides[def.side_count++];
        side->body = bodies[s];
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < 6; k++)
                side->jacobian[i][k] = c[i].scale * c[i].jacobian[s][k];
    }
    int block = cn_problem_add_block(model->problem, &def);
    if (block < 0)
        return;
    model->sources[block] = (cn_block_source){ .role = CN_ROLE_JOINT };
    model->coordinate_count += rows;
}

static void average(float *a, const float *b)
{
    for (int k = 0; k < 3; k++)
        a[k] = 0.5f * (a[k] + b[k]);
}

// The joint as its impulses act on it: at one time, or halfway between two.
static cn_solver_joint acting_joint(const cn_unit_model *model, const cn_found_joint *found)
{
    const cn_joint_timing *t = &model->timing;
    cn_solver_joint joint = cn_joint_moved(model->input, found, (float)t->acts);
    if (t->acts == t->acts_until)
        return joint;
    cn_solver_joint last = cn_joint_moved(model->input, found, (float)t->acts_until);
    average(joint.gap, last.gap);
    average(joint.arm_a, last.arm_a);
    average(joint.arm_b, last.arm_b);
    average(joint.axes[0], last.axes[0]);
    average(joint.axes[1], last.axes[1]);
    return joint;
}

static void add_joint(cn_unit_model *model, const cn_found_joint *found)
{
    cn_solver_joint joint = acting_joint(model, found);
    const cn_joint_coordinate *locks = model->coordinates + model->coordinate_count;
    for (int part = 0; part < 2; part++) {
        int rows = 0;
        for (int dof = 3 * part; dof < 3 * part + 3; dof++)
            if (joint.locked >> dof & 1)
                model->coordinates[model->coordinate_count + rows++] = cn_coordinate_create(model, found, &joint, NULL, dof);
        if (rows > 0)
            add_block(model, rows);
    }
    int lock_count = (int)(model->coordinates + model->coordinate_count - locks);
    for (int i = 0; i < joint.row_count; i++) {
        cn_joint_coordinate *c = &model->coordinates[model->coordinate_count];
        *c = cn_coordinate_create(model, found, &joint, &joint.rows[i], joint.rows[i].dof);
        if (c->mass > 0.0)
            cn_coordinate_hold(model, c, locks, lock_count);
        add_block(model, 1);
    }
    for (int i = 0; joint.torques != NULL && i < CN_TORQUE_COUNT; i++) {
        cn_joint_coordinate *c = &model->coordinates[model->coordinate_count];
        if (!(joint.torques[i].most > 0.0f))
            continue;
        cn_torque_coordinates(model, found, &joint, &joint.torques[i], c);
        for (int k = 0; k < 3; k++) {
            if (c[k].mass > 0.0)
                cn_coordinate_hold(model, &c[k], locks, lock_count);
            add_block(model, 1);
        }
    }
}

void cn_joint_model_add(cn_unit_model *model)
{
    int most = 0;
    for (int i = 0; i < model->unit->joint_count; i++)
        most += cn_joint_most_rows(model->input->joints[model->unit->first_joint + i].joint);
    model->coordinates = cn_arena_array(model->arena, cn_joint_coordinate, most);
    model->coordinate_count = 0;
    model->first_joint_row = model->problem->row_count;
    for (int i = 0; i < model->unit->joint_count; i++)
        add_joint(model, &model->input->joints[model->unit->first_joint + i]);
}

static void set_row(cn_problem *p, int row, const cn_joint_coordinate *c, double speed, const cn_coordinate_law *law)
{
    p->q[row] = c->scale * (speed + law->bias);
    p->lower[row] = law->lower / c->scale;
    p->upper[row] = law->upper / c->scale;
}

void cn_joint_model_refresh(cn_unit_model *model)
{
    update_places(model);
    for (int i = 0; i < model->coordinate_count; i++) {
        const cn_joint_coordinate *c = &model->coordinates[i];
        cn_coordinate_law law = { 0 };
        if (c->mass > 0.0)
            law = cn_coordinate_law_of(model, c);
        set_row(model->problem, model->first_joint_row + i, c, cn_coordinate_speed(model, c), &law);
    }
}

bool cn_joint_model_nudge(cn_unit_model *model, cn_problem *normals)
{
    bool errs = false;
    int first = normals != NULL ? normals->row_count - model->coordinate_count : 0; // joints come last
    update_places(model);
    for (int i = 0; i < model->coordinate_count; i++) {
        const cn_joint_coordinate *c = &model->coordinates[i];
        cn_coordinate_law law = { 0 };
        if (c->mass > 0.0)
            law = cn_coordinate_nudge(model, c, &errs);
        if (normals != NULL)
            set_row(normals, first + i, c, 0.0, &law);
    }
    return errs;
}

// ---- impulses in and out

static double torque_along(const cn_joint_coordinate *c)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += c->jacobian[1][3 + k] * (double)c->torque->force[k];
    return sum;
}

void cn_joint_model_load(cn_unit_model *model)
{
    for (int i = 0; i < model->coordinate_count; i++) {
        const cn_joint_coordinate *c = &model->coordinates[i];
        double force = c->torque != NULL ? torque_along(c) : (double)*c->force;
        model->r[model->first_joint_row + i] = c->mass > 0.0 ? model->h * force / c->scale : 0.0;
    }
}

// The wrench that b feels at the origin of its frame.
static void add_total(const cn_joint_coordinate *c, double impulse)
{
    float(*total)[4] = c->found->joint->total;
    const double *n = c->jacobian[1], *turn = c->jacobian[1] + 3;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        total[0][k] += (float)(impulse * n[k]);
        total[1][k] += (float)(impulse * (turn[k] - ((double)c->arm[i] * n[j] - (double)c->arm[j] * n[i])));
    }
}

// The three parts of a torque, cut off at its bound; the impulses of the problem follow.
static void store_torque(const cn_unit_model *model, const cn_joint_coordinate *c, double *r)
{
    double impulses[3], square = 0.0, most = model->h * (double)c->torque->most;
    for (int k = 0; k < 3; k++) {
        impulses[k] = r[k] * c[k].scale;
        square += impulses[k] * impulses[k];
    }
    double part = square > most * most ? most / sqrt(square) : 1.0;
    memset(c->torque->force, 0, sizeof c->torque->force);
    for (int k = 0; k < 3; k++) {
        r[k] *= part;
        for (int i = 0; i < 3; i++) {
            double along = part * impulses[k] * c[k].jacobian[1][3 + i];
            c->torque->force[i] += (float)(along / model->h);
            c->torque->total[i] += (float)along;
        }
        add_total(&c[k], part * impulses[k]);
    }
}

void cn_joint_model_store(cn_unit_model *model)
{
    for (int i = 0; i < model->coordinate_count; i++) {
        const cn_joint_coordinate *c = &model->coordinates[i];
        if (c->torque != NULL) {
            store_torque(model, c, model->r + model->first_joint_row + i);
            i += 2;
            continue;
        }
        double impulse = model->r[model->first_joint_row + i] * c->scale;
        *c->force = (float)(impulse / model->h);
        if (c->row != NULL)
            c->row->total += (float)impulse;
        if (c->found->joint->joint_class == CN_CLASS_COUPLING)
            c->found->joint->total[0][0] += (float)impulse;
        else
            add_total(c, impulse);
    }
}
