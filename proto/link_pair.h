/* Two links of a server as one: its clients come over either. A remote belongs to one of the two
 * links; a connection gets an id from the pair. Private to proto/ and the program. */
#ifndef LS_LINK_PAIR_H
#define LS_LINK_PAIR_H

#include <lockstep/link.h>

typedef struct ls_link_pair_config {
    ls_link *first;                              /* the one that the pair waits for and wakes */
    ls_link *second;                             /* wakes the first when something has arrived */
    bool (*is_seconds)(const ls_remote *remote); /* whether a remote belongs to `second` */
    uint32_t peers_max;                          /* connections of both */
} ls_link_pair_config;

/* owns  ls_link_destroy() by the caller; it destroys both links, which the pair owns from now on */
ls_link *ls_link_pair_create(const ls_link_pair_config *config) LS_MUST_USE;

#endif
