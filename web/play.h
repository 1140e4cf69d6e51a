/* A player's session in a browser: one WebAssembly module holds core, client and one simulation.
 * web/viewer/play-worker.js calls these functions; web/README.md has their order. An instance of
 * the module is thrown away with its session.
 *   shape   times are milliseconds of a clock that never falls. Texts are JSON or one sentence
 *   errors  a function that returns int gives LS_OK, else an ls_status with a sentence in error()
 *   owns    a pointer is valid until the next call of a function
 *   thread  one */
#ifndef LS_WEB_PLAY_H
#define LS_WEB_PLAY_H

#include "web/export.h"

/* Memory for bytes that the page gives: the texts of begin(), a message of the WebSocket, an
 * order. */
enum { LS_WEB_BUFFER_BYTES = 4096 };
LS_WEB_EXPORT(buffer) uint8_t *ls_web_buffer(void);

/* Creates the session from seven texts in the buffer, each with a zero at its end: name, room,
 * password, connect token (the text of its file), the server's key, the resume secret in
 * hexadecimal digits, and the browser's name. All may be empty; a password excludes a token. */
LS_WEB_EXPORT(begin)
int ls_web_begin(uint32_t bytes, bool is_spectator, uint32_t predict_ticks, double unix_s);
LS_WEB_EXPORT(error) const char *ls_web_error(void);

/* The page opens a WebSocket when wants_socket() says so, closes an earlier one, and reports what
 * becomes of it. */
LS_WEB_EXPORT(wants_socket) bool ls_web_wants_socket(void);
LS_WEB_EXPORT(socket_opened) void ls_web_socket_opened(void);
LS_WEB_EXPORT(socket_closed) void ls_web_socket_closed(void);
/* Takes a message from the buffer. False: the page closes the WebSocket. */
LS_WEB_EXPORT(receive) bool ls_web_receive(uint32_t bytes, double now_ms);
/* The next message to send, and its bytes; NULL: there is none. */
LS_WEB_EXPORT(next_message) const uint8_t *ls_web_next_message(void);
LS_WEB_EXPORT(message_bytes) uint32_t ls_web_message_bytes(void);

/* Does all that is due: handles messages, plays ticks, predicts. Call it before each picture and
 * after messages, then send all of next_message(). */
LS_WEB_EXPORT(update) void ls_web_update(double now_ms);
/* Leaves the match; the session has ended then. */
LS_WEB_EXPORT(leave) void ls_web_leave(double now_ms);
/* Submits the state in the buffer, for the first tick that it can still reach; call it after each
 * update(), since each tick takes one. A state that cannot be taken now is left out.
 *   errors  USAGE: the simulation has no states of this size, or refuses these */
LS_WEB_EXPORT(submit_state) int ls_web_submit_state(uint32_t bytes);
/* Submits the order in the buffer. */
LS_WEB_EXPORT(submit) int ls_web_submit(uint32_t bytes);

/* State and measurements of the session, its reason, and a text of the server, which only one
 * answer has. */
LS_WEB_EXPORT(status) const char *ls_web_status(void);
/* The server's key and the secret that resumes the seat, when they are known. */
LS_WEB_EXPORT(seat) const char *ls_web_seat(void);
/* The match, lanes and components; "{}" until there is a world. */
LS_WEB_EXPORT(match) const char *ls_web_match(void);
/* The tick of the world to draw, which is the predicted one; -1: there is none yet. The functions
 * below need one. */
LS_WEB_EXPORT(tick) double ls_web_tick(void);
/* As in web/engine.h, but of the world to draw. */
LS_WEB_EXPORT(world) const char *ls_web_world(void);
LS_WEB_EXPORT(rows) uint32_t ls_web_rows(int32_t first, int32_t second, int32_t third);
LS_WEB_EXPORT(row_entities) const uint64_t *ls_web_row_entities(void);
LS_WEB_EXPORT(row_cells) const uint8_t *ls_web_row_cells(uint32_t term);
LS_WEB_EXPORT(row_presence) const uint8_t *ls_web_row_presence(void);

#endif
