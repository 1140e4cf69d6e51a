/* The destination of a recording's bytes: a file, memory, or a test's faulty disk. The functions
 * resemble system calls: the recorder handles short writes, EINTR and a full disk in one place. */
#ifndef LS_SINK_H
#define LS_SINK_H

#include <lockstep/base.h>

typedef struct ls_sink {
    void *context;
    /* Like write(2): returns the number of appended bytes, maybe fewer than asked, or -errno. */
    int64_t (*append)(void *context, const void *data, size_t bytes);
    /* Makes all appended bytes durable: 0 or -errno. The first sync also gives a recording its
     * name; after an error the recorder never calls it again. Later syncs may run on another thread
     * in parallel with `append`: they cover the bytes that were appended before they began. */
    int (*sync)(void *context);
    /* Releases the context; called exactly once. 0 or -errno. */
    int (*close)(void *context);
} ls_sink;

/* An existing recording to continue. */
typedef struct ls_sink_existing {
    ls_sink sink;        /* appends after the existing bytes; its first sync sets no name */
    const uint8_t *data; /* the existing bytes; valid until `truncate` or `close` */
    size_t bytes;
    /* Cuts the file to its first `bytes`, where `append` continues: 0 or -errno. Called at most
     * once. */
    int (*truncate)(void *context, uint64_t bytes);
} ls_sink_existing;

#endif
