#include "cairn/world.h"
#include "commands.h"
#include "options.h"
#include "output.h"

#include <stdio.h>
#include <string.h>

int cn_command_solvers(int argc, char **argv)
{
    bool json = false;
    const cn_option options[] = {
        { "json", CN_OPTION_FLAG, &json, NULL, 0, 0, NULL, "Print one JSON object per solver, each on its own line." },
    };
    const cn_usage usage = { "solvers",
                             "",
                             0,
                             "Lists the solvers that --solver takes, and what each one is good at.",
                             "  cairn solvers\n  cairn quality jitter --solver pgs\n",
                             options,
                             1 };
    int operand_count;
    cn_parse parse = cn_options_parse(&usage, argc, argv, NULL, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    const char *standard = cn_world_def_default().solver;
    for (int i = 0; cn_solver_name(i); ++i) {
        bool is_default = standard && strcmp(standard, cn_solver_name(i)) == 0;
        if (json)
            cn_json_print(json_pack("{s:s, s:s, s:b}", "solver", cn_solver_name(i), "summary", cn_solver_summary(i), "default",
                                    is_default));
        else
            printf("%-17s %s%s\n", cn_solver_name(i), cn_solver_summary(i), is_default ? " (default)" : "");
    }
    return 0;
}
