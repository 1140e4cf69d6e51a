/* A progress bar on stderr, for long work on a terminal. */
#ifndef LS_PROGRESS_BAR_H
#define LS_PROGRESS_BAR_H

#include <stdbool.h>
#include <stdint.h>

/* Shows the bar in place of the previous one: `done` is the fraction from 0 to 1, `words` come
 * after it. ls_progress_bar_clear() removes the bar. */
void ls_progress_bar_show(double done, const char *words);
void ls_progress_bar_clear(void);

/* The bar of work that simulates ticks, or writes bytes: shown after a second, and only if stderr
 * is a terminal. */
typedef struct ls_tick_progress {
    uint64_t start_ns, due_ns; /* due_ns: of the next bar; 0: none */
    uint64_t first;            /* tick of the first call */
    bool is_begun, is_shown;
    bool counts_bytes; /* the "ticks" are bytes */
} ls_tick_progress;

void ls_tick_progress_begin(ls_tick_progress *progress);
/* Begins the bar of work that writes bytes and has written none yet. */
void ls_byte_progress_begin(ls_tick_progress *progress);
/* `tick` is done, `last` is the last one. A `last` of 0 stands for an unknown number of bytes. */
void ls_tick_progress_show(ls_tick_progress *progress, uint64_t tick, uint64_t last);
/* Removes the bar. */
void ls_tick_progress_end(ls_tick_progress *progress);

#endif
