/* Every limit of the wire, the server and the client that the other side can notice. The limits are
 * in three headers; this one includes the other two. docs/protocol.md says what each limit means
 * and what happens beyond it; a test compares that page with the headers. */
#ifndef LS_LIMITS_H
#define LS_LIMITS_H

#include <stdint.h>

#define LS_SECOND_NS UINT64_C(1000000000)

/* The wire: each side must accept everything within these limits. A message beyond one is dropped
 * whole. */
#define LS_PROTOCOL_VERSION           3 /* raised by a change of the wire that no capability covers */
#define LS_PORT_DEFAULT               7777
#define LS_MTU_BYTES                  1200
#define LS_DATAGRAM_BYTES_MAX         1300 /* a longer datagram is not read */
#define LS_CARRIER_MAC_BYTES          8
#define LS_CARRIER_DATAGRAMS_MAX      UINT32_MAX /* sent with one key */
#define LS_PATH_BYTES                 21         /* a question to an address, or its answer */
#define LS_PACKET_BYTES_MAX           1156       /* payload that ENet sends without fragmenting */
#define LS_SEAL_HEADER_BYTES          5          /* type, counter */
#define LS_SEAL_TAG_BYTES             16
#define LS_SEAL_BYTES                 (LS_SEAL_HEADER_BYTES + LS_SEAL_TAG_BYTES)
#define LS_SEAL_WINDOW                1024
#define LS_SEAL_MESSAGES_MAX          (UINT64_C(1) << 32)
#define LS_MESSAGE_BYTES_MAX          (LS_PACKET_BYTES_MAX - LS_SEAL_BYTES)
#define LS_TICKS_WINDOW               8
#define LS_CONGESTION_MAX             7 /* level in an UPDATE; 0: none */
#define LS_TICKS_MAX                  64
#define LS_GAP_TICKS_MAX              600
#define LS_UPDATE_INPUTS_MAX          8
#define LS_UPDATE_ROOTS_MAX           8
#define LS_UPDATE_STATES_MAX          8
#define LS_CHUNK_BYTES_MAX            1024
#define LS_SNAPSHOT_BLOCK_BYTES       256
#define LS_SNAPSHOT_BYTES_MAX         (256u << 20)
#define LS_SNAPSHOT_REQUEST_BYTES_MAX (64u << 10)
#define LS_NAME_BYTES                 33 /* texts include their terminating zero */
#define LS_SIMULATION_TEXT_BYTES      33
#define LS_BUILD_TEXT_BYTES           97
#define LS_REASON_BYTES               225
#define LS_CLIENT_ID_BYTES            33
#define LS_ROOM_BYTES                 33
#define LS_PASSWORD_BYTES             129 /* never sent */
#define LS_HELLO_BYTES                LS_MTU_BYTES
#define LS_COOKIE_BYTES_MAX           240
#define LS_AUTH_BYTES                 1100
#define LS_ACCEPT_BYTES_MAX           600
#define LS_RESUME_BYTES               32
#define LS_COOKIE_BUCKET_NS           (60 * LS_SECOND_NS)
#define LS_CERTIFICATE_LIFE_S         (24u * 3600u)
#define LS_TOKEN_BYTES                304
#define LS_TOKEN_ADDRESSES_MAX        4
#define LS_TOKEN_LIFE_S_MAX           (24u * 3600u) /* servers remember tokens until expiry */

/* Admission of clients by the server: */
#define LS_SERVER_HELLOS_PER_S         50000
#define LS_SERVER_HELLOS_PER_NETWORK_S 200  /* a network is a /24, or an IPv6 /56 */
#define LS_SERVER_BUCKETS              1024 /* shared by networks and hosts, by a keyed hash */
#define LS_SERVER_AUTHS_PER_S          1000 /* each takes 130 us */
#define LS_SERVER_AUTHS_PER_HOST_S     20   /* default; at most LS_SERVER_AUTHS_PER_S */
#define LS_SERVER_AUTHS_PER_HOST       256 /* burst: all players of a match may share one address */
#define LS_SERVER_PENDING              2048
#define LS_LINK_PEERS_MAX              4000
#define LS_LINK_ADMISSIONS_MAX         1024 /* admitted connections that are not connected yet */
#define LS_LINK_QUEUE_MAX              256  /* reliable packets waiting for one client */
#define LS_SERVER_HANDSHAKE_NS         (5 * LS_SECOND_NS)
#define LS_SERVER_HANDSHAKE_MAX_NS     (10 * LS_SECOND_NS)
#define LS_SERVER_USED_TOKENS          16384
/* Rooms of the server, their pace and their end: */
#define LS_SERVER_ROOMS_MAX          1024
#define LS_SERVER_BUSY_NS            LS_SECOND_NS
#define LS_SERVER_LAG_NS             (10 * LS_SECOND_NS) /* default; at most the ring of ticks */
#define LS_SERVER_UNUSED_NS          (10 * LS_SECOND_NS)
#define LS_SERVER_CATCH_UP_TICKS     4
#define LS_SERVER_RESEND_NS          (LS_SECOND_NS / 60)
#define LS_SERVER_RESEND_MAX_NS      (LS_SECOND_NS / 10)
#define LS_SERVER_EXPIRY_INTERVAL_NS (LS_SECOND_NS / 10)
#define LS_SERVER_IDLE_STEP_NS       (LS_SECOND_NS / 20)
#define LS_SERVER_LINGER_NS          (2 * LS_SECOND_NS)
#define LS_SERVER_FAREWELL_NS        (LS_SECOND_NS / 4)
#define LS_SERVER_CLOSING_NS         (2 * LS_SECOND_NS)
/* Data that the server keeps for clients and sends to them: */
#define LS_SERVER_RING_TICKS           LS_GAP_TICKS_MAX /* at least; more if they fit both: */
#define LS_SERVER_RING_NS              (60 * LS_SECOND_NS)
#define LS_SERVER_RING_BYTES           (1u << 20)
#define LS_SERVER_ROOTS                1024
#define LS_SERVER_REPORTS_HELD         32
#define LS_SERVER_DESYNC_GRACE_NS      LS_SECOND_NS
#define LS_SERVER_RELOAD_NS            (10 * LS_SECOND_NS)
#define LS_SERVER_SNAPSHOTS            4
#define LS_SERVER_SNAPSHOT_KEEP_NS     (2 * LS_SECOND_NS)
#define LS_SERVER_SNAPSHOT_LIFE_NS     (15 * LS_SECOND_NS)
#define LS_SERVER_SNAPSHOT_AGE_MS      500
#define LS_SERVER_SNAPSHOT_BYTES_PER_S (8u << 20)
#define LS_SERVER_SNAPSHOT_BYTES_ALL   (32u << 20)
#define LS_SERVER_LOG_LINES_PER_S      20 /* lines caused by strangers */
#define LS_SERVER_LOG_BURST            200
#define LS_SERVER_LOG_BYTES            640

/* Connecting a client, and silence of its server: */
#define LS_CLIENT_HANDSHAKE_NS      (10 * LS_SECOND_NS) /* from its first step to the session */
#define LS_CLIENT_REPEAT_NS         (LS_SECOND_NS / 4)
#define LS_CLIENT_REPEAT_MAX_NS     LS_SECOND_NS
#define LS_CLIENT_AUTH_TRIES        5 /* then new keys: ACCEPTs for the old keys do not open */
#define LS_CLIENT_COOKIES           8
#define LS_CLIENT_AUTHS_PER_S       16 /* AUTHs sent at once for a COOKIE */
#define LS_CLIENT_CARRIER_NS        (5 * LS_SECOND_NS)
#define LS_CLIENT_REJECT_NS         LS_SECOND_NS /* before a REJECT counts: it can be forged */
#define LS_CLIENT_PING_NS           (LS_SECOND_NS / 2)
#define LS_CLIENT_PING_AGAIN_NS     (LS_SECOND_NS / 4)
#define LS_CLIENT_RESUME_NS         (3 * LS_SECOND_NS)
#define LS_CLIENT_RESUME_TIMEOUT_NS (60 * LS_SECOND_NS)
#define LS_CLIENT_SILENCE_NS        (10 * LS_SECOND_NS)
/* Ticks and messages of a client: */
#define LS_CLIENT_RING_TICKS      LS_GAP_TICKS_MAX
#define LS_CLIENT_BEHIND_TICKS    550
#define LS_CLIENT_BEHIND_NS       (9 * LS_SECOND_NS)
#define LS_CLIENT_STEP_TICKS      64
#define LS_CLIENT_GAP_NS          (LS_SECOND_NS / 10)
#define LS_CLIENT_GAP_LOST_NS     (5 * LS_SECOND_NS)
#define LS_CLIENT_UPDATE_MIN_NS   (LS_SECOND_NS / 250)
#define LS_CLIENT_UPDATE_NS       (LS_SECOND_NS / 20)
#define LS_CLIENT_UPDATE_MAX_NS   (LS_SECOND_NS / 4)
#define LS_CLIENT_ROOT_NS         (LS_SECOND_NS / 50)
#define LS_CLIENT_INPUTS_NS       (LS_SECOND_NS / 60)
#define LS_CLIENT_INPUT_QUEUE     64
#define LS_CLIENT_INPUTS_KEPT     128 /* unacknowledged, and those waiting in the server */
#define LS_CLIENT_STATE_AHEAD     60
#define LS_CLIENT_STATES          64
#define LS_CLIENT_HEAD_NS         (LS_SECOND_NS / 4)
#define LS_CLIENT_INPUT_DELAY_MAX 40
#define LS_CLIENT_LOSS_PACKETS    128
#define LS_CLIENT_RTT_MAX_NS      (3 * LS_SECOND_NS)
/* Snapshots, prediction and events of a client: */
#define LS_CLIENT_WINDOW_MAX_BYTES    (1u << 20)
#define LS_CLIENT_RANGE_BYTES         (32u << 10)
#define LS_CLIENT_RANGE_NS            (LS_SECOND_NS / 4)
#define LS_CLIENT_RANGE_QUICK_NS      (LS_SECOND_NS / 50)
#define LS_CLIENT_SNAPSHOT_TRIES      4
#define LS_CLIENT_PREDICT_TICKS       64
#define LS_CLIENT_AHEAD_NS            (2 * LS_SECOND_NS)
#define LS_CLIENT_PREDICT_INPUT_TICKS 128
#define LS_CLIENT_EVENT_TICKS         128
#define LS_CLIENT_EVENTS              4096
#define LS_CLIENT_EVENT_BYTES         (1u << 20)

#include <lockstep/evidence_limits.h>
#include <lockstep/session_limits.h>
#endif
