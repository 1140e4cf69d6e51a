/* Reads the server's log lines about players with differing worlds and passes them to the
 * players, which know the truth. */
#ifndef LS_SIMULATION_SERVER_LOG_H
#define LS_SIMULATION_SERVER_LOG_H

/* A log of a server's config; `context` is its struct server_node. Each line enters the trace. */
void server_log_line(void *context, const char *line);

#endif
