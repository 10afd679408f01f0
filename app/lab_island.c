// The islands of a contact problem: blocks that hang together by bodies that move.
#include "lab_common.h"

#include <stdlib.h>

typedef struct islands {
    int *parent; // of each body, in a forest of sets
    int *blocks; // how many blocks each root has
    int *first;  // the first of them
} islands;

static bool moves(const cn_model_body *body)
{
    for (int i = 0; i < 36; ++i)
        if (body->inverse_mass[i / 6][i % 6] != 0.0)
            return true;
    return false;
}

static int root_of(const islands *s, int body)
{
    while (s->parent[body] != body)
        body = s->parent[body] = s->parent[s->parent[body]];
    return body;
}

// The root of the bodies that a block moves; -1 when there is none.
static int root_of_block(const cn_problem *p, const islands *s, const cn_block *block)
{
    for (int i = 0; i < block->side_count; ++i) {
        int body = p->sides[block->first_side + i].body;
        if (moves(&p->bodies[body]))
            return root_of(s, body);
    }
    return -1;
}

static void join_bodies(const cn_problem *p, islands *s)
{
    for (int i = 0; i < p->body_count; ++i) {
        s->parent[i] = i;
        s->first[i] = p->block_count;
    }
    for (int i = 0; i < p->block_count; ++i) {
        int root = root_of_block(p, s, &p->blocks[i]);
        for (int k = 0; root >= 0 && k < p->blocks[i].side_count; ++k) {
            int body = p->sides[p->blocks[i].first_side + k].body;
            if (moves(&p->bodies[body]))
                s->parent[root_of(s, body)] = root;
        }
    }
    for (int i = p->block_count - 1; i >= 0; --i) {
        int root = root_of_block(p, s, &p->blocks[i]);
        if (root >= 0) {
            ++s->blocks[root];
            s->first[root] = i;
        }
    }
}

// The root with the most blocks after `number` larger ones; the one that comes first in the problem where several are equal.
static int pick(const cn_problem *p, islands *s, int number)
{
    int best = -1;
    for (int k = 0; k <= number; ++k) {
        best = -1;
        for (int i = 0; i < p->body_count; ++i) {
            bool larger =
                best < 0 || s->blocks[i] > s->blocks[best] || (s->blocks[i] == s->blocks[best] && s->first[i] < s->first[best]);
            if (s->blocks[i] > 0 && larger)
                best = i;
        }
        if (best < 0)
            return -1;
        if (k < number)
            s->blocks[best] = 0;
    }
    return best;
}

static cn_block_def block_def(const cn_problem *p, const cn_block *block, const int *renumbered)
{
    cn_block_def def = cn_block_def_default(block->kind);
    def.rows = block->rows;
    def.friction = block->friction;
    def.frozen = block->frozen;
    def.side_count = block->side_count;
    for (int row = 0; row < block->rows; ++row) {
        int at = block->first_row + row;
        def.bias[row] = p->q[at];
        def.softness[row] = p->softness[at];
        def.lower[row] = p->lower[at];
        def.upper[row] = p->upper[at];
    }
    for (int i = 0; i < block->side_count; ++i) {
        const cn_side *side = &p->sides[block->first_side + i];
        def.sides[i] = *side;
        def.sides[i].body = renumbered[side->body];
        for (int row = 0; row < block->rows; ++row)
            for (int k = 0; k < 6; ++k)
                def.bias[row] -= side->jacobian[row][k] * p->bodies[side->body].velocity[k];
    }
    return def;
}

static cn_problem *copy_part(const cn_problem *p, const islands *s, int root, int *renumbered)
{
    cn_problem *part = cn_problem_create(NULL);
    bool good = part != NULL;
    for (int i = 0; i < p->body_count; ++i)
        renumbered[i] = -1;
    for (int i = 0; i < p->block_count && good; ++i) {
        const cn_block *block = &p->blocks[i];
        if (root_of_block(p, s, block) != root)
            continue;
        for (int k = 0; k < block->side_count; ++k) {
            int body = p->sides[block->first_side + k].body;
            if (renumbered[body] < 0)
                renumbered[body] = cn_problem_add_body(part, &p->bodies[body]);
        }
        cn_block_def def = block_def(p, block, renumbered);
        good = cn_problem_add_block(part, &def) >= 0;
    }
    if (!good && part) {
        cn_problem_destroy(part);
        part = NULL;
    }
    return part;
}

cn_problem *cn_lab_island(const cn_problem *problem, int number)
{
    size_t count = (size_t)problem->body_count + 1;
    int *memory = calloc(4 * count, sizeof *memory);
    if (!memory)
        return NULL;
    islands s = { memory, memory + count, memory + 2 * count };
    join_bodies(problem, &s);
    int root = pick(problem, &s, number);
    cn_problem *part = root >= 0 ? copy_part(problem, &s, root, memory + 3 * count) : NULL;
    free(memory);
    return part;
}
