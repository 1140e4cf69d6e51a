/* The connect ids that a server's link accepts, with their keys (`ls_carrier`): granted by a
 * handshake and waiting for the connection, or used by one. The table has a fixed size: a flood
 * allocates nothing. Private to proto/. */
#ifndef LS_CARRIERS_H
#define LS_CARRIERS_H

#include "proto/path.h"
#include <lockstep/link.h>

typedef struct ls_carriers ls_carriers;

/* Stays where it is until it is removed. */
typedef struct ls_carrier_entry {
    ls_carrier carrier;
    ls_address address; /* of its handshake; of a held one where the peer is now */
    bool is_held;       /* used by a connection; otherwise granted until `until_ns` */
    uint32_t slot;
    uint64_t until_ns;
    uint32_t next; /* in the chain of a bucket, or of the free ones */
} ls_carrier_entry;

/* Room for `peers_max` held ones beside LS_LINK_ADMISSIONS_MAX that wait. */
ls_carriers *ls_carriers_create(uint32_t peers_max);
/* Wipes all keys. */
void ls_carriers_destroy(ls_carriers *carriers);

/* As ls_link_admit; entries that expired at `now_ns` make room. Asserts that the id is not 0. */
ls_status ls_carriers_admit(ls_carriers *carriers, const ls_address *address,
                            const ls_carrier *carrier, uint64_t now_ns,
                            uint64_t until_ns) LS_MUST_USE;

/* Also an expired one, until it is removed; NULL when there is none. */
ls_carrier_entry *ls_carriers_find(const ls_carriers *carriers, uint32_t connect_id);
/* One that waits for a connection from this address at this time, or NULL. */
ls_carrier_entry *ls_carriers_find_waiting(const ls_carriers *carriers, const ls_address *address,
                                           uint32_t connect_id, uint64_t now_ns);

/* The counters of its datagrams, for the link alone; zeros when it was admitted. */
ls_carrier_counters *ls_carriers_counters(ls_carriers *carriers, const ls_carrier_entry *entry);

/* Where its peer was asked to be, for the link alone. */
ls_path *ls_carriers_path(ls_carriers *carriers, const ls_carrier_entry *entry);

/* It is connected, in this slot, and expires no more. Asserts that it waits. */
void ls_carriers_hold(ls_carriers *carriers, ls_carrier_entry *entry, uint32_t slot);

/* The number of held ones; with an address only those of its host. */
uint32_t ls_carriers_count_held(const ls_carriers *carriers, const ls_address *address);

/* Forgets one and wipes its keys; an unknown id is ignored. */
void ls_carriers_remove(ls_carriers *carriers, uint32_t connect_id);
/* Removes every expired waiting one. */
void ls_carriers_expire(ls_carriers *carriers, uint64_t now_ns);

#endif
