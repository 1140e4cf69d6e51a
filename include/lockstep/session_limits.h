/* Limits on what one player or one host may do to a match and to a server. A part of
 * include/lockstep/limits.h, which includes this file. docs/protocol.md says what happens beyond
 * each limit. */
#ifndef LS_SESSION_LIMITS_H
#define LS_SESSION_LIMITS_H

/* How long the server waits for a client. After this time without an authentic packet the session
 * ends, and the client may resume it. Under the policy `wait`, a player who holds a tick for
 * LS_SERVER_HOLD_NS is kicked. */
#define LS_SERVER_SILENCE_NS (10 * LS_SECOND_NS)
#define LS_SERVER_HOLD_NS    (15 * LS_SECOND_NS)

/* Messages of one session: */
#define LS_SERVER_MESSAGES_PER_S 400
#define LS_SERVER_INPUTS_PER_S   120 /* plus two for each tick */
#define LS_SERVER_INPUT_QUEUE    64
#define LS_SERVER_INPUT_BYTES    2048
#define LS_SERVER_INPUT_AHEAD    60
#define LS_SERVER_STATES         64

/* Spectators: */
#define LS_SERVER_SPECTATOR_NS (LS_SECOND_NS / 10)    /* ticks of this time in one packet */
#define LS_CLIENT_SPECTATOR_NS (2 * LS_SECOND_NS / 5) /* between two updates of the client */

/* Match time that a client may play without reporting a root; then it counts as mute. */
#define LS_SERVER_MUTE_NS (10 * LS_SECOND_NS)
/* The time from a client's request for a snapshot to its next correct root. It is twice the time
 * that the ring of ticks covers: once to load and once to catch up. */
#define LS_SERVER_LOAD_NS (120 * LS_SECOND_NS)
/* How often a player may pause the match, and the longest time of one pause. */
#define LS_SERVER_PAUSES   8
#define LS_SERVER_PAUSE_NS (60 * LS_SECOND_NS)

/* How often a client reports its measurements; the server takes one in half this time. */
#define LS_CLIENT_REPORT_NS (10 * LS_SECOND_NS)

/* Per session: packets in a minute that fail to open, and the time for which it may exceed its
 * limits, before it is ended. */
#define LS_SERVER_OPENS_FAILED 1000
#define LS_SERVER_FLOOD_NS     (5 * LS_SECOND_NS)

/* First: unacknowledged packets of a client on the control channel. A player needs 18: pause and
 * resume 8 times, CONFIRM and BYE. Second: ENet commands of a client in a second, without ticks. */
#define LS_LINK_CLIENT_QUEUE_MAX 32
#define LS_LINK_COMMANDS_PER_S   256

/* Ephemeral keys of connections that came in the last two minutes: an AUTH counts once. */
#define LS_SERVER_SPENT_KEYS 16384

/* How often the server judges again whether a client that it has put off can be let in. */
#define LS_SERVER_JUDGE_AGAIN_NS (LS_SECOND_NS / 10)
/* The AUTHs that one step takes, each a few key agreements: then due ticks come first. */
#define LS_SERVER_AUTHS_PER_STEP 16

/* Log lines that the clients of one host cause: in a second, and at once. */
#define LS_SERVER_LOG_LINES_PER_HOST_S 2
#define LS_SERVER_LOG_LINES_PER_HOST   200

/* The check of a client's new address: the time until a question to that address expires, the least
 * time between two questions, and the pause after an answer. */
#define LS_LINK_PATH_NS          (3 * LS_SECOND_NS)
#define LS_LINK_PATH_AGAIN_NS    (LS_SECOND_NS / 10)
#define LS_LINK_PATH_COOLDOWN_NS LS_SECOND_NS

/* Missing ticks that are sent again. For one session: bytes in a second, and in a burst (ten
 * seconds of a busy match). For all sessions: bytes in a second, twice what the sessions of one
 * host may request. Each packet counts LS_SERVER_GAP_PACKET_BYTES more than its ticks, because a
 * short packet is mostly overhead. */
#define LS_SERVER_GAP_BYTES_PER_S  (64u << 10)
#define LS_SERVER_GAP_BYTES_BURST  (256u << 10)
#define LS_SERVER_GAP_BYTES_ALL    (8u << 20)
#define LS_SERVER_GAP_PACKET_BYTES 512

/* Snapshots sent, counted in whole ones. To a session: LS_SERVER_LOADS_AT_ONCE at full rate, for a
 * load and a reload; then one in each LS_SERVER_LOAD_PACE_NS. LS_SERVER_LOADS cover two loads over
 * a line that loses a third of the packets; then one in each LS_SERVER_LOAD_AGAIN_NS. To all
 * sessions of a host: LS_SERVER_LOADS_PER_HOST, enough for a whole match and its repeats, then
 * LS_SERVER_LOADS_PER_HOST_MIN in a minute. A snapshot below LS_SERVER_LOAD_BYTES_MIN counts as
 * one of that size. */
#define LS_SERVER_LOADS_AT_ONCE             2
#define LS_SERVER_LOAD_PACE_NS              (2 * LS_SECOND_NS)
#define LS_SERVER_LOADS                     8
#define LS_SERVER_LOAD_AGAIN_NS             (15 * LS_SECOND_NS)
#define LS_SERVER_LOADS_PER_HOST            256
#define LS_SERVER_LOADS_PER_HOST_MIN        16
#define LS_SERVER_LOAD_BYTES_MIN            (256u << 10)
#define LS_SERVER_SNAPSHOT_BYTES_PER_HOST_S (16u << 20)

/* The lowest value of the limit on what a server sends to the clients that it has let in, in bytes
 * a second. Each packet counts LS_SERVER_EGRESS_PACKET_BYTES more than its own bytes, for the
 * headers of IPv6, UDP and the carrier; over IPv4 they are 20 bytes shorter. */
#define LS_SERVER_EGRESS_MIN          64000
#define LS_SERVER_EGRESS_PACKET_BYTES 70

/* Rooms that clients of one host may open by naming them: in a minute, and in a burst. */
#define LS_SERVER_ROOMS_PER_HOST_MIN 12
#define LS_SERVER_ROOMS_PER_HOST     16

/* Seats that new players of one host may hold before their CONFIRM: a quarter of the open seats,
 * at least two. A seat without CONFIRM blocks others for up to LS_SERVER_HANDSHAKE_NS. */
#define LS_SERVER_UNCONFIRMED_PART 4
#define LS_SERVER_UNCONFIRMED_MIN  2
/* Spectators may use one connection in nine, however many seats are open. `serve` allows 72
 * connections from one host: 8 for spectators and 64 for the players of a match. */
#define LS_SERVER_SPECTATORS_PART 9

/* How long the seat of a player that lost its session may be kept, in seconds. */
#define LS_SERVER_KEEP_SEATS_S_MAX 3600

/* A match that another process takes over. Its seats are kept: */
#define LS_SERVER_TAKEOVER_KEEP_NS (15 * LS_SECOND_NS)
/* Its next tick waits for its players: */
#define LS_SERVER_TAKEOVER_WAIT_NS (3 * LS_SECOND_NS / 2)
/* The process that has handed over its last match sends clients to the new process for: */
#define LS_SERVER_FORWARD_NS (10 * LS_SECOND_NS)
/* The number of such moves that a client follows in a minute: */
#define LS_CLIENT_FOLLOWS 4

/* Memory that a server may make a client allocate for a snapshot and its world, by default. */
#define LS_CLIENT_MEMORY_MAX (UINT64_C(1) << 30)

#endif
