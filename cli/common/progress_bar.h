/* A progress bar on stderr, for long work on a terminal. */
#ifndef LS_PROGRESS_BAR_H
#define LS_PROGRESS_BAR_H

/* Shows the bar in place of the previous one: `done` is the fraction from 0 to 1, `words` come
 * after it. ls_progress_bar_clear() removes the bar. */
void ls_progress_bar_show(double done, const char *words);
void ls_progress_bar_clear(void);

#endif
