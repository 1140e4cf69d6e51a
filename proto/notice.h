/* NOTICE: a short message of the server to one client, on the control channel. The decoder takes
 * hostile bytes, as the decoders of proto/message.h do. */
#ifndef LS_NOTICE_H
#define LS_NOTICE_H

#include <lockstep/packet.h>
#include <lockstep/remote.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_notice_kind {
    LS_NOTICE_DESYNC = 1, /* tick, your_root, server_root */
    LS_NOTICE_KICK,       /* text: why; the connection ends */
    LS_NOTICE_GOODBYE,    /* text: why; the match has failed */
    LS_NOTICE_END,    /* tick: one after the last tick, server_root: of the world before `tick` */
    LS_NOTICE_RELOAD, /* text: why the client must load a snapshot, of `tick` or a later one */
    LS_NOTICE_KEPT,   /* the seat was kept; from `tick` on only the new session gives inputs */
    LS_NOTICE_SAY,    /* text: to be shown; only with LS_CAPABILITY_SAY */
    LS_NOTICE_FOLLOW, /* to: where the match goes on; only with LS_CAPABILITY_FOLLOW */
} ls_notice_kind;
/* Fields that are not listed at a kind are zero. */
typedef struct ls_notice {
    uint8_t kind;
    uint64_t tick;
    uint64_t your_root, server_root;
    char text[LS_REASON_BYTES];
    ls_remote to; /* the address of one host, with a port */
} ls_notice;
LS_API void ls_notice_encode(const ls_notice *notice, ls_plain *plain);
LS_API bool ls_notice_decode(const ls_plain *plain, ls_notice *notice) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
