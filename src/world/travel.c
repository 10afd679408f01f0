// How far bodies travel, so that most pairs that are near each other without touching need not be looked at: until their bodies have
// come far enough together to close the gap, nothing can have happened.
#include "world/world.h"

enum { BODIES_PER_TASK = 512 };

typedef struct travel_job {
    cn_world *world;
    float dt;
} travel_job;

// No point of a body moves by more than its centre does and by what turning adds at the largest distance from it.
static void measure(const cn_body *body, cn_place *place, cn_travel *travel, float dt)
{
    cn_pose from = { cn_v3(0.0f, 0.0f, 0.0f), place->rotation };
    cn_pose to = { cn_pos_sub(body->center, place->center), body->rotation };
    travel->total += (double)cn_pose_motion(&from, &to, body->extent);
    travel->stir = dt * (cn_length(body->linear_velocity) + cn_length(body->angular_velocity) * body->extent);
    *place = (cn_place){ body->center, body->rotation };
}

static void measure_range(void *context, int task)
{
    travel_job *job = context;
    cn_world *world = job->world;
    int begin = task * BODIES_PER_TASK, end = begin + BODIES_PER_TASK;
    for (int i = begin; i < end && i < world->awake.count; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        measure(body, &world->places.data[body->travel], &world->travels.data[body->travel], job->dt);
    }
}

// The number stays with the place of the body in the world, so that a body made there later takes it over.
void cn_travel_begin(cn_world *world, int body)
{
    cn_body *b = &world->bodies.data[body];
    if (world->travels.count == 0)
        cn_array_push(&world->allocator, &world->travels, (cn_travel){ .body = body });
    if (b->type == CN_STATIC || b->travel != 0)
        return;
    b->travel = world->travels.count;
    cn_array_push(&world->allocator, &world->travels, (cn_travel){ .body = body });
}

// Travel that was not measured in some steps is added later, which may be too much for limits set meanwhile, but never too little.
bool cn_measure_travel(cn_world *world, float dt)
{
    while (world->places.count < world->travels.count) {
        const cn_body *body = &world->bodies.data[world->travels.data[world->places.count].body];
        cn_array_push(&world->allocator, &world->places, (cn_place){ body->center, body->rotation });
    }
    if (world->apart_count < world->awake.count)
        return false;
    travel_job job = { world, dt };
    cn_tasks_run(world->tasks, measure_range, &job, (world->awake.count + BODIES_PER_TASK - 1) / BODIES_PER_TASK);
    return true;
}

void cn_contacts_look_again(cn_world *world, int body)
{
    for (int key = world->bodies.data[body].first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        if (contact->awake != CN_NONE)
            world->awake_contacts.data[contact->awake].limit = CN_LOOK_ALWAYS;
        key = contact->edges[key & 1].next;
    }
}
