/* The state that the two threads of a link over WebSockets share. Private to proto/. */
#ifndef LS_WEB_SHARED_H
#define LS_WEB_SHARED_H

#include "proto/web_ring.h"

/* Messages of one channel that the link has not read yet; more are dropped. */
#define LS_WEB_UNREAD_MAX 64

typedef struct ls_web_shared {
    ls_web_ring in, out; /* to the link, to the port */
    uint32_t channels_max;
    _Atomic uint32_t *unread;   /* by slot: messages in `in` */
    _Atomic uint32_t *controls; /* by slot: control packets that are not in the socket yet */
    /* For the link's statistics. */
    _Atomic uint64_t malformed, unread_dropped, unsent_dropped;
} ls_web_shared;

#endif
