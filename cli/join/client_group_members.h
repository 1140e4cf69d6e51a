/* The members of a client group. Private to the files of the group. */
#ifndef LS_CLIENT_GROUP_MEMBERS_H
#define LS_CLIENT_GROUP_MEMBERS_H

#include "cli/common/log.h"
#include "cli/join/client_group_options.h"
#include "cli/join/input_source.h"
#include "cli/join/seat_file.h"
#include "cli/module/sim_load.h"
#include "cli/network/socket_set.h"
#include <lockstep/session.h>

typedef struct ls_client_group_member {
    const struct ls_client_group *group;
    ls_link *link;
    ls_client *client;   /* the session's client, if there is a session */
    ls_session *session; /* NULL: nothing is predicted */
    ls_input_source source;
    ls_log log;          /* the group's stream, with the member's number */
    uint64_t first_tick; /* tick of its world when it entered play */
    uint64_t leave_ns;   /* when it will leave; 0: not yet known */
    uint64_t due_ns;     /* time of its next step; packets on its link make it due at once */
    uint64_t ended_ns;   /* when its state became final */
    bool has_source;     /* false: the client's own bot plays, or it watches */
    bool has_loaded;     /* the server has admitted it */
    bool has_entered, is_end_reported;
    ls_client_state reported; /* if has_reported: the state that was last reported */
    bool has_reported;
} ls_client_group_member;

typedef struct ls_client_group {
    const ls_client_group_options *options;
    ls_log log;
    ls_loaded_sim loaded;
    ls_executor *executor;
    ls_server_address address; /* from the options; may get the key of the seat's server */
    ls_trust trust;
    ls_resume_ticket ticket; /* the seat of the only member, if a file keeps it */
    bool has_seat, has_pass;
    char password[LS_PASSWORD_BYTES];
    uint8_t psk[32]; /* hash of the password; made once if the server's key is known */
    bool has_psk;
    ls_pass pass;
    ls_script script;
    ls_relay *relay; /* NULL: the members connect without a relay */
    ls_client_group_member *members;
    uint32_t begun;       /* members 0..begun-1 ask or have asked for entry */
    uint32_t refused;     /* refused members since the last admitted one */
    ls_socket_set *links; /* by number of the member */
    uint8_t *has_packets; /* flag for each member: its link has packets */
    uint64_t start_ns;
    uint64_t round_ns; /* duration of the last step of all members */
    uint64_t line_ns;  /* when the next live line is due */
    uint64_t bytes_received, bytes_sent;
} ls_client_group;

#endif
