// Lemke's pivoting on the contact problem posed as a linear complementarity problem (lcp.c); contacts island by island. A
// problem without contacts is taken whole, scaled by powers of two alone, so that its pivots are those of the textbooks.
#include "base/error.h"
#include "lab/islands.h"
#include "lab/lcp.h"

enum { MOST_UNKNOWNS = 3000 };

// False when the run is over. Adds the pivots.
static bool solve_part(cn_lab_run *run, cn_arena *arena, const cn_problem *p, double *r, int *pivots)
{
    cn_lcp *lcp = cn_lcp_create(run, arena, p, MOST_UNKNOWNS);
    if (lcp == NULL)
        return false;
    int n = cn_lcp_size(lcp), count = 0;
    double *z = cn_arena_array(arena, double, n);
    cn_lcp_end end =
        cn_lcp_lemke(run, arena, n, cn_lcp_matrix(lcp), cn_lcp_q(lcp), run->options.max_iterations - *pivots, z, &count);
    *pivots += count;
    bool pairs = cn_lcp_bounded(lcp) < n;
    if (end == CN_LCP_RAY && pairs &&
        cn_lcp_enumerate(run, arena, n, cn_lcp_bounded(lcp), cn_lcp_matrix(lcp), cn_lcp_q(lcp), z))
        end = CN_LCP_SOLVED;
    cn_lcp_impulses(lcp, arena, z, r);
    if (end == CN_LCP_TIME)
        run->stop = CN_STOP_TIME;
    if (end == CN_LCP_RAY) {
        cn_fail("cn_lab_solve: lemke ended on a ray after %d pivots: there is no solution, or none that it can reach", *pivots);
        run->stop = CN_STOP_RAY;
    }
    return end == CN_LCP_SOLVED;
}

static bool has_contacts(const cn_problem *p)
{
    for (int i = 0; i < p->block_count; i++)
        if (p->blocks[i].kind == CN_BLOCK_CONTACT)
            return true;
    return false;
}

void cn_lab_lemke(cn_lab_run *run)
{
    const cn_problem *p = run->problem;
    double *r = cn_lab_vector(run), *part = cn_lab_vector(run);
    int pivots = 0;
    bool solved = true;
    cn_arena arena;
    cn_arena_init(&arena, run->arena->allocator);
    run->stop = CN_STOP_LIMIT;
    if (has_contacts(p)) {
        cn_islands all = cn_islands_create(run->arena, p);
        for (int i = 0; solved && i < all.count; i++) {
            cn_arena_reset(&arena);
            solved = solve_part(run, &arena, &all.islands[i].problem, part, &pivots);
            cn_island_scatter(&all.islands[i], p, part, r);
        }
    } else {
        solved = solve_part(run, &arena, p, r, &pivots);
    }
    cn_arena_free(&arena);
    cn_lab_stop stop = run->stop;
    if (stop == CN_STOP_REFUSED)
        return;
    run->iterations += pivots - (pivots > 0); // the check counts one
    bool done = cn_lab_check(run, r);
    if (stop == CN_STOP_RAY || stop == CN_STOP_TIME)
        run->stop = stop;
    else if (!done)
        run->stop = CN_STOP_STALLED; // solved, but the pyramid is not the cone
}
