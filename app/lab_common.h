// What the subcommands of `cairn lab` share: problems from files and from scenes, lists of solvers, the options of a solve.
#ifndef CAIRN_APP_LAB_COMMON_H
#define CAIRN_APP_LAB_COMMON_H

#include "cairn/lab.h"
#include "cairn/problem_file.h"
#include "json_scene.h"
#include "output.h"

// ---- Scenes (lab_scenes.c)

// The named scenes, and small ones for the laboratory behind them. NULL past the end.
const cn_scene *cn_lab_scene_at(int index);
const char *cn_lab_scene_name(int index);
// As cn_scene_open, of all of them. Let go of it with cn_scene_close.
const cn_scene *cn_lab_scene_open(const char *command, const char *name, cn_settings *settings);
// The step of a scene that is captured unless told otherwise.
int cn_lab_scene_step(const cn_scene *scene);

// ---- Problems

typedef struct cn_lab_case {
    const char *name; // of the file or the scene, as it was given
    int step;         // of the scene; 0 for a file
    cn_problem *problem;
    cn_problem_info info;
} cn_lab_case;

// A problem from a file: FCLIB's HDF5 or text. False with the reason in `error`.
bool cn_lab_read(cn_lab_case *c, const char *path, cn_problem_kind kind, cn_message *error);
// The contact problem of one step of a scene, its first step being 1.
bool cn_lab_capture(cn_lab_case *c, const cn_scene *scene, const cn_settings *settings, int step, cn_message *error);
// Either of them, a scene where a name is both; step 0 takes the scene's own. False after one line on standard error.
bool cn_lab_open(cn_lab_case *c, const char *command, const char *name, int step);
void cn_lab_close(cn_lab_case *c);
int cn_lab_contacts(const cn_problem *problem); // its blocks that are contacts, not joints
// Fills `error` with the library's reason, after the name of what it is about unless that is empty. Answers false.
bool cn_lab_fail(cn_message *error, const char *name);
// The name without the folders before it.
const char *cn_lab_base_name(const char *path);
// "tower20, step 60: 80 contacts, 240 rows".
void cn_lab_describe(const cn_lab_case *c, char *text, size_t size);

// The part of the problem that hangs together by moving bodies; number 0 has the most blocks. NULL when there are no more of
// them.
cn_problem *cn_lab_island(const cn_problem *problem, int number); // lab_island.c

// A bar where standard error is a terminal, else a line every few seconds, "cairn lab jitter: pgs: 240 of 600 steps", so that
// nothing runs for minutes without a word. `watch` begins as zero.
typedef struct cn_lab_watch {
    double last_ms;
} cn_lab_watch;

void cn_lab_progress(cn_lab_watch *watch, const char *command, const char *what, int done, int total);

// ---- Lists on the command line

enum { CN_LAB_LIST = 64 };

// Words separated by commas, each found in the list; "all" is all of it. Answers their number, 0 after one line on standard
// error.
int cn_lab_words(const char *command, const char *what, const char *text, cn_word_list list, int indices[CN_LAB_LIST]);
// Whole numbers above 0, separated by commas and growing. Likewise.
int cn_lab_counts(const char *command, const char *option, const char *text, int numbers[CN_LAB_LIST]);

// ---- Solves

typedef struct cn_lab_choice {
    cn_lab_options options;
    int law, order, local; // go into the options when those are asked for
} cn_lab_choice;

#define CN_LAB_CHOICE_OPTIONS 10

cn_lab_choice cn_lab_choice_default(void);
// Fills CN_LAB_CHOICE_OPTIONS options that write into `choice`.
void cn_lab_choice_options(cn_lab_choice *choice, cn_option *options);
cn_lab_options cn_lab_chosen(const cn_lab_choice *choice);

// A solve from the impulses in r. What it refused is in `reason`, which is empty otherwise.
cn_lab_report cn_lab_try(cn_lab_case *c, int solver, const cn_lab_options *options, double *r, cn_message *reason);
// Room for the impulses of a problem, zero. NULL when memory is out.
double *cn_lab_impulses(const cn_problem *problem);

// A new object with file (or scene and step), kind, contacts, rows, solver, law, converged, stop, iterations, products,
// residual and the other measures of cn_residual, ms, and the reason of a refusal.
json_t *cn_lab_report_json(const cn_lab_case *c, int solver, cn_law law, const cn_lab_report *report, const cn_message *reason);

#endif
