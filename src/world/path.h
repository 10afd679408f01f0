// Kinematic bodies on paths, and what pushes them.
#ifndef CN_PATH_INTERNAL_H
#define CN_PATH_INTERNAL_H

#include "cairn/path.h"

typedef enum cn_path_mode { CN_PATH_GOES, CN_PATH_GOES_BACK, CN_PATH_WAITS } cn_path_mode;

typedef struct cn_body_path {
    int body;
    cn_path_def def;       // its keys are the path's own
    double time;           // now, s
    double change;         // by how much that was to change in the last step, also while it stands
    double moved;          // by how much it did, not counting a jump from the end of a loop to its start
    double behind;         // blocked: by how much it is behind the place where it was stopped; negative: past it
    double go_back;        // s of the path that it has yet to go back
    float waited;          // s since it stands
    float pace;            // part of its speed that it goes with
    cn_vec3 way, turn;     // m and rad that go with the change
    cn_vec3 force, torque; // of what pushes it, a mean over the last steps
    uint8_t mode;
    bool blocked;
} cn_body_path;

cn_transform cn_path_place(const cn_path_def *def, double time); // path_place.c: for a time within the keys
void cn_path_remove(cn_world *world, int body);                  // path.c: if the body has one
void cn_paths_free(cn_world *world);
cn_path_state cn_path_get_state(const cn_body_path *path);
float cn_path_against(cn_vec3 push, cn_vec3 motion); // the part of the push that is against the motion, at least 0
void cn_follow_paths(cn_world *world, float dt);     // path_follow.c: as the step begins, velocities
void cn_watch_paths(cn_world *world, float dt);      // and as it ends, what blocks them

cn_push cn_push_on(const cn_world *world, int body, float dt); // push.c: in the last step, which took dt

#endif
