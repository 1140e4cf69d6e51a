/* The destination of a recording's bytes: a file, memory, or a test's faulty disk. The calls are
 * like the system's: the recorder handles short writes, EINTR and a full disk in one place. */
#ifndef LS_SINK_H
#define LS_SINK_H

#include <lockstep/base.h>

typedef struct ls_sink {
    void *context;
    /* As write(2): how many bytes were appended, maybe fewer than asked, or -errno. */
    int64_t (*append)(void *context, const void *data, size_t bytes);
    /* Makes all that was appended survive the machine's death: 0 or -errno. A recording gets its
     * name with the first of these; after a failure the recorder never calls it again. From the
     * second one on it may run on another thread while `append` does: it then holds for the bytes
     * that were appended before it began. */
    int (*sync)(void *context);
    /* Releases the context, called exactly once: 0 or -errno. */
    int (*close)(void *context);
} ls_sink;

/* An existing recording to be continued. */
typedef struct ls_sink_existing {
    ls_sink sink;        /* appends after the existing bytes; its first sync names no file */
    const uint8_t *data; /* its bytes; live until `truncate` or `close` */
    size_t bytes;
    /* Keeps the first `bytes`, where `append` continues: 0 or -errno. Called once at most. */
    int (*truncate)(void *context, uint64_t bytes);
} ls_sink_existing;

#endif
