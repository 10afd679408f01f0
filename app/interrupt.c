#define _POSIX_C_SOURCE 200809L // sigaction

#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupted; // a signal handler can reach nothing else

static void note(int signal)
{
    (void)signal;
    interrupted = 1;
}

void cn_interrupt_catch(void)
{
    struct sigaction action = { .sa_handler = note };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

bool cn_interrupted(void) { return interrupted != 0; }
