/* The fields inside the box of an ACCEPT (docs/protocol.md). Private to proto/. */
#ifndef LS_ACCEPT_FIELDS_H
#define LS_ACCEPT_FIELDS_H

#include <lockstep/bytes.h>
#include <lockstep/handshake.h>

/* `capabilities` are the session's, which both sides know before the ACCEPT; `forward` is written
 * only with LS_CAPABILITY_FOLLOW. */
void ls_accept_write(const ls_handshake_accept *accept, uint32_t capabilities, ls_writer *plain);
/* False when a field is missing or out of its range, or bytes are left over; *accept is then
 * unspecified. */
bool ls_accept_read(const uint8_t *plain, size_t bytes, uint32_t capabilities,
                    ls_handshake_accept *accept) LS_MUST_USE;

#endif
