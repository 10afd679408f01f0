#define _POSIX_C_SOURCE 200809L // sigaction

#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupted; // the signal; a handler can reach nothing else

static void note(int signal) { interrupted = signal; }

// What was ignored from the beginning stays so: that is how nohup and scripts in the background have it.
static void catch_one(int signal)
{
    struct sigaction before, action = { .sa_handler = note, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    if (sigaction(signal, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(signal, &action, NULL);
}

void cn_interrupt_catch(void)
{
    catch_one(SIGINT);
    catch_one(SIGTERM);
    catch_one(SIGHUP);
}

bool cn_interrupted(void) { return interrupted != 0; }

void cn_interrupt_end(void)
{
    signal(interrupted, SIG_DFL);
    raise(interrupted);
}
