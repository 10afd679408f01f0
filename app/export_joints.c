#include "export_joints.h"

#include "cairn/joint.h"

#include <stdlib.h>

static void write_floats(FILE *file, const float *values, int count)
{
    for (int i = 0; i < count; ++i)
        fprintf(file, " %.9g", (double)values[i]);
}

static void write_place(FILE *file, cn_pos3 place) { fprintf(file, " %.17g %.17g %.17g", place.x, place.y, place.z); }

static void write_frame(FILE *file, cn_transform frame)
{
    write_place(file, frame.position);
    write_floats(file, (float[]){ frame.rotation.x, frame.rotation.y, frame.rotation.z, frame.rotation.w }, 4);
}

static const char *const motors[CN_MOTOR_MODE_COUNT] = { "off", "speed", "place" };

static bool is_plainly_free(const cn_joint_axis *axis)
{
    return axis->freedom == CN_FREE && axis->motor == CN_MOTOR_OFF && axis->spring_stiffness == 0.0f &&
           axis->spring_damping == 0.0f && axis->friction == 0.0f;
}

static void write_axis(FILE *file, int dof, const cn_joint_axis *axis)
{
    static const char *const dofs[CN_DOF_COUNT] = { "x", "y", "z", "twist", "swing_y", "swing_z" };
    static const char *const freedoms[CN_FREEDOM_COUNT] = { "free", "locked", "limited" };
    fprintf(file, "axis %s %s", dofs[dof], freedoms[axis->freedom]);
    write_floats(file, (float[]){ axis->lower, axis->upper, axis->hertz, axis->damping_ratio }, 4);
    write_floats(file, (float[]){ axis->spring_stiffness, axis->spring_damping, axis->spring_rest }, 3);
    fprintf(file, " %s", motors[axis->motor]);
    write_floats(file, (float[]){ axis->motor_target, axis->motor_max_force, axis->motor_hertz, axis->motor_damping_ratio }, 4);
    write_floats(file, &axis->friction, 1);
    fputc('\n', file);
}

static void write_ball(FILE *file, const cn_joint_ball *ball)
{
    cn_vec3 v = ball->motor_velocity;
    cn_quat q = ball->motor_rotation;
    fprintf(file, "ball %s", motors[ball->motor]);
    write_floats(file, (float[]){ v.x, v.y, v.z, q.x, q.y, q.z, q.w }, 7);
    write_floats(file, (float[]){ ball->motor_max_torque, ball->motor_hertz, ball->motor_damping_ratio, ball->friction }, 4);
    fputc('\n', file);
}

static bool write_joint(FILE *file, const cn_joint_def *def, const cn_body_numbers *numbers)
{
    int a = cn_body_number(numbers, def->body_a), b = cn_body_number(numbers, def->body_b);
    if (a == CN_BODY_UNLISTED || b == CN_BODY_UNLISTED)
        return false;
    fprintf(file, "joint %s %d %d", cn_joint_kind_name(def->kind), a, b);
    write_frame(file, def->frame_a);
    write_frame(file, def->frame_b);
    fprintf(file, " %d %d", def->cone, def->collide);
    write_floats(file, &def->ratio, 1);
    write_place(file, def->ground_a);
    write_place(file, def->ground_b);
    fputc('\n', file);
    int count = def->kind == CN_JOINT_FRAMES ? CN_DOF_COUNT : 1;
    for (int dof = 0; dof < count; ++dof) {
        if (!is_plainly_free(&def->axes[dof]))
            write_axis(file, dof, &def->axes[dof]);
    }
    if (def->kind == CN_JOINT_FRAMES && (def->ball.motor != CN_MOTOR_OFF || def->ball.friction > 0.0f))
        write_ball(file, &def->ball);
    return true;
}

bool cn_export_joints(FILE *file, const cn_build *build, cn_message *error)
{
    int count = cn_world_get_joint_count(build->world);
    cn_body_numbers numbers;
    cn_joint_id *joints = calloc((size_t)count + 1, sizeof *joints);
    bool written = cn_body_numbers_open(&numbers, build) && joints != NULL;
    if (written)
        cn_world_get_joints(build->world, joints, count);
    else
        cn_message_set(error, "out of memory for %d joints", count);
    for (int i = 0; written && i < count; ++i) {
        cn_joint_def def = cn_joint_get_def(build->world, joints[i]);
        written = write_joint(file, &def, &numbers);
        if (!written)
            cn_message_set(error, "joint %d holds a body that is not among the bodies of the scene", i);
    }
    free(joints);
    cn_body_numbers_free(&numbers);
    return written;
}
