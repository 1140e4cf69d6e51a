/* Reads the server's log lines about differing worlds and passes them to the players concerned,
 * which know the truth. */
#ifndef LS_SIMULATION_SERVER_LOG_H
#define LS_SIMULATION_SERVER_LOG_H

/* The log function of a server's config; `context` is its struct server_node. Each line is added to
 * the trace. */
void server_log_line(void *context, const char *line);

#endif
