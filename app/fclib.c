#define _POSIX_C_SOURCE 200809L // fork, setrlimit

#include "fclib.h"

#include "base/error.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

bool cn_fclib_is(const char *path)
{
    static const unsigned char magic[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
    unsigned char bytes[8];
    FILE *file = fopen(path, "rb");
    bool same = file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes && memcmp(bytes, magic, sizeof magic) == 0;
    if (file)
        fclose(file);
    return same;
}

#ifdef CAIRN_HDF5

// On damaged files the HDF5 library can take all memory there is, or never come to an end. So another process opens them,
// within limits, and leaves either the problem as text or what is wrong.
enum { MOST_SECONDS = 20, STATUS_FAILED = 1 };
static const double most_memory = 1e9; // bytes, beyond what the process has when it starts

// Where the system says how much it has; elsewhere memory is not limited.
static void limit_memory(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages;
    if (file && fscanf(file, "%lu", &pages) == 1) {
        rlim_t most = (rlim_t)((double)pages * (double)sysconf(_SC_PAGESIZE) + most_memory);
        setrlimit(RLIMIT_AS, &(struct rlimit){ most, most });
    }
    if (file)
        fclose(file);
}

static _Noreturn void convert(const char *path, FILE *out)
{
    setrlimit(RLIMIT_CPU, &(struct rlimit){ MOST_SECONDS, MOST_SECONDS });
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    limit_memory();
    bool good = cn_fclib_to_text(path, out);
    if (!good) {
        rewind(out);
        fputs(cn_last_error(), out);
    }
    fflush(out);
    good = ftruncate(fileno(out), ftell(out)) == 0 && good && !ferror(out);
    _exit(good ? 0 : STATUS_FAILED);
}

// The whole of a file, from its start. Ends with a zero. NULL when memory or the disk fails.
static char *load(FILE *file, size_t *length)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (!text)
        return NULL;
    *length = fread(text, 1, (size_t)size, file);
    text[*length] = '\0';
    return text;
}

// The text is ours, so its lines mean nothing to the user.
static void fail_without_line(const char *path)
{
    char reason[512];
    const char *line = strstr(cn_last_error(), "line "), *colon = line ? strstr(line, ": ") : NULL;
    snprintf(reason, sizeof reason, "%s", colon ? colon + 2 : cn_last_error());
    cn_fail("%s: %s", path, reason);
}

static cn_problem *take(const char *path, int status, const char *text, size_t length, cn_problem_info *info)
{
    cn_problem *problem = NULL;
    if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_FAILED && length > 0)
        cn_fail("%s: %s", path, text);
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        cn_fail("%s: the file is damaged: the HDF5 library failed on it", path);
    else if (!(problem = cn_problem_parse(text, length, CN_PROBLEM_ANY, NULL, info)))
        fail_without_line(path);
    return problem;
}

cn_problem *cn_fclib_read(const char *path, cn_problem_info *info)
{
    FILE *file = tmpfile();
    fflush(NULL); // nothing is to be written twice
    pid_t child = file ? fork() : -1;
    if (child == 0)
        convert(path, file);
    cn_problem *problem = NULL;
    size_t length = 0;
    int status = 0;
    char *text = NULL;
    if (child > 0) {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        text = load(file, &length);
    }
    if (text)
        problem = take(path, status, text, length, info);
    else
        cn_fail("%s: %s", path, strerror(errno));
    free(text);
    if (file)
        fclose(file);
    return problem;
}

#else

cn_problem *cn_fclib_read(const char *path, cn_problem_info *info)
{
    (void)info;
    cn_fail("%s: this program was built without HDF5", path);
    return NULL;
}

bool cn_fclib_write(const char *path, const cn_problem *problem)
{
    (void)problem;
    return cn_fail("%s: this program was built without HDF5", path);
}

#endif
