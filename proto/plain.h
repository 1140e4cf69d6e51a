/* The bytes of a message: begun and ended by an encoder, opened by a decoder. Private to proto/. */
#ifndef LS_PLAIN_H
#define LS_PLAIN_H

#include <lockstep/bytes.h>
#include <lockstep/packet.h>

static inline ls_writer ls_plain_begin(ls_plain *plain, uint8_t type, uint8_t channel)
{
    plain->type = type;
    plain->channel = channel;
    plain->bytes = 0;
    ls_writer writer;
    ls_writer_init(&writer, plain->data, sizeof plain->data);
    return writer;
}

/* False, with an empty message, when the bytes did not fit. */
static inline bool ls_plain_end(ls_plain *plain, const ls_writer *writer)
{
    plain->bytes = writer->failed ? 0 : (uint32_t)writer->count;
    return !writer->failed;
}

/* Returns a reader over the message, already failed when the message has another type or channel.
 */
static inline ls_reader ls_plain_open(const ls_plain *plain, uint8_t type, uint8_t channel)
{
    LS_ASSERT(plain->bytes <= LS_MESSAGE_BYTES_MAX);
    ls_reader reader;
    ls_reader_init(&reader, plain->data, plain->bytes);
    reader.failed = plain->type != type || plain->channel != channel;
    return reader;
}

#endif
