// Commands that end in order when a signal asks them to.
#ifndef CAIRN_APP_INTERRUPT_H
#define CAIRN_APP_INTERRUPT_H

#include <stdbool.h>

// What a command answers that an interrupt has cut short: main() then ends as the signal would have ended it, which is how a
// shell knows that its loops and scripts are to end as well.
enum { CN_STATUS_INTERRUPTED = 130 };

// From now on SIGINT, SIGTERM and SIGHUP only make cn_interrupted() true. The second one ends the program at once.
void cn_interrupt_catch(void);
bool cn_interrupted(void);
// Ends the program by the signal that came.
void cn_interrupt_end(void);

#endif
