// Runs a scene in one engine, or casts rays into it as it is, and prints one JSON line.
// Usage: ENGINE SCENE_FILE [--steps N] [--name NAME] [--rays N] [--no-contacts]
#include "engine.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>

static double mean(const std::vector<double> &times, size_t first)
{
    first = std::min(first, times.size() - 1);
    return std::accumulate(times.begin() + (long)first, times.end(), 0.0) / (double)(times.size() - first);
}

static double median(std::vector<double> times)
{
    std::nth_element(times.begin(), times.begin() + (long)times.size() / 2, times.end());
    return times[times.size() / 2];
}

struct Energy {
    double kinetic, potential; // J
    double mass;               // kg
};

static Energy energy_of(const Scene &scene, const Engine &engine)
{
    Energy sum = {};
    for (size_t i = 0; i < scene.bodies.size(); i++) {
        const Body &body = scene.bodies[i];
        if (body.type != BodyType::Dynamic)
            continue;
        Motion motion = engine.motion((int)i);
        Vec own = rotate(conjugate(motion.pose.rotation), motion.angular);
        sum.kinetic += 0.5 * body.mass * dot(motion.linear, motion.linear);
        sum.kinetic += 0.5 * (body.moments.x * own.x * own.x + body.moments.y * own.y * own.y + body.moments.z * own.z * own.z);
        sum.potential -= body.mass * dot(scene.gravity, motion.pose.position);
        sum.mass += body.mass;
    }
    return sum;
}

// How far joints were off, the worst of all steps.
struct JointErrors {
    double gap = 0.0;     // m, of one joint
    double gap_sum = 0.0; // m, of all joints together
    double limit = 0.0;   // rad
};

static void add_errors(JointErrors &errors, const Scene &scene, const Engine &engine)
{
    auto pose_of = [&](int body) {
        if (body < 0)
            return Pose{};
        return scene.bodies[(size_t)body].type == BodyType::Static ? scene.bodies[(size_t)body].pose : engine.motion(body).pose;
    };
    double sum = 0.0;
    for (const Joint &joint : scene.joints) {
        Pose a = pose_of(joint.a), b = pose_of(joint.b);
        double gap = joint_gap(joint, a, b);
        errors.gap = std::max(errors.gap, gap);
        errors.limit = std::max(errors.limit, limit_passed(joint, a, b));
        sum += gap;
    }
    errors.gap_sum = std::max(errors.gap_sum, sum);
}

static void let_nothing_collide(Scene &scene)
{
    for (Body &body : scene.bodies)
        for (Shape &shape : body.shapes)
            shape.filter = { 0, 0, 0 };
}

static void run(const char *path, const char *scene_name, int steps, bool contacts)
{
    Scene scene = read_scene(path);
    if (steps > 0)
        scene.steps = steps;
    if (!contacts)
        let_nothing_collide(scene);
    std::unique_ptr<Engine> engine = make_engine(scene);
    std::vector<double> times;
    JointErrors errors;
    Energy before = energy_of(scene, *engine);
    for (int i = 0; i < scene.steps; i++) {
        auto start = std::chrono::steady_clock::now();
        engine->step(scene.dt);
        std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        if (i > 0 || scene.steps == 1)
            times.push_back(time.count());
        add_errors(errors, scene, *engine);
    }
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    size_t last = times.size() > 100 ? times.size() - 100 : 0;
    Energy end = energy_of(scene, *engine);
    std::printf("{\"engine\": \"%s\", \"version\": \"%s\", \"scene\": \"%s\", \"threads\": 1, \"steps\": %d, \"bodies\": %zu, "
                "\"ms_mean\": %.4f, \"ms_p50\": %.4f, \"ms_last\": %.4f, \"max_penetration\": %.6g, "
                "\"kinetic_energy_per_kg\": %.6g, \"peak_rss_mb\": %.1f",
                engine->name(), PEER_VERSION, scene_name, scene.steps, scene.bodies.size(), mean(times, 0), median(times),
                mean(times, last), engine->max_penetration(), end.mass > 0.0 ? end.kinetic / end.mass : 0.0,
                (double)usage.ru_maxrss / 1024.0);
    if (!scene.joints.empty()) {
        std::printf(", \"joints\": %zu, \"joint_gap\": %.6g, \"joint_gap_sum\": %.6g, \"limit_passed_deg\": %.4g, "
                    "\"energy_lost\": %.6g",
                    scene.joints.size(), errors.gap, errors.gap_sum, errors.limit * 180.0 / std::acos(-1.0),
                    before.kinetic + before.potential - end.kinetic - end.potential);
    }
    std::printf("}\n");
}

// The generator of app/random.c, and the rays of app/bench_rays.c.
static float next_range(uint64_t &state, float lower, float upper)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return lower + (float)(z >> 40) * 0x1p-24f * (upper - lower);
}

static std::vector<std::pair<Vec, Vec>> make_rays(int count)
{
    std::vector<std::pair<Vec, Vec>> rays;
    uint64_t state = 1;
    for (int i = 0; i < count; i++) {
        float from_x = next_range(state, -45, 45), from_z = next_range(state, -45, 45);
        float to_x = next_range(state, -50, 50), to_z = next_range(state, -50, 50);
        rays.push_back({ { from_x, 20, from_z }, { to_x, -2, to_z } });
    }
    return rays;
}

static void run_rays(const char *path, const char *scene_name, int count)
{
    std::unique_ptr<Engine> engine = make_engine(read_scene(path));
    std::vector<std::pair<Vec, Vec>> rays = make_rays(count);
    double best[2] = { 0.0, 0.0 };
    int hits[2] = { 0, 0 };
    for (int round = 0; round < 6; round++) {
        int way = round % 2;
        hits[way] = 0;
        auto start = std::chrono::steady_clock::now();
        for (const auto &ray : rays)
            hits[way] += way == 0 ? engine->cast_ray(ray.first, ray.second) : engine->cast_ray_at_mesh(ray.first, ray.second);
        std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        best[way] = std::max(best[way], count / time.count());
    }
    std::printf("{\"engine\": \"%s\", \"version\": \"%s\", \"scene\": \"%s\", \"rays\": %d, \"world_rays_per_second\": %.0f, "
                "\"mesh_rays_per_second\": %.0f, \"world_hits\": %d, \"mesh_hits\": %d}\n",
                engine->name(), PEER_VERSION, scene_name, count, best[0], best[1], hits[0], hits[1]);
}

int main(int argc, char **argv)
{
    int steps = 0, rays = 0;
    bool contacts = true;
    const char *path = nullptr, *name = nullptr;
    for (int i = 1; i < argc; i++) {
        if (std::strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = std::atoi(argv[++i]);
        else if (std::strcmp(argv[i], "--rays") == 0 && i + 1 < argc)
            rays = std::atoi(argv[++i]);
        else if (std::strcmp(argv[i], "--no-contacts") == 0)
            contacts = false;
        else if (std::strcmp(argv[i], "--name") == 0 && i + 1 < argc)
            name = argv[++i];
        else
            path = argv[i];
    }
    if (path == nullptr) {
        std::fprintf(stderr, "usage: %s SCENE_FILE [--steps N] [--name NAME] [--rays N] [--no-contacts]\n", argv[0]);
        return 2;
    }
    try {
        if (rays > 0)
            run_rays(path, name != nullptr ? name : path, rays);
        else
            run(path, name != nullptr ? name : path, steps, contacts);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    return 0;
}
