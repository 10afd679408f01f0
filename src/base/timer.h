// Wall-clock time in milliseconds, for reports only: no result may depend on it.
#ifndef CN_TIMER_H
#define CN_TIMER_H

double cn_now_ms(void);

#endif
