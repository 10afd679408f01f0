#define _POSIX_C_SOURCE 200809L // fork, kill, nanosleep

#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { GRACE = 2000, GRACE_STEP = 20 }; // ms

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool cn_program_folder(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    if (length <= 0 || (size_t)length == size - 1)
        return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

bool cn_program_find(const char *name, char path[CN_PROCESS_PATH])
{
    if (strchr(name, '/')) {
        snprintf(path, CN_PROCESS_PATH, "%s", name);
        return is_program(path);
    }
    for (const char *folder = getenv("PATH"); folder;) {
        int length = (int)strcspn(folder, ":");
        snprintf(path, CN_PROCESS_PATH, "%.*s/%s", length, folder, name);
        if (length > 0 && is_program(path))
            return true;
        folder = folder[length] ? folder + length + 1 : NULL;
    }
    return false;
}

static void settle_in(const char *folder)
{
    setenv("TMPDIR", folder, 1);
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM); // nobody else would end it should we be killed
#endif
}

// In the new process: becomes the program, or ends with the status a shell uses for a program it cannot start.
static _Noreturn void become(char *const *arguments, const char *folder)
{
    char log[CN_PROCESS_PATH] = "/dev/null";
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    if (folder) {
        settle_in(folder);
        snprintf(log, sizeof log, "%s/" CN_PROCESS_LOG, folder);
    }
    int in = open("/dev/null", O_RDONLY), out = open(log, O_WRONLY | O_CREAT, 0600);
    if (in >= 0 && out >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0)
        execv(arguments[0], arguments);
    _exit(127);
}

pid_t cn_process_start(char *const *arguments, const char *folder)
{
    pid_t id = fork();
    if (id == 0)
        become(arguments, folder);
    if (id > 0)
        setpgid(id, id); // whoever of the two comes first
    return id;
}

bool cn_process_ended(pid_t id, int *status)
{
    int raw = 0;
    if (waitpid(id, &raw, WNOHANG) == 0)
        return false;
    *status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    return true;
}

void cn_process_stop(pid_t id)
{
    const struct timespec pause = { .tv_nsec = GRACE_STEP * 1000000L };
    int status;
    bool ended = cn_process_ended(id, &status);
    kill(-id, SIGTERM);
    for (int waited = 0; !ended && waited < GRACE; waited += GRACE_STEP) {
        nanosleep(&pause, NULL);
        ended = cn_process_ended(id, &status);
    }
    kill(-id, SIGKILL);
    if (!ended)
        waitpid(id, &status, 0);
}
