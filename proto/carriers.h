/* The carriers (connect id and keys) that a server's link accepts. A handshake admits a carrier,
 * which then waits for its connection; the connection holds it. The table has a fixed size, so a
 * flood allocates nothing. Private to proto/. */
#ifndef LS_CARRIERS_H
#define LS_CARRIERS_H

#include "proto/path.h"
#include <lockstep/link.h>

typedef struct ls_carriers ls_carriers;

/* An entry does not move in memory, so pointers to it are valid until it is removed. */
typedef struct ls_carrier_entry {
    ls_carrier carrier;
    ls_remote remote;   /* waiting: the remote of the handshake; held: where the peer is now */
    ls_remote_key host; /* the host of `remote` */
    bool is_held;       /* a connection uses it; otherwise it waits until `until_ns` */
    uint32_t slot;      /* of the connection that holds the entry */
    uint64_t until_ns;  /* when a waiting entry expires */
    uint32_t next;      /* the next entry of its bucket, or of the free list */
} ls_carrier_entry;

/* Creates a table with room for `peers_max` held entries and LS_LINK_ADMISSIONS_MAX waiting
 * ones. */
ls_carriers *ls_carriers_create(uint32_t peers_max);
/* Wipes all keys and frees the table. */
void ls_carriers_destroy(ls_carriers *carriers);

/* The arguments of ls_link_admit, and the host of the remote. */
typedef struct ls_admission_request {
    const ls_carrier *carrier; /* its id is not 0 */
    ls_remote remote;
    ls_remote_key host; /* the host of `remote` */
    uint64_t until_ns;
} ls_admission_request;

/* Adds a waiting entry; repeated calls and errors as of ls_link_admit. Without room, first removes
 * the entries that have expired at `now_ns`. */
ls_status ls_carriers_admit(ls_carriers *carriers, const ls_admission_request *request,
                            uint64_t now_ns) LS_MUST_USE;

/* Returns the entry with this id, also an expired one that was not removed yet; NULL when there is
 * none. */
ls_carrier_entry *ls_carriers_find(const ls_carriers *carriers, uint32_t connect_id);
/* Returns the entry with this id that waits at `now_ns` for a connection from this remote, or NULL.
 */
ls_carrier_entry *ls_carriers_find_waiting(const ls_carriers *carriers, const ls_remote *remote,
                                           uint32_t connect_id, uint64_t now_ns);

/* Returns the counters of the entry's datagrams (zeros at admission); only the link uses them. */
ls_carrier_counters *ls_carriers_counters(ls_carriers *carriers, const ls_carrier_entry *entry);

/* Returns the open path questions of the entry's peer (proto/path.h); only the link uses them. */
ls_path *ls_carriers_path(ls_carriers *carriers, const ls_carrier_entry *entry);

/* Marks a waiting entry as held by the connection in `slot`; the entry no longer expires. Asserts
 * that it waits. */
void ls_carriers_hold(ls_carriers *carriers, ls_carrier_entry *entry, uint32_t slot);

/* Counts the held entries of `host`; NULL: of all hosts. */
uint32_t ls_carriers_count_held(const ls_carriers *carriers, const ls_remote_key *host);

/* Removes an entry and wipes its keys; ignores an unknown id. */
void ls_carriers_remove(ls_carriers *carriers, uint32_t connect_id);
/* Removes every waiting entry that has expired. */
void ls_carriers_expire(ls_carriers *carriers, uint64_t now_ns);

#endif
