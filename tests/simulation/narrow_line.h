/* The end of the second phase: all clients share one narrow line. Each of them has to find out
 * alone how much it may send. After some seconds the queue must be short, and no client may have
 * lost its session or its world. */
#ifndef LS_SIMULATION_NARROW_LINE_H
#define LS_SIMULATION_NARROW_LINE_H

#include "run_internal.h"

/* Makes the lines one narrow line, if the plan has one. False if not. */
bool narrow_line_begin(struct run *self);
/* From now on no session and no world may be lost. Many clients on a line that is suddenly narrow
 * may have loaded the match again before. */
void narrow_line_settle(struct run *self);
/* Adds the present round trips to the means that narrow_line_judge() checks. */
void narrow_line_sample(struct run *self);
void narrow_line_judge(struct run *self);

#endif
