// Motion with a closed form, through the public API alone.
#include "scene.h"

static const double g = 10.0;
static const double degree = 0.017453292519943295;

// ---- free flight

static void a_projectile_follows_the_parabola(void **state)
{
    (void)state;
    const int rates[] = { 4, 10, 30, 60, 144, 240 };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        cn_world_def def = cn_world_def_default();
        cn_world *world = open_world(&def);
        cn_shape_def ball = solid_def(cn_sphere(0.5f), 0.6f, 0.0f), box = solid_def(cn_box(0.5f, 0.3f, 0.2f), 0.6f, 0.0f);
        cn_body_id dropped = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 100.0, 0.0), &ball);
        cn_body_id thrown = add_upright(world, CN_DYNAMIC, cn_p3(50.0, 100.0, 0.0), &box);
        set_motion(world, thrown, cn_v3(3.0f, 7.0f, -2.0f), cn_v3(1.0f, -2.0f, 3.0f));
        advance_by(world, rates[i], 1.0f / (float)rates[i]);
        cn_pos3 a = cn_body_get_center(world, dropped), b = cn_body_get_center(world, thrown);
        assert_near(a.y, 100.0 - 0.5 * g, 1e-5);
        assert_near(b.x, 53.0, 1e-5);
        assert_near(b.y, 107.0 - 0.5 * g, 3e-5); // thousands of additions to a velocity of 7 m/s round off
        assert_near(b.z, -2.0, 1e-5);
        assert_near(cn_body_get_linear_velocity(world, dropped).y, -g, 1e-4); // 240 roundings of at most half a millionth
        cn_world_destroy(world);
    }
}

static void a_constant_force_accelerates(void **state)
{
    (void)state;
    cn_world_def def = weightless();
    cn_world *world = open_world(&def);
    cn_shape_def ball = solid_def(cn_sphere(0.5f), 0.6f, 0.0f);
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &ball);
    cn_mass mass = cn_body_get_mass(world, body);
    for (int i = 0; i < 60; i++) {
        cn_body_apply_force(world, body, cn_v3(6.0f * mass.mass, 0.0f, 0.0f));
        cn_body_apply_torque(world, body, cn_v3(0.0f, 2.0f * mass.inertia.yy, 0.0f));
        advance(world, 1);
    }
    assert_relative(cn_body_get_center(world, body).x, 3.0, 1e-5);
    assert_relative(cn_body_get_linear_velocity(world, body).x, 6.0, 1e-5);
    assert_relative(cn_body_get_angular_velocity(world, body).y, 2.0, 1e-5);
    cn_world_destroy(world);
}

static void damping_decays_like_the_exponential(void **state)
{
    (void)state;
    const double rates[] = { 0.1, 1.0, 2.0 };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        cn_world_def def = weightless();
        cn_world *world = open_world(&def);
        cn_shape_def ball = solid_def(cn_sphere(0.5f), 0.6f, 0.0f);
        cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &ball);
        cn_body_set_linear_damping(world, body, (float)rates[i]);
        cn_body_set_angular_damping(world, body, (float)rates[i]);
        set_motion(world, body, cn_v3(3.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 5.0f));
        advance(world, 60);
        assert_relative(cn_body_get_linear_velocity(world, body).x, 3.0 * exp(-rates[i]), 0.01);
        assert_relative(cn_body_get_angular_velocity(world, body).z, 5.0 * exp(-rates[i]), 0.01);
        assert_relative(cn_body_get_center(world, body).x, 3.0 / rates[i] * (1.0 - exp(-rates[i])), 0.01);
        cn_world_destroy(world);
    }
}

// ---- rotation without torque

static void tumbling_keeps_energy_and_momentum(void **state)
{
    (void)state;
    static const cn_vec3 spins[] = {
        { 0.05f, 8.0f, 0.05f }, { 3.0f, 2.0f, -5.0f }, { 20.0f, 1.0f, 0.0f }, { 0.3f, 0.2f, 0.1f }
    };
    for (size_t i = 0; i < sizeof spins / sizeof *spins; i++) {
        cn_world_def def = weightless();
        cn_world *world = open_world(&def);
        cn_shape_def box = solid_def(cn_box(0.6f, 0.4f, 0.2f), 0.6f, 0.0f);
        cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &box);
        set_motion(world, body, cn_v3(0.0f, 0.0f, 0.0f), spins[i]);
        cn_energy start = cn_world_get_energy(world);
        const double zero[3] = { 0.0, 0.0, 0.0 };
        for (int k = 0; k < 20 * 60; k++) {
            advance(world, 1);
            cn_energy now = cn_world_get_energy(world);
            assert_relative(now.kinetic, start.kinetic, 1e-4);
            assert_below(distance3(now.angular_momentum, start.angular_momentum),
                         1e-4 * distance3(start.angular_momentum, zero));
        }
        cn_world_destroy(world);
    }
}

// Euler's equations in the body's frame, integrated in double by the classical Runge-Kutta method.
static void euler_rate(const double inertia[3], const double w[3], double rate[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        rate[i] = (inertia[j] - inertia[k]) / inertia[i] * w[j] * w[k];
    }
}

static void runge_kutta(const double inertia[3], double w[3], double h)
{
    double k[4][3], at[3];
    const double ahead[4] = { 0.0, 0.5, 0.5, 1.0 };
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 3; i++)
            at[i] = w[i] + (stage > 0 ? ahead[stage] * h * k[stage - 1][i] : 0.0);
        euler_rate(inertia, at, k[stage]);
    }
    for (int i = 0; i < 3; i++)
        w[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

// Turning about its middle axis, a body flips over at even intervals. They depend on the logarithm of how far off that axis it
// turns, so that must stand well above rounding.
static void the_middle_axis_flips_when_it_should(void **state)
{
    (void)state;
    enum { FLIPS = 5 };
    cn_world_def def = weightless();
    cn_world *world = open_world(&def);
    cn_shape_def box = solid_def(cn_box(0.6f, 0.4f, 0.2f), 0.6f, 0.0f);
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &box);
    set_motion(world, body, cn_v3(0.0f, 0.0f, 0.0f), cn_v3(0.1f, 8.0f, 0.1f));
    cn_sym3 tensor = cn_body_get_mass(world, body).inertia;
    const double inertia[3] = { (double)tensor.xx, (double)tensor.yy, (double)tensor.zz };

    double expected[FLIPS], w[3] = { (double)0.1f, 8.0, (double)0.1f };
    for (int i = 0, flips = 0; flips < FLIPS; i++) {
        double before = w[1];
        runge_kutta(inertia, w, 1e-4);
        if (before * w[1] <= 0.0)
            expected[flips++] = 1e-4 * (i + before / (before - w[1]));
    }
    double last = 8.0;
    int flips = 0;
    for (int i = 0; i < 60 * 60 && flips < FLIPS; i++) {
        advance(world, 1);
        cn_vec3 spin = cn_body_get_angular_velocity(world, body);
        double now = (double)cn_rotate(cn_quat_conj(cn_body_get_transform(world, body).rotation), spin).y;
        if (last * now <= 0.0) {
            double time = (double)tick * (i + last / (last - now));
            assert_relative(time, expected[flips], 0.01);
            flips++;
        }
        last = now;
    }
    assert_int_equal(flips, FLIPS);
    cn_world_destroy(world);
}

// ---- collisions

static cn_body_id add_ball(cn_world *world, double x, float density, float e, float speed)
{
    cn_shape_def ball = solid_def(cn_sphere(0.5f), 0.0f, e);
    ball.density = density;
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(x, 0.0, 0.0), &ball);
    set_motion(world, body, cn_v3(speed, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    return body;
}

static void two_balls_share_their_momentum(void **state)
{
    (void)state;
    const double ratios[] = { 0.001, 0.1, 1.0, 10.0, 1000.0 }, restitutions[] = { 0.0, 0.5, 1.0 };
    for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
        for (size_t k = 0; k < sizeof restitutions / sizeof *restitutions; k++) {
            const double m1 = ratios[r], m2 = 1.0, u1 = 3.0, u2 = -1.0, e = restitutions[k];
            cn_world_def def = weightless();
            cn_world *world = open_world(&def);
            cn_body_id a = add_ball(world, 0.0, (float)(1000.0 * m1), (float)e, (float)u1);
            cn_body_id b = add_ball(world, 1.737, 1000.0f, (float)e, (float)u2);
            advance(world, 30);
            double mean = (m1 * u1 + m2 * u2) / (m1 + m2), v1 = mean - m2 * e * (u1 - u2) / (m1 + m2);
            double v2 = mean + m1 * e * (u1 - u2) / (m1 + m2);
            assert_near(cn_body_get_linear_velocity(world, a).x, v1, 0.01 * (u1 - u2));
            assert_near(cn_body_get_linear_velocity(world, b).x, v2, 0.01 * (u1 - u2));
            cn_world_destroy(world);
        }
    }
}

// Balls in a row with gaps between them: the last one leaves with the speed of the first.
static void a_row_of_balls_hands_the_speed_on(void **state)
{
    (void)state;
    cn_world_def def = weightless();
    cn_world *world = open_world(&def);
    cn_body_id balls[5];
    for (int i = 0; i < 5; i++)
        balls[i] = add_ball(world, 1.1 * i, 1000.0f, 1.0f, i == 0 ? 4.0f : 0.0f);
    advance(world, 60);
    for (int i = 0; i < 5; i++)
        assert_near(cn_body_get_linear_velocity(world, balls[i]).x, i == 4 ? 4.0 : 0.0, 0.04);
    cn_world_destroy(world);
}

// Where in a step the impact falls changes what a coarse integrator makes of it, so several heights are tried.
static void a_ball_bounces_to_the_square_of_restitution(void **state)
{
    (void)state;
    const double restitutions[] = { 0.3, 0.5, 0.8, 1.0 };
    for (size_t k = 0; k < sizeof restitutions / sizeof *restitutions; k++) {
        for (int drop = 0; drop < 6; drop++) {
            double e = restitutions[k], height = 1.0 + 0.23 * drop;
            cn_world_def def = restless();
            cn_world *world = open_world(&def);
            add_ground(world, 0.6f, 0.0f);
            cn_shape_def ball = solid_def(cn_sphere(0.5f), 0.6f, (float)e);
            cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5 + height, 0.0), &ball);
            double speed = -1.0;
            for (int i = 0; i < 60 && speed <= 0.0; i++) {
                advance(world, 1);
                speed = (double)cn_body_get_linear_velocity(world, body).y;
            }
            double rises = cn_body_get_center(world, body).y - 0.5 + speed * speed / (2.0 * g);
            assert_relative(rises, e * e * height, 0.01);
            cn_world_destroy(world);
        }
    }
}

// ---- slopes

// A static slab that rises along x by `angle`, through the origin; and where a body of that half height starts on it.
static cn_pos3 add_slope(cn_world *world, double angle, float friction, double half_height)
{
    cn_shape_def slab = solid_def(cn_box(100.0f, 1.0f, 100.0f), friction, 0.0f);
    double up_x = -sin(angle), up_y = cos(angle);
    add_body(world, CN_STATIC, cn_p3(-up_x, -up_y, 0.0), turn_about(cn_v3(0.0f, 0.0f, 1.0f), angle), &slab);
    return cn_p3(half_height * up_x, half_height * up_y, 0.0);
}

// Downhill acceleration, from the speeds after half a second and one and a half.
static double measure_acceleration(cn_world *world, cn_body_id body, double angle)
{
    double speed[2];
    for (int i = 0; i < 2; i++) {
        advance(world, i == 0 ? 30 : 60);
        cn_vec3 v = cn_body_get_linear_velocity(world, body);
        speed[i] = -(double)v.x * cos(angle) - (double)v.y * sin(angle);
    }
    return speed[1] - speed[0];
}

static void a_box_slides_down_a_slope(void **state)
{
    (void)state;
    for (int model = 0; model < CN_FRICTION_MODEL_COUNT; model++) {
        cn_world_def def = restless();
        def.friction_model = (cn_friction_model)model;
        cn_world *world = open_world(&def);
        double angle = 30.0 * degree, mu = 0.3;
        cn_shape_def box = solid_def(cn_box(0.5f, 0.2f, 0.5f), (float)mu, 0.0f);
        cn_pos3 start = add_slope(world, angle, (float)mu, 0.2);
        cn_body_id body = add_body(world, CN_DYNAMIC, start, turn_about(cn_v3(0.0f, 0.0f, 1.0f), angle), &box);
        assert_relative(measure_acceleration(world, body, angle), g * (sin(angle) - mu * cos(angle)), 0.01);
        cn_world_destroy(world);
    }
}

static void round_bodies_roll_down_a_slope(void **state)
{
    (void)state;
    const cn_geometry forms[2] = { cn_sphere(0.5f), cn_cylinder(0.5f, 0.5f) };
    const double share[2] = { 5.0 / 7.0, 2.0 / 3.0 }; // m r^2 / (m r^2 + I)
    for (int model = 0; model < CN_FRICTION_MODEL_COUNT; model++) {
        for (int i = 0; i < 2; i++) {
            cn_world_def def = restless();
            def.friction_model = (cn_friction_model)model;
            cn_world *world = open_world(&def);
            double angle = 20.0 * degree;
            cn_shape_def shape = solid_def(forms[i], 1.0f, 0.0f);
            cn_pos3 start = add_slope(world, angle, 1.0f, 0.5);
            cn_body_id body = add_body(world, CN_DYNAMIC, start, turn_about(cn_v3(1.0f, 0.0f, 0.0f), 90.0 * degree), &shape);
            double acceleration = measure_acceleration(world, body, angle);
            print_message("rolling, %s, friction model %d: %.4f m/s^2, expected %.4f\n", i == 0 ? "sphere" : "cylinder", model,
                          acceleration, share[i] * g * sin(angle));
            assert_relative(acceleration, share[i] * g * sin(angle), 0.01);
            cn_world_destroy(world);
        }
    }
}

// ---- stacks

static void each_contact_of_a_stack_carries_what_is_above(void **state)
{
    (void)state;
    enum { HEIGHT = 10 };
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    cn_shape_def box = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    cn_body_id stack[HEIGHT];
    for (int i = 0; i < HEIGHT; i++)
        stack[i] = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5 + i, 0.0), &box);
    advance(world, 300);
    double weight = g * (double)cn_body_get_mass(world, stack[0]).mass;
    for (int i = 0; i < HEIGHT; i++) {
        cn_contact_data contacts[4];
        int count = cn_body_get_contacts(world, stack[i], contacts, 4);
        assert_int_equal(count, i < HEIGHT - 1 ? 2 : 1);
        double up = 0.0, down = 0.0; // impulse from below, and from above
        for (int k = 0; k < count; k++) {
            cn_body_id of_b = cn_shape_get_body(world, contacts[k].shape_b);
            double toward = (double)contacts[k].normal.y * (CN_ID_EQUALS(of_b, stack[i]) ? 1.0 : -1.0);
            double sum = 0.0;
            for (int p = 0; p < contacts[k].point_count; p++)
                sum += (double)contacts[k].points[p].normal_impulse;
            *(toward > 0.0 ? &up : &down) += sum;
        }
        assert_relative(up, (HEIGHT - i) * weight * (double)tick, 0.001);
        assert_near(down, (HEIGHT - 1 - i) * weight * (double)tick, 0.001 * (HEIGHT - i) * weight * (double)tick);
    }
    cn_world_destroy(world);
}

static void a_light_box_carries_a_heavy_one(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    cn_shape_def box = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 0.0), &box);
    box.density *= 1000.0f;
    cn_body_id heavy = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 1.5, 0.0), &box);
    double deepest = 0.0;
    for (int i = 0; i < 600; i++) {
        advance(world, 1);
        deepest = fmax(deepest, i > 60 ? cn_world_get_max_penetration(world) : 0.0);
    }
    print_message("1000 : 1, overlap %.5f m\n", deepest);
    assert_below(deepest, 0.02);
    assert_near(cn_body_get_center(world, heavy).y, 1.5, 0.04);
    cn_world_destroy(world);
}

static void a_tower_of_40_stands(void **state)
{
    (void)state;
    enum { HEIGHT = 40 };
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    cn_shape_def box = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    cn_body_id stack[HEIGHT];
    for (int i = 0; i < HEIGHT; i++)
        stack[i] = add_upright(world, CN_DYNAMIC, cn_p3(0.01 * (i % 3 - 1), 0.5 + i, 0.01 * (i % 2)), &box);
    advance(world, 600);
    for (int i = 0; i < HEIGHT; i++) {
        cn_pos3 place = cn_body_get_center(world, stack[i]);
        assert_near(place.y, 0.5 + i, 0.1); // it sags by a few millimetres per contact at most
        assert_near(place.x, 0.01 * (i % 3 - 1), 0.05);
        assert_near(place.z, 0.01 * (i % 2), 0.05);
    }
    cn_world_destroy(world);
}

// ---- invariance

static void a_cloud_keeps_its_momentum(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) { // elastic and smooth, then sticky and rough
        cn_world_def def = weightless();
        def.restitution_speed = 0.0f;
        cn_world *world = open_world(&def);
        double total = 0.0;
        for (int i = 0; i < 125; i++) {
            cn_shape_def shape = solid_def(i % 2 == 0 ? cn_sphere(0.5f) : cn_box(0.4f, 0.3f, 0.35f), kind == 0 ? 0.0f : 0.6f,
                                           kind == 0 ? 1.0f : 0.0f);
            int x = i % 5 - 2, y = i / 5 % 5 - 2, z = i / 25 - 2;
            cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(1.3 * x, 1.3 * y, 1.3 * z), &shape);
            cn_vec3 v = { (float)(-2 * x) + 0.3f * (float)(i % 7), (float)-y - 0.2f * (float)(i % 3), (float)-z };
            set_motion(world, body, v, cn_v3(0.5f * (float)(i % 4), 1.0f, -0.7f));
            total += (double)(cn_body_get_mass(world, body).mass * cn_length(v));
        }
        cn_energy start = cn_world_get_energy(world);
        advance(world, 180);
        cn_energy end = cn_world_get_energy(world);
        double drift = distance3(start.linear_momentum, end.linear_momentum) / total;
        print_message("momentum drift of a cloud %.2g, energy ratio %.4f\n", drift, end.kinetic / start.kinetic);
        assert_below(drift, 1e-6);
        assert_true(end.kinetic <= start.kinetic * 1.001);
        cn_world_destroy(world);
    }
}

// Two boxes that meet off centre in free space, or one that falls onto another on the ground.
static cn_vec3 relative_motion(cn_pos3 origin, bool falls, cn_quat *turn)
{
    cn_world_def def = falls ? restless() : weightless();
    cn_world *world = open_world(&def);
    cn_shape_def slab = solid_def(cn_box(20.0f, 1.0f, 20.0f), 0.6f, 0.0f),
                 box = solid_def(cn_box(0.5f, 0.4f, 0.3f), 0.6f, 0.2f);
    if (falls)
        add_upright(world, CN_STATIC, cn_p3(origin.x, origin.y - 1.4, origin.z), &slab);
    cn_body_id a = add_upright(world, CN_DYNAMIC, origin, &box);
    cn_vec3 apart = falls ? cn_v3(0.125f, 1.0f, 0.0625f) : cn_v3(1.75f, 0.25f, 0.125f);
    cn_body_id b = add_upright(world, CN_DYNAMIC, cn_pos_add(origin, apart), &box);
    if (!falls)
        set_motion(world, b, cn_v3(-3.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.5f, 0.0f));
    advance(world, 60);
    cn_vec3 now = cn_pos_sub(cn_body_get_center(world, b), cn_body_get_center(world, a));
    *turn = cn_body_get_transform(world, b).rotation;
    cn_world_destroy(world);
    return now;
}

static void motion_is_the_same_far_away(void **state)
{
    (void)state;
    for (int falls = 0; falls < 2; falls++) {
        cn_quat turn_near, turn_far;
        cn_vec3 near_origin = relative_motion(cn_p3(0.0, 0.0, 0.0), falls != 0, &turn_near);
        cn_vec3 far_away = relative_motion(cn_p3(1e6, -1e6, 1e6), falls != 0, &turn_far);
        assert_below(cn_distance(far_away, near_origin), 1e-4);
        assert_near(turn_far.x, turn_near.x, 1e-4);
        assert_near(turn_far.y, turn_near.y, 1e-4);
        assert_near(turn_far.z, turn_near.z, 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_projectile_follows_the_parabola),
        cmocka_unit_test(a_constant_force_accelerates),
        cmocka_unit_test(damping_decays_like_the_exponential),
        cmocka_unit_test(tumbling_keeps_energy_and_momentum),
        cmocka_unit_test(the_middle_axis_flips_when_it_should),
        cmocka_unit_test(two_balls_share_their_momentum),
        cmocka_unit_test(a_row_of_balls_hands_the_speed_on),
        cmocka_unit_test(a_ball_bounces_to_the_square_of_restitution),
        cmocka_unit_test(a_box_slides_down_a_slope),
        cmocka_unit_test(round_bodies_roll_down_a_slope),
        cmocka_unit_test(each_contact_of_a_stack_carries_what_is_above),
        cmocka_unit_test(a_light_box_carries_a_heavy_one),
        cmocka_unit_test(a_tower_of_40_stands),
        cmocka_unit_test(a_cloud_keeps_its_momentum),
        cmocka_unit_test(motion_is_the_same_far_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
