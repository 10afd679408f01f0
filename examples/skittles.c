// Skittles: tapered capsules, many shapes at once, a pair that does not collide, largest speeds, and a speed below which a body
// sleeps.
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>

enum { SKITTLES = 9 };

static cn_body_id add_skittle(cn_world *world, double x, double z)
{
    cn_body_def body = cn_body_def_default();
    body.position = (cn_pos3){ x, 0.35, z };
    body.sleep_speed = 0.2f; // m/s; the others of this world go to sleep below 0.05
    cn_body_id skittle = cn_body_create(world, &body);
    cn_shape_def parts[2] = { cn_shape_def_default(), cn_shape_def_default() };
    parts[0].geometry = cn_tapered_capsule(0.22f, 0.13f, 0.06f); // half the distance of the two balls, lower and upper radius
    parts[1].geometry = cn_cylinder(0.03f, 0.11f);
    parts[1].offset.position.y = -0.32f;
    cn_shape_create_many(world, skittle, parts, 2, NULL); // its mass is computed once
    return skittle;
}

int main(void)
{
    cn_world_def settings = cn_world_def_default();
    settings.capacity = (cn_capacity){ .bodies = 16, .shapes = 32, .contacts = 100 }; // no step needs memory then
    cn_world *world = cn_world_create(&settings);

    cn_body_def body = cn_body_def_default();
    body.type = CN_STATIC;
    body.position.y = -0.5;
    cn_body_id lane = cn_body_create(world, &body);
    cn_shape_def shape = cn_shape_def_default();
    shape.geometry = cn_box(20.0f, 0.5f, 3.0f);
    cn_shape_create(world, lane, &shape);

    cn_body_id skittles[SKITTLES];
    for (int i = 0; i < SKITTLES; i++)
        skittles[i] = add_skittle(world, 0.6 * (i % 3), 0.32 * (i / 3 - 1));

    body = cn_body_def_default();
    body.position = (cn_pos3){ -4.0, 0.25, 0.0 };
    body.linear_velocity = (cn_vec3){ 30.0f, 0.0f, 0.0f };
    body.max_linear_speed = 8.0f; // whatever throws it
    cn_body_id ball = cn_body_create(world, &body);
    shape.geometry = cn_sphere(0.25f);
    shape.density = 3000.0f;
    cn_shape_create(world, ball, &shape);
    cn_body_set_collide(world, ball, skittles[3], false); // it passes the one in front

    float fastest = 0.0f;
    for (int step = 0; step < 300; step++) {
        cn_world_step(world, 1.0f / 60.0f);
        cn_vec3 v = cn_body_get_linear_velocity(world, ball);
        fastest = fmaxf(fastest, sqrtf(v.x * v.x + v.y * v.y + v.z * v.z));
    }
    int fallen = 0;
    for (int i = 0; i < SKITTLES; i++) {
        cn_quat q = cn_body_get_transform(world, skittles[i]).rotation;
        fallen += 1.0f - 2.0f * (q.x * q.x + q.z * q.z) < 0.7f; // how upright it is
    }
    cn_pos3 passed = cn_body_get_center(world, skittles[3]);
    printf("%d of %d skittles fell; the one in front stands at (%.2f, %.2f); the ball was never faster than %.2f m/s\n", fallen,
           SKITTLES, passed.x, passed.z, (double)fastest);
    cn_world_destroy(world);
    return fallen >= 2 && fallen < SKITTLES && fastest <= 8.001f ? 0 : 1;
}
