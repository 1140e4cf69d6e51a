/* Tells the service manager that has started this process how the server is. The manager is
 * systemd, or one that speaks its protocol: lines of NAME=VALUE in a datagram to the Unix socket
 * $NOTIFY_SOCKET (systemd's manual page sd_notify(3)). Without the variable, and on Windows,
 * nothing is sent. */
#ifndef LS_SERVICE_MANAGER_H
#define LS_SERVICE_MANAGER_H

#include <lockstep/server.h>

typedef struct ls_service_manager {
    int socket;           /* -1: none */
    bool is_stopping;     /* the manager was told that the server ends */
    bool is_ready;        /* the manager knows that the server is open */
    uint64_t watchdog_ns; /* how often the manager hears that the server lives; 0: never */
    uint64_t alive_ns;    /* when the manager hears that next */
    uint64_t status_ns;   /* when the manager hears the next status */
    char status[128];     /* the last status that the manager has taken */
} ls_service_manager;

/* Reads and removes the variables, so that no process that the server starts finds them. Call it
 * before a thread is started. */
void ls_service_manager_find(ls_service_manager *manager);
/* The server ends its matches and then itself. The first call tells the manager. */
void ls_service_manager_say_stopping(ls_service_manager *manager);
/* Call it in each step of the open server: the first one says that it is open. While all matches
 * are stalled the manager does not hear that the server lives, and starts it again. */
void ls_service_manager_step(ls_service_manager *manager, const ls_server *server, uint64_t now_ns);
void ls_service_manager_close(ls_service_manager *manager);

#endif
