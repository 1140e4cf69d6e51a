/* Private to the files of a client group: its members. */
#ifndef LS_CLIENT_GROUP_MEMBERS_H
#define LS_CLIENT_GROUP_MEMBERS_H

#include "cli/common/log.h"
#include "cli/join/client_group_options.h"
#include "cli/join/client_wait.h"
#include "cli/join/input_source.h"
#include "cli/join/seat_file.h"
#include "cli/module/sim_load.h"
#include <lockstep/session.h>

typedef struct ls_client_group_member {
    ls_link *link;
    ls_client *client;   /* the session's, when there is one */
    ls_session *session; /* NULL: nothing is predicted */
    ls_input_source source;
    ls_log log;          /* the group's stream under its own number */
    uint64_t first_tick; /* of its world when it entered play */
    uint64_t leave_ns;   /* 0: not yet */
    uint64_t due_ns;     /* of its next step; sooner when its link has something */
    uint64_t ended_ns;   /* when its state became final */
    bool has_source;     /* else the client's own bot plays, or it watches */
    bool has_loaded;     /* the server let it in */
    bool has_entered, is_told;
    ls_client_state told; /* the state that was reported last, if `has_told` */
    bool has_told;
} ls_client_group_member;

typedef struct ls_client_group {
    const ls_client_group_options *options;
    ls_log log;
    ls_loaded_sim loaded;
    ls_executor *executor;
    ls_server_address address; /* the options', or with the key of the seat's server */
    ls_trust trust;
    ls_seat seat; /* of the one member, when it is kept */
    bool has_seat, has_pass;
    char password[LS_PASSWORD_BYTES];
    uint8_t psk[32]; /* of the password, where the server's key is known: hashed once for all */
    bool has_psk;
    ls_pass pass;
    ls_script script;
    ls_relay *relay; /* NULL: straight to the server */
    ls_client_group_member *members;
    uint32_t begun;   /* members that ask for entry or did; the others come after them */
    uint32_t refused; /* of these, since one was let in */
    ls_client_wait wait;
    uint8_t *has_packets; /* by member: its link has something */
    uint64_t start_ns;
    uint64_t round_ns; /* that the last step of all members took */
    uint64_t line_ns;  /* when the next live line is due */
    uint64_t bytes_received, bytes_sent;
} ls_client_group;

#endif
