/* The evidence of a room: open inquiries about diverged clients, and bundles that are written.
 * server/desync_inquiry.h works on it. */
#ifndef LS_ROOM_EVIDENCE_H
#define LS_ROOM_EVIDENCE_H

#include "server/evidence_bundle.h"
#include <lockstep/link.h>
#include <lockstep/room_config.h>

typedef struct ls_desync_inquiry {
    struct ls_desync_inquiry *next;
    ls_peer peer;                /* that diverged */
    ls_evidence *facts;          /* at the time of the verdict */
    ls_state_exchange *exchange; /* the driver's while that works on it */
    /* Prepared once the state is pinned, and then owns facts and exchange; NULL before. */
    ls_evidence_bundle *bundle;
    bool has_frames;         /* the bundle */
    uint64_t since_ns;       /* the verdict */
    uint64_t first_asked_ns; /* 0: other clients come first, or our own state is not ready */
    uint64_t asked_ns;       /* 0: the present question is still to be sent */
} ls_desync_inquiry;

typedef struct ls_room_evidence {
    ls_status (*open)(void *context, const ls_room *room, uint64_t tick, ls_sink *sink,
                      char name[LS_EVIDENCE_BUNDLE_NAME_BYTES], ls_error *error);
    void *context;
    char recording[LS_RECORDING_TEXT_BYTES]; /* of the match; "": none */
    ls_evidence_bundle *bundles;             /* being written */
    ls_desync_inquiry *inquiries;            /* the first is asked, the others wait */
    uint32_t inquiry_count;
} ls_room_evidence;

#endif
