// Every hull of the scenes must weigh in the peers what it weighs in Cairn, or they are not given the same scene.
// Usage: test_solid PROGRAM, the cairn program, which writes the scenes.
#include "solid.h"

#include <cairn/cairn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>

static std::string output_of(const std::string &command)
{
    std::string text;
    FILE *pipe = popen(command.c_str(), "r");
    char part[4096];
    for (size_t got; pipe && (got = fread(part, 1, sizeof part, pipe)) > 0;)
        text.append(part, got);
    return pipe && pclose(pipe) == 0 ? text : "";
}

// What Cairn makes of the points: mass at 1 kg/m^3, and the centre.
static double cairn_mass(cn_world *world, const std::vector<Vec> &points, Vec &center)
{
    std::vector<cn_vec3> vertices;
    for (Vec p : points)
        vertices.push_back({ (float)p.x, (float)p.y, (float)p.z });
    cn_body_def def = cn_body_def_default();
    def.type = CN_DYNAMIC;
    cn_body_id body = cn_body_create(world, &def);
    cn_shape_def shape = cn_shape_def_default();
    shape.density = 1.0f;
    shape.geometry = cn_hull(cn_hull_create(world, vertices.data(), (int)vertices.size()));
    cn_shape_create(world, body, &shape);
    cn_mass mass = cn_body_get_mass(world, body);
    center = { (double)mass.center.x, (double)mass.center.y, (double)mass.center.z };
    cn_body_destroy(world, body);
    return (double)mass.mass;
}

// On a closed surface every edge is walked once each way.
static bool is_closed(const Polyhedron &hull)
{
    std::set<std::pair<int, int>> edges;
    size_t corners = 0;
    for (const auto &face : hull.faces) {
        corners += face.size();
        for (size_t i = 0; i < face.size(); i++)
            edges.insert({ face[i], face[(i + 1) % face.size()] });
    }
    bool paired = std::all_of(edges.begin(), edges.end(), [&](auto e) { return edges.count({ e.second, e.first }) == 1; });
    return paired && edges.size() == corners && hull.vertices.size() + hull.faces.size() == corners / 2 + 2;
}

struct Worst {
    double mass = 0.0, center = 0.0;
    int count = 0, open = 0;
};

static void check_hull(cn_world *world, std::istringstream &line, Worst &worst)
{
    double skipped;
    int count = 0;
    for (int i = 0; i < 10; i++) // the frame, density, friction, restitution
        line >> skipped;
    line >> count;
    std::vector<Vec> points((size_t)count);
    double size = 0.0;
    for (Vec &p : points) {
        line >> p.x >> p.y >> p.z;
        size = std::max(size, std::sqrt(dot(p, p)));
    }
    Polyhedron hull = convex_hull(points);
    Moments ours = polyhedron_moments(hull, 1.0);
    Vec center;
    double mass = cairn_mass(world, points, center);
    Vec off = (1.0 / ours.mass) * ours.first - center;
    worst.mass = std::max(worst.mass, std::fabs(ours.mass / mass - 1.0));
    worst.center = std::max(worst.center, std::sqrt(dot(off, off)) / size);
    worst.open += !is_closed(hull);
    worst.count++;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    std::string program = argv[1], name, rest, text, word;
    cn_world_def def = cn_world_def_default();
    cn_world *world = cn_world_create(&def);
    int failed = 0, all = 0;
    std::istringstream scenes(output_of(program + " scenes"));
    std::getline(scenes, rest); // the heading
    while (scenes >> name && std::getline(scenes, rest)) {
        std::istringstream lines(output_of(program + " scenes " + name + " --export -"));
        std::set<std::string> seen;
        Worst worst;
        while (std::getline(lines, text)) {
            std::istringstream line(text);
            line >> word;
            if (word == "hull" && seen.insert(text).second)
                check_hull(world, line, worst);
        }
        if (worst.count > 0)
            printf("%-12s %5d hulls, mass off by %.2g, centre by %.2g of the size, %d not closed\n", name.c_str(), worst.count,
                   worst.mass, worst.center, worst.open);
        failed += worst.mass > 1e-5 || worst.center > 1e-5 || worst.open > 0;
        all += worst.count;
    }
    cn_world_destroy(world);
    return failed > 0 || all < 1000;
}
