// Commands that wait, and end in order when a signal asks them to.
#ifndef CAIRN_APP_INTERRUPT_H
#define CAIRN_APP_INTERRUPT_H

#include <stdbool.h>

// From now on SIGINT, SIGTERM and SIGHUP only make cn_interrupted() true, and a closed pipe is an error like others.
void cn_interrupt_catch(void);
bool cn_interrupted(void);

#endif
