// An arm of two links whose controller sets the place of both joints anew in every step, so that the hand draws a circle. The
// motors follow with the velocity that the places move at, and what they give is what the motion takes.
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>

static const double upper_length = 0.4, lower_length = 0.3, steps_per_turn = 120.0;

static cn_body_id add_link(cn_world *world, double x, double length)
{
    cn_body_def body = cn_body_def_default();
    body.position = (cn_pos3){ x, 0.0, 0.0 };
    cn_body_id link = cn_body_create(world, &body);
    cn_shape_def shape = cn_shape_def_default();
    shape.geometry = cn_box(0.5f * (float)length, 0.03f, 0.03f);
    shape.filter.mask = 0; // the links overlap at the elbow
    cn_shape_create(world, link, &shape);
    return link;
}

// The angles that take the hand to (x, y), by the law of cosines.
static void reach(double x, double y, double angles[2])
{
    double a = upper_length, b = lower_length, square = x * x + y * y;
    angles[1] = -acos((square - a * a - b * b) / (2.0 * a * b));
    angles[0] = atan2(y, x) - atan2(b * sin(angles[1]), a + b * cos(angles[1]));
}

static void place_on_circle(double turn, double *x, double *y)
{
    double angle = 6.283185307179586 * turn;
    *x = 0.45 + 0.1 * cos(angle);
    *y = 0.1 * sin(angle);
}

int main(void)
{
    cn_world_def settings = cn_world_def_default();
    cn_world *world = cn_world_create(&settings);
    const cn_body_id the_world = { 0 };
    const cn_vec3 axis = { 0.0f, 0.0f, 1.0f };
    cn_body_id upper = add_link(world, 0.5 * upper_length, upper_length);
    cn_body_id lower = add_link(world, upper_length + 0.5 * lower_length, lower_length);
    cn_joint_def shoulder = cn_hinge_joint(world, the_world, upper, (cn_pos3){ 0.0, 0.0, 0.0 }, axis);
    cn_joint_def elbow = cn_hinge_joint(world, upper, lower, (cn_pos3){ upper_length, 0.0, 0.0 }, axis);
    cn_joint_id joints[2] = { cn_joint_create(world, &shoulder), cn_joint_create(world, &elbow) };

    double worst = 0.0;
    for (int step = 0; step < 360; step++) {
        double x, y, angles[2];
        place_on_circle(step / steps_per_turn, &x, &y);
        reach(x, y, angles);
        for (int i = 0; i < 2; i++)
            if (!cn_joint_set_motor(world, joints[i], CN_TWIST, CN_MOTOR_PLACE, (float)angles[i], 100.0f)) {
                fprintf(stderr, "%s\n", cn_last_error());
                return 1;
            }
        cn_world_step(world, 1.0f / 60.0f);
        cn_transform at = cn_body_get_transform(world, lower);
        double angle = 2.0 * atan2((double)at.rotation.z, (double)at.rotation.w);
        double error =
            hypot(at.position.x + 0.5 * lower_length * cos(angle) - x, at.position.y + 0.5 * lower_length * sin(angle) - y);
        if (step >= 120 && error > worst) // the first turn begins with a jump from the straight arm
            worst = error;
        if (step % 60 == 59)
            printf("%.0f s: the hand is %.1f micrometres beside its place; the shoulder gives %.2f N m, the elbow %.2f\n",
                   (step + 1) / 60.0, 1e6 * error, (double)cn_joint_get_reaction(world, joints[0]).axis_force[CN_TWIST],
                   (double)cn_joint_get_reaction(world, joints[1]).axis_force[CN_TWIST]);
    }
    cn_world_destroy(world);
    return worst < 1e-5 ? 0 : 1;
}
