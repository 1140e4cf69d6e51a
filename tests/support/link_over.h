/* A link on top of another link, for tests and benches that watch or disturb one. These functions
 * pass a call on unchanged; the vtable of such a link names them beside its own. */
#ifndef LS_SUPPORT_LINK_OVER_H
#define LS_SUPPORT_LINK_OVER_H

#include <lockstep/link.h>

/* The first member of every such link, whose functions cast `link` to the whole struct. */
typedef struct link_over {
    ls_link link;
    ls_link *inner; /* NULL: none; no function may be called then */
} link_over;

bool link_over_poll(ls_link *link, uint64_t now_ns, ls_link_event *event);
void link_over_flush(ls_link *link, uint64_t now_ns);
void link_over_disconnect(ls_link *link, ls_peer peer);
bool link_over_wait(ls_link *link, uint32_t timeout_ms);
void link_over_wake(ls_link *link);
void link_over_post(ls_link *link, const ls_remote *to, const uint8_t *data, uint32_t bytes);
ls_status link_over_admit(ls_link *link, const ls_remote *remote, const ls_carrier *carrier,
                          uint64_t until_ns);
ls_status link_over_connect(ls_link *link, uint64_t now_ns, const ls_carrier *carrier);
ls_remote link_over_remote(const ls_link *link, ls_peer peer);
uint32_t link_over_connections(const ls_link *link, const ls_remote_key *host);
ls_remote_origin link_over_origin(const ls_link *link, const ls_remote *remote);
void link_over_describe(const ls_link *link, const ls_remote *remote,
                        char text[LS_REMOTE_TEXT_BYTES]);
ls_link_stats link_over_stats(const ls_link *link);
bool link_over_is_quiet(const ls_link *link);

#endif
