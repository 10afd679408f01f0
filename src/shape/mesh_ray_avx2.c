// Rays against meshes for AVX2. This file is compiled with it switched on, and used where the machine has it.
#if defined(__AVX2__)
#include "shape/mesh_ray_kernel.h"

bool cn_mesh_ray_avx2(const cn_mesh *mesh, cn_vec3 origin, cn_vec3 translation, float limit, cn_mesh_ray_hit *hit)
{
    return cast_through_tree(mesh, origin, translation, limit, hit);
}
#else
typedef int cn_no_avx2; // a file may not be empty
#endif
