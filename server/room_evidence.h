/* The evidence of a room: open inquiries about diverged clients, and bundles being written.
 * server/desync_inquiry.h works on it. */
#ifndef LS_ROOM_EVIDENCE_H
#define LS_ROOM_EVIDENCE_H

#include "server/evidence_bundle.h"
#include <lockstep/link.h>
#include <lockstep/room_config.h>

typedef struct ls_desync_inquiry {
    struct ls_desync_inquiry *next;
    ls_peer peer;                /* the diverged client */
    ls_evidence *facts;          /* copied at the time of the verdict */
    ls_state_exchange *exchange; /* owned by the driver while its job works on it */
    /* NULL until the state is pinned. Then the bundle owns facts and exchange. */
    ls_evidence_bundle *bundle;
    bool has_frames;         /* the bundle has its frames */
    uint64_t since_ns;       /* time of the verdict */
    uint64_t first_asked_ns; /* 0: not asked, another client is first or the server's state is not
                                ready */
    uint64_t asked_ns;       /* when the present question was last sent; 0: it was not */
} ls_desync_inquiry;

typedef struct ls_room_evidence {
    /* Creates the file of a bundle; NULL: no bundles are written. */
    ls_status (*open)(void *context, const ls_room *room, uint64_t tick, ls_sink *sink,
                      char name[LS_EVIDENCE_BUNDLE_NAME_BYTES], ls_error *error);
    void *context;
    char recording[LS_RECORDING_TEXT_BYTES]; /* name of the match's recording; "": none */
    ls_evidence_bundle *bundles;             /* bundles being written */
    ls_desync_inquiry *inquiries;            /* the first client is asked, the others wait */
    uint32_t inquiry_count;
} ls_room_evidence;

#endif
