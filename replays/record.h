/* The byte form of a recording (docs/replay-format.md): a prefix, then records. Each record ends
 * with a checksum, which also covers the eight bytes before the record, except at a keyframe. So
 * the checksums form chains that begin at keyframes, and any single record can be checked. Pure
 * functions of bytes; no files here. */
#ifndef LS_RECORD_H
#define LS_RECORD_H

#include <lockstep/recording_format.h>

struct ls_state_memory;

enum {
    LS_RECORD_HEAD_BYTES = 5, /* u8 type, then the payload size as a number of 1 to 4 bytes */
    LS_RECORD_CHECKSUM_BYTES = 8,
    LS_NUMBER_BYTES = 10, /* the longest number with seven bits per byte */
    LS_RECORD_ROOTS_PAYLOAD_MAX = 1 + 8 * LS_RECORD_ROOTS_MAX,
    /* The dense form of a frame is never longer than its wire form, which LS_FRAME_BYTES_MAX
     * bounds. */
    LS_RECORD_FRAME_PAYLOAD_MAX =
        LS_NUMBER_BYTES + LS_RECORD_ROOTS_PAYLOAD_MAX + LS_FRAME_BYTES_MAX,
    LS_RECORD_CLOSING_PAYLOAD_MAX = LS_NUMBER_BYTES + 1 + LS_RECORD_ROOTS_PAYLOAD_MAX,
    LS_RECORD_EPOCH_PAYLOAD = 20,
    LS_RECORD_LINK_PAYLOAD = 56,
    LS_RECORD_ROOM_PAYLOAD_MAX = LS_RECORDING_ROOM_BYTES,
    LS_RECORD_HEADER_PAYLOAD_MAX = 104 + 8 * LS_OPTIONS_MAX + 3 * LS_RECORDING_TEXT_BYTES,
    LS_RECORD_KEYFRAME_HEAD_MAX = 3 * LS_NUMBER_BYTES + 1,
    LS_RECORD_COLUMNS_PAYLOAD_MAX = LS_NUMBER_BYTES + 8 * LS_RECORD_COLUMNS_MAX,
    LS_RECORD_SIGNATURE_PAYLOAD_MAX = LS_NUMBER_BYTES + LS_RECORDING_SIGNATURE_BYTES,
    /* The maximum size of a record of one tick. */
    LS_RECORD_BYTES_MAX =
        LS_RECORD_HEAD_BYTES + LS_RECORD_FRAME_PAYLOAD_MAX + LS_RECORD_CHECKSUM_BYTES,
    /* The maximum size of a record of unknown type. */
    LS_RECORD_PAYLOAD_MAX = 64 << 20,
};

/* 0 is never a type, so zeros are never a record. A reader skips unknown types with the top bit,
 * and refuses other unknown types. */
typedef enum ls_record_type {
    LS_RECORD_HEADER = 1,
    LS_RECORD_FRAME = 2,
    LS_RECORD_CLOSING = 3,
    LS_RECORD_ROOTS = 4,
    LS_RECORD_EPOCH = 5,
    LS_RECORD_KEYFRAME = 6,
    LS_RECORD_COLUMNS = 7,
    LS_RECORD_SIGNATURE = 8,
    LS_RECORD_KNOWN_MAX = LS_RECORD_SIGNATURE, /* highest type that a reader must know */
    LS_RECORD_SKIPPABLE = 0x80,
    LS_RECORD_EVIDENCE = 0x81, /* opaque: replays/evidence_record.h */
    LS_RECORD_LINK = 0x82,
    LS_RECORD_ROOM = 0x83, /* directly after the header, which it extends */
} ls_record_type;

/* One record of a file. */
typedef struct ls_record {
    uint8_t type;
    uint8_t head_bytes;
    uint32_t payload_bytes;
    const uint8_t *payload; /* points into the file's bytes */
    size_t bytes;           /* size of the whole record */
} ls_record;

/* Writes prefix and header record, the start of a file, into an empty writer; with `has_room` the
 * room's record too.
 *   errors  USAGE names the text or match value that is out of range */
ls_status ls_record_encode_header(const ls_recording_header *header, ls_writer *writer,
                                  ls_error *error) LS_MUST_USE;

/* These functions append one record to a writer. Its last eight bytes must be those that precede
 * the record in the file (asserted). `salt` is the header's. Overflow sets writer->failed. */
void ls_record_encode_frame(const ls_frame *frame, const ls_record_roots *roots,
                            struct ls_state_memory *memory, uint64_t salt, ls_writer *writer);
void ls_record_encode_roots(const ls_record_roots *roots, uint64_t salt, ls_writer *writer);
void ls_record_encode_epoch(const ls_recording_epoch *epoch, uint64_t salt, ls_writer *writer);
void ls_record_encode_closing(const ls_recording_closing *closing, const ls_record_roots *roots,
                              uint64_t salt, ls_writer *writer);
void ls_record_encode_keyframe(const ls_recording_keyframe *keyframe, uint64_t salt,
                               ls_writer *writer);
void ls_record_encode_columns(uint64_t tick, const uint64_t *hashes, uint32_t count, uint64_t salt,
                              ls_writer *writer);
void ls_record_encode_signature(const ls_recording_signature *signature, uint64_t salt,
                                ls_writer *writer);
void ls_record_encode_link(const ls_recording_link *link, uint64_t salt, ls_writer *writer);
void ls_record_encode_evidence(const uint8_t *data, size_t bytes, uint64_t salt, ls_writer *writer);

/* Reads prefix and header record at the start of a file, and sets file->offset to the byte after
 * them. A room's record that follows is read too, and is left for the walk over all records.
 *   errors  CORRUPT: not a recording, or its header is damaged; INCOMPATIBLE: another format
 *           version; the message begins with `name` */
ls_status ls_record_decode_header(const char *name, ls_reader *file, ls_recording_header *header,
                                  ls_error *error) LS_MUST_USE;

/* Reads the head of a record at `offset`. False when it is cut off, its type is 0, or its length
 * exceeds the type's limit. The payload may be incomplete. */
bool ls_record_peek(const ls_reader *file, size_t offset, ls_record *record) LS_MUST_USE;

/* True when a whole record with a correct checksum begins at `offset` (>= 8). Every checksum
 * includes the salt, because players choose the bytes of inputs. Without a salt they could forge a
 * record for a reader that searches for records after damage. Not for the header record. */
bool ls_record_verify(const ls_reader *file, size_t offset, uint64_t salt,
                      ls_record *record) LS_MUST_USE;

/* These functions decode the payload of a verified record; false when it is malformed. Values other
 * than numbers point into the record. `inputs` has capacity LS_FRAME_INPUTS_MAX. `memory` must be
 * in the state after the previous frame; its data are valid as long as the file's bytes. */
bool ls_record_decode_frame(const ls_record *record, uint32_t player_count,
                            struct ls_state_memory *memory, ls_input *inputs, ls_frame *frame,
                            ls_record_roots *roots) LS_MUST_USE;
bool ls_record_decode_roots(const ls_record *record, ls_record_roots *roots) LS_MUST_USE;
bool ls_record_decode_epoch(const ls_record *record, ls_recording_epoch *epoch) LS_MUST_USE;
bool ls_record_decode_closing(const ls_record *record, ls_recording_closing *closing,
                              ls_record_roots *roots) LS_MUST_USE;
bool ls_record_decode_keyframe(const ls_record *record, uint32_t player_count,
                               ls_recording_keyframe *keyframe) LS_MUST_USE;
bool ls_record_decode_columns(const ls_record *record, ls_recording_columns *columns) LS_MUST_USE;
bool ls_record_decode_signature(const ls_record *record,
                                ls_recording_signature *signature) LS_MUST_USE;
bool ls_record_decode_link(const ls_record *record, ls_recording_link *link) LS_MUST_USE;

/* Numbers with seven bits in each byte, lowest bits first; the top bit is set in all bytes but the
 * last. ls_read_number() accepts only the shortest form. */
void ls_write_number(ls_writer *writer, uint64_t value);
uint64_t ls_read_number(ls_reader *reader);

#endif
