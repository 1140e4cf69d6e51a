/* A bar on stderr, for what takes its time on a terminal. */
#ifndef LS_PROGRESS_BAR_H
#define LS_PROGRESS_BAR_H

/* Replaces the bar: the fraction done, 0 to 1, and words after it. `clear` removes it. */
void ls_progress_bar_show(double done, const char *words);
void ls_progress_bar_clear(void);

#endif
