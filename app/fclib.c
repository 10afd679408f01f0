#define _POSIX_C_SOURCE 200809L // fork, setrlimit, mkstemp

#include "fclib.h"

#include "base/error.h"
#include "process.h"
#include "whole_file.h"

#include <errno.h>
#include <stdio.h>
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

// ---- The program beside this one that knows HDF5

enum { MOST_SECONDS = 20, STATUS_FAILED = 1, STATUS_NOT_STARTED = 127 };
static const rlim_t most_memory = 2000000000; // bytes

// The limits hold for what is started, not for us.
static _Noreturn void become(char *const *arguments, FILE *in, FILE *out, FILE *complaints)
{
    setrlimit(RLIMIT_CPU, &(struct rlimit){ MOST_SECONDS, MOST_SECONDS });
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
#if !defined(__SANITIZE_ADDRESS__) // which maps more than there is
    setrlimit(RLIMIT_AS, &(struct rlimit){ most_memory, most_memory });
#endif
    if ((!in || dup2(fileno(in), 0) >= 0) && dup2(fileno(out), 1) >= 0 && dup2(fileno(complaints), 2) >= 0)
        execv(arguments[0], arguments);
    _exit(STATUS_NOT_STARTED);
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

static bool judge(const char *path, int status, FILE *complaints)
{
    size_t length = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    char *reason = load(complaints, &length);
    if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_FAILED && length > 0)
        cn_fail("%s: %s", path, reason);
    else if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_STARTED)
        cn_fail("%s: cairn-fclib could not be started", path);
    else
        cn_fail("%s: the file is damaged: the HDF5 library failed on it", path);
    free(reason);
    return false;
}

// Runs `cairn-fclib WORD PATH`. False, with cn_last_error(), when it fails or is not there.
static bool run(const char *word, const char *path, FILE *in, FILE *out)
{
    char program[CN_PROCESS_PATH], folder[CN_PROCESS_PATH - 16];
    if (!cn_program_folder(folder, sizeof folder))
        return cn_fail("%s: the program cannot tell where it is, nor where cairn-fclib is", path);
    snprintf(program, sizeof program, "%s/cairn-fclib", folder);
    if (access(program, X_OK) != 0)
        return cn_fail("%s: this program was built without HDF5", path);
    char verb[8], *name = strdup(path), *arguments[] = { program, verb, name, NULL };
    snprintf(verb, sizeof verb, "%s", word);
    FILE *complaints = tmpfile();
    fflush(NULL); // nothing is to be written twice
    pid_t child = name && out && complaints ? fork() : -1;
    if (child == 0)
        become(arguments, in, out, complaints);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    bool good = child > 0 ? judge(path, status, complaints) : cn_fail("%s: %s", path, strerror(errno));
    if (complaints)
        fclose(complaints);
    free(name);
    return good;
}

// ---- Reading and writing

// The text is ours, so its lines mean nothing to the user.
static void fail_without_line(const char *path)
{
    char reason[512];
    const char *line = strstr(cn_last_error(), "line "), *colon = line ? strstr(line, ": ") : NULL;
    snprintf(reason, sizeof reason, "%s", colon ? colon + 2 : cn_last_error());
    cn_fail("%s: %s", path, reason);
}

cn_problem *cn_fclib_read(const char *path, cn_problem_info *info)
{
    FILE *out = tmpfile();
    size_t length = 0;
    cn_problem *problem = NULL;
    if (run("read", path, NULL, out)) {
        char *text = load(out, &length);
        problem = text ? cn_problem_parse(text, length, CN_PROBLEM_ANY, NULL, info) : NULL;
        if (!text)
            cn_fail("%s: %s", path, strerror(errno));
        else if (!problem)
            fail_without_line(path);
        free(text);
    }
    if (out)
        fclose(out);
    return problem;
}

bool cn_fclib_write(const char *path, const cn_problem *problem)
{
    char text_path[CN_PROCESS_PATH];
    cn_temporary_template(text_path, sizeof text_path, "problem");
    int descriptor = mkstemp(text_path);
    if (descriptor < 0)
        return cn_fail("%s: %s: %s", path, text_path, strerror(errno));
    close(descriptor);
    FILE *text = NULL, *out = tmpfile();
    bool good = cn_problem_write(text_path, problem, CN_PROBLEM_ANY) && (text = fopen(text_path, "rb")) &&
                run("write", path, text, out);
    if (text)
        fclose(text);
    if (out)
        fclose(out);
    unlink(text_path);
    return good;
}
