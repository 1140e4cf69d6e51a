/* A socket in the file system that only root and the user of this process may connect to. */
#ifndef LS_LOCAL_SOCKET_H
#define LS_LOCAL_SOCKET_H

#include <lockstep/base.h>

typedef enum ls_local_socket_failure {
    LS_LOCAL_SOCKET_FOREIGN, /* the path is that of another file, which stays */
    LS_LOCAL_SOCKET_IN_USE,  /* another process answers there */
    LS_LOCAL_SOCKET_ERRNO,   /* errno has the reason */
} ls_local_socket_failure;

/* Opens a stream socket that does not block, and binds it to a path that fits its address. Replaces
 * the socket of a process that has ended. Returns -1 after a failure, which *failure names.
 * listen() is left to the caller. */
int ls_local_socket_bind(const char *path, ls_local_socket_failure *failure);
/* A stream socket that does not block; -1: errno has the reason. */
int ls_local_socket_open(void);

#endif
