// What the driver asks of an engine.
#pragma once

#include "scene.h"

#include <memory>

// Velocities in the world's axes.
struct Motion {
    Pose pose;
    Vec linear, angular;
};

class Engine
{
  public:
    virtual ~Engine() = default;
    virtual const char *name() const = 0;
    virtual void step(double dt) = 0;
    // Largest overlap of the engine's own contact points, found anew where the bodies are now; 0 when nothing overlaps.
    virtual double max_penetration() = 0;
    // Of a dynamic body of the scene.
    virtual Motion motion(int index) const = 0;
    // Whether anything is hit between two places: through the world, and straight through the mesh of the first body. Engines
    // without either answer no.
    virtual bool cast_ray(Vec, Vec) { return false; }
    virtual bool cast_ray_at_mesh(Vec, Vec) { return false; }
};

std::unique_ptr<Engine> make_engine(const Scene &scene);
