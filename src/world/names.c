// Names of solvers, stages and joints, and help for a name that is nearly right.
#include "world/world.h"

#include <stdio.h>
#include <string.h>

static int solver_count(void)
{
    int count = 0;
    while (cn_solvers[count].name != NULL)
        count++;
    return count;
}

const char *cn_solver_name(int index) { return index >= 0 && index < solver_count() ? cn_solvers[index].name : NULL; }

const char *cn_solver_summary(int index)
{
    return index >= 0 && index < solver_count() ? cn_describe_solver(&cn_solvers[index]) : NULL;
}

const char *cn_stage_name(cn_stage stage)
{
    static const char *const names[CN_STAGE_COUNT] = { "pairs", "collide", "islands", "solve", "store", "sleep" };
    if ((unsigned)stage < CN_STAGE_COUNT)
        return names[stage];
    cn_fail("%s: stage is %d; there are %d stages", __func__, (int)stage, (int)CN_STAGE_COUNT);
    return "";
}

const char *cn_joint_kind_name(int kind)
{
    static const char *const names[CN_JOINT_KIND_COUNT] = { "frames", "distance", "pulley", "gear", "rack" };
    return kind >= 0 && kind < CN_JOINT_KIND_COUNT ? names[kind] : NULL;
}

// How many letters must be changed, added or left out to get from one word to the other (Levenshtein).
static int edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 31 };
    int row[LONGEST + 1];
    int n = (int)strlen(b);
    if (n > LONGEST)
        return n;
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 0; a[i] != '\0' && i < LONGEST; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 1; j <= n; j++) {
            int change = diagonal + (a[i] != b[j - 1]);
            diagonal = row[j];
            int skip = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            row[j] = change < skip ? change : skip;
        }
    }
    return row[n];
}

const cn_solver *cn_check_solver(const char *function, const char *field, const char *name)
{
    const cn_solver *solver = name != NULL ? cn_find_solver(name) : NULL;
    if (solver != NULL)
        return solver;
    char list[512] = "", hint[96] = "";
    int nearest = 4; // further off is another word, not a slip
    for (const cn_solver *s = cn_solvers; s->name != NULL; s++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s\"%s\"", used > 0 ? ", " : "", s->name);
        if (name != NULL && edit_distance(name, s->name) < nearest) {
            nearest = edit_distance(name, s->name);
            snprintf(hint, sizeof hint, "; did you mean \"%s\"?", s->name);
        }
    }
    if (name == NULL)
        cn_fail("%s: %s is NULL; the solvers are %s", function, field, list);
    else
        cn_fail("%s: %s is \"%.64s\"; the solvers are %s%s", function, field, name, list, hint);
    return NULL;
}
