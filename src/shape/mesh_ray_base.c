// Rays against meshes for the instruction set every machine of the target has.
#include "shape/mesh_ray_kernel.h"

bool cn_mesh_ray_base(const cn_mesh *mesh, cn_vec3 origin, cn_vec3 translation, float limit, cn_mesh_ray_hit *hit)
{
    return cast_through_tree(mesh, origin, translation, limit, hit);
}
