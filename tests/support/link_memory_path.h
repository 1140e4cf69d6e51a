/* Tracks the addresses of a server's clients in the in-process network, by the rules of the real
 * link (proto/path.h). */
#ifndef LS_LINK_MEMORY_PATH_H
#define LS_LINK_MEMORY_PATH_H

#include "tests/support/link_memory_internal.h"

/* True when a parcel of this connection may come from its address: any address for a client that
 * can move, otherwise only the client's known one. */
bool ls_memory_path_may_come(const ls_memory_link *self, const ls_memory_slot *slot,
                             const ls_parcel *parcel);
/* Asks the current and the new address when the newest parcel comes from another address, unless
 * the last question was too recent. */
void ls_memory_path_note(ls_memory_link *self, ls_memory_slot *slot, const ls_parcel *parcel,
                         uint64_t now_ns);
/* Handles a RESPONSE; true when it has moved the client. */
bool ls_memory_path_answer(ls_memory_link *self, ls_memory_slot *slot, const ls_parcel *parcel,
                           uint64_t now_ns);

#endif
