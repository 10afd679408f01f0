#define _POSIX_C_SOURCE 200809L // fork, setrlimit

#include "helper.h"

#include "base/error.h"
#include "process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// The address sanitizer maps more memory than there is. gcc tells of it by a macro, clang by a feature.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNLIMITED_MEMORY
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define UNLIMITED_MEMORY
#endif

enum { STATUS_FAILED = 1, STATUS_NOT_STARTED = 127 };

// The limits hold for what is started, not for us.
static _Noreturn void become(const cn_helper *helper, char *const *arguments, FILE *in, FILE *out, FILE *complaints)
{
    setrlimit(RLIMIT_CPU, &(struct rlimit){ helper->most_seconds, helper->most_seconds });
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
#if !defined(UNLIMITED_MEMORY)
    setrlimit(RLIMIT_AS, &(struct rlimit){ helper->most_memory, helper->most_memory });
#endif
    if ((!in || dup2(fileno(in), 0) >= 0) && dup2(fileno(out), 1) >= 0 && dup2(fileno(complaints), 2) >= 0)
        execv(arguments[0], arguments);
    _exit(STATUS_NOT_STARTED);
}

char *cn_helper_load(FILE *file, size_t *length)
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

static bool judge(const cn_helper *helper, const char *path, int status, FILE *complaints)
{
    size_t length = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    char *reason = cn_helper_load(complaints, &length);
    if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_FAILED && length > 0)
        cn_fail("%s: %s", path, reason);
    else if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_STARTED)
        cn_fail("%s: %s could not be started", path, helper->program);
    else
        cn_fail("%s: %s", path, helper->damaged);
    free(reason);
    return false;
}

bool cn_helper_run(const cn_helper *helper, const char *word, const char *path, FILE *in, FILE *out)
{
    char program[CN_PROCESS_PATH], folder[CN_PROCESS_PATH - 16];
    if (!cn_program_folder(folder, sizeof folder))
        return cn_fail("%s: the program cannot tell where it is, nor where %s is", path, helper->program);
    snprintf(program, sizeof program, "%s/%.14s", folder, helper->program);
    if (access(program, X_OK) != 0)
        return cn_fail("%s: %s", path, helper->missing);
    char verb[24], *name = strdup(path), *arguments[] = { program, verb, name, NULL };
    snprintf(verb, sizeof verb, "%s", word);
    FILE *complaints = tmpfile();
    fflush(NULL); // nothing is to be written twice
    pid_t child = name && out && complaints ? fork() : -1;
    if (child == 0)
        become(helper, arguments, in, out, complaints);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    bool good = child > 0 ? judge(helper, path, status, complaints) : cn_fail("%s: %s", path, strerror(errno));
    if (complaints)
        fclose(complaints);
    free(name);
    return good;
}
