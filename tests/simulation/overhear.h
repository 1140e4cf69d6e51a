/* What the server says in its log about players whose worlds differ, told to them: they know. */
#ifndef LS_SIMULATION_OVERHEAR_H
#define LS_SIMULATION_OVERHEAR_H

/* A log of a server's config; `context` is its struct house. Each line enters the trace. */
void overhear(void *context, const char *line);

#endif
