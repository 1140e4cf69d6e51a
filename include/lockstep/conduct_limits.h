/* Limits of what one player or one host may do to a match and to a server: a part of
 * include/lockstep/limits.h, which includes it. docs/protocol.md says what happens beyond each. */
#ifndef LS_CONDUCT_LIMITS_H
#define LS_CONDUCT_LIMITS_H

/* One session and its messages: */
#define LS_SERVER_SILENCE_NS     (10 * LS_SECOND_NS)
#define LS_SERVER_HOLD_NS        (15 * LS_SECOND_NS)
#define LS_SERVER_MESSAGES_PER_S 400
#define LS_SERVER_INPUTS_PER_S   120 /* and two a tick */
#define LS_SERVER_INPUT_QUEUE    64
#define LS_SERVER_INPUT_BYTES    2048
#define LS_SERVER_INPUT_AHEAD    60
#define LS_SERVER_STATES         64

/* A spectator: ticks in one packet; between its updates; for the roots that it left out to arrive
 * before a verdict. */
#define LS_SERVER_SPECTATOR_NS       (LS_SECOND_NS / 10)
#define LS_CLIENT_SPECTATOR_NS       (2 * LS_SECOND_NS / 5)
#define LS_SERVER_SPECTATOR_GRACE_NS LS_SECOND_NS

/* Match time that a client may play without reporting a root. */
#define LS_SERVER_MUTE_NS (10 * LS_SECOND_NS)
/* Time from a client's request for a snapshot to its next right root: twice the time that the ring
 * of ticks covers, once to load and once to catch up. */
#define LS_SERVER_LOAD_NS (120 * LS_SECOND_NS)
/* How often a player may pause the match, and for how long. */
#define LS_SERVER_PAUSES   8
#define LS_SERVER_PAUSE_NS (60 * LS_SECOND_NS)

/* Packets that do not open, in a minute; how long a session may exceed its limits. */
#define LS_SERVER_OPENS_FAILED 1000
#define LS_SERVER_FLOOD_NS     (5 * LS_SECOND_NS)

/* Packets that a client may have sent on the control channel without an acknowledgement: a seat's
 * pauses, in and out, with CONFIRM and BYE are 18. Then: commands of the carrier in a second,
 * except ticks. */
#define LS_LINK_CLIENT_QUEUE_MAX 32
#define LS_LINK_COMMANDS_PER_S   256

/* Missing ticks that are sent again: for a session in a second and at once, which is ten seconds of
 * a busy match; for all sessions in a second, twice what those of one host can ask for. A packet
 * costs LS_SERVER_GAP_PACKET_BYTES more than its ticks: a short one is mostly overhead. */
#define LS_SERVER_GAP_BYTES_PER_S  (64u << 10)
#define LS_SERVER_GAP_BYTES_BURST  (256u << 10)
#define LS_SERVER_GAP_BYTES_ALL    (8u << 20)
#define LS_SERVER_GAP_PACKET_BYTES 512

/* Snapshots sent to a session, in whole ones. LS_SERVER_LOADS_AT_ONCE at full rate serve a load and
 * a reload; further ones follow in LS_SERVER_LOAD_PACE_NS each. LS_SERVER_LOADS in all cover two
 * loads over a line that loses a third; then one follows in each LS_SERVER_LOAD_AGAIN_NS. The
 * sessions of a host have a budget too: a whole match and its repeats at once, then these in a
 * minute. A snapshot of less than LS_SERVER_LOAD_BYTES_LEAST counts as one of that size. */
#define LS_SERVER_LOADS_AT_ONCE             2
#define LS_SERVER_LOAD_PACE_NS              (2 * LS_SECOND_NS)
#define LS_SERVER_LOADS                     8
#define LS_SERVER_LOAD_AGAIN_NS             (15 * LS_SECOND_NS)
#define LS_SERVER_LOADS_PER_HOST            256
#define LS_SERVER_LOADS_PER_HOST_MIN        16
#define LS_SERVER_LOAD_BYTES_LEAST          (256u << 10)
#define LS_SERVER_SNAPSHOT_BYTES_PER_HOST_S (16u << 20)

/* The lowest limit in bytes a second of all that a server sends, and the bytes that each packet
 * counts beside its own: the headers of IP, UDP and ENet. */
#define LS_SERVER_EGRESS_LEAST        64000
#define LS_SERVER_EGRESS_PACKET_BYTES 48

/* Rooms that clients of one host open by naming them: in a minute, and at once. */
#define LS_SERVER_ROOMS_PER_HOST_MIN 12
#define LS_SERVER_ROOMS_PER_HOST     16

/* Seats that new players of one address hold before their CONFIRM: a quarter of the open ones, and
 * at least two. A taken seat is of no use to others for LS_SERVER_HANDSHAKE_NS. */
#define LS_SERVER_UNCONFIRMED_PART  4
#define LS_SERVER_UNCONFIRMED_LEAST 2
/* Spectators may use one connection in nine however many seats may open: 8 of the 72 that `serve`
 * gives to one address, which leaves 64 for the players of a match. */
#define LS_SERVER_SPECTATORS_PART 9

#endif
