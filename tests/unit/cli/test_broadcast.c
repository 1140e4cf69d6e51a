#include "cli/serve/broadcast.h"
#include "cli/serve/broadcast_files.h"
#include "cli/watch/live_manifest.h"
#include "core/base/platform_file.h"

#include "test.h"

#include <errno.h>
#include <sys/stat.h>

/* The recording's own sink: bytes in memory. */
typedef struct disk {
    char bytes[4096];
    size_t count;
    int result; /* of the next calls; 0: they succeed */
    bool is_closed;
} disk;

static test_folder folder;
static ls_log events;
static ls_broadcast *broadcast;
static disk disks[2];
static ls_sink sinks[2];

static int64_t append(void *context, const void *data, size_t bytes)
{
    disk *self = context;
    if (self->result)
        return self->result;
    memcpy(self->bytes + self->count, data, bytes);
    self->count += bytes;
    return (int64_t)bytes;
}

static int sync_data(void *context)
{
    return ((disk *)context)->result;
}

static int close_disk(void *context)
{
    ((disk *)context)->is_closed = true;
    return 0;
}

static void add(uint32_t which, const char *room, const char *recording)
{
    disks[which] = (disk){0};
    sinks[which] = (ls_sink){&disks[which], append, sync_data, close_disk};
    const ls_broadcast_match match = {
        .room = room, .recording = recording, .simulation = "drift", .players = which + 1};
    ls_broadcast_add(broadcast, &match, &sinks[which]);
}

static void put(uint32_t which, const char *text)
{
    assert_int_equal(sinks[which].append(sinks[which].context, text, strlen(text)), strlen(text));
}

static void close_sink(uint32_t which)
{
    assert_int_equal(sinks[which].close(sinks[which].context), 0);
    assert_true(disks[which].is_closed);
}

static void step(uint64_t seconds)
{
    ls_broadcast_step(broadcast, seconds * S);
}

static const char *content(const char *name)
{
    static char text[8192];
    FILE *file = fopen(test_path(&folder, name), "r");
    size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[got] = 0;
    if (file)
        fclose(file);
    return file ? text : NULL;
}

/* Checks a manifest: all segments that it names are there, and joined they are `bytes`. */
static void tells(const char *room, const char *match, uint32_t segments, const char *bytes,
                  const char *state)
{
    char name[128], expected[256], joined[4096] = "";
    ls_live_manifest read;
    snprintf(name, sizeof name, "live/%s/live", room);
    snprintf(expected, sizeof expected,
             "lockstep-live 1\nmatch=%s segments=%u bytes=%zu state=%s\n", match, segments,
             strlen(bytes), state);
    assert_string_equal(content(name), expected);
    assert_ok(ls_live_manifest_read(expected, strlen(expected), &read, NULL));
    assert_string_equal(read.match, match);
    assert_int_equal(read.segments, segments);
    for (uint32_t i = 0; i < segments; i++) {
        snprintf(name, sizeof name, "live/%s/%s-%u.seg", room, match, i);
        assert_non_null(content(name));
        strcat(joined, content(name));
    }
    assert_string_equal(joined, bytes);
}

static void open_broadcast(uint32_t delay_s)
{
    static char path[128];
    strcpy(path, test_path(&folder, "live"));
    const ls_broadcast_config config = {.folder = path, .delay_s = delay_s, .log = &events};
    assert_ok(ls_broadcast_create(&config, &broadcast, NULL));
}

static int begin(void **state)
{
    test_folder_make(&folder);
    assert_ok(ls_log_open(test_path(&folder, "log"), &events, NULL));
    events.path = "log";
    return 0;
}

static const char *close_log(void)
{
    ls_broadcast_destroy(broadcast);
    broadcast = NULL;
    assert_ok(ls_log_close(&events, LS_OK, NULL));
    return content("log");
}

static int end(void **state)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder.path);
    return system(command); /* NOLINT: a path of this test alone */
}

TESTS_AROUND(begin, end);

/* All segments, joined, are the recording; nothing is published before it has its name. */
TEST(test_broadcast_joins_to_the_recording)
{
    open_broadcast(0);
    add(0, "a/b ü", "records/drift-1.lsr");
    put(0, "head ");
    step(10);
    assert_null(content("live/a~2fb~20~c3~bc/live"));
    assert_int_equal(sinks[0].sync(sinks[0].context), 0);
    step(11);
    tells("a~2fb~20~c3~bc", "drift-1", 1, "head ", "live");
    put(0, "one ");
    step(12); /* the segment is too young to be cut */
    tells("a~2fb~20~c3~bc", "drift-1", 1, "head ", "live");
    put(0, "two ");
    step(13);
    step(15); /* nothing new */
    tells("a~2fb~20~c3~bc", "drift-1", 2, "head one two ", "live");
    put(0, "end");
    close_sink(0);
    step(16);
    tells("a~2fb~20~c3~bc", "drift-1", 3, "head one two end", "ended");
    assert_string_equal(disks[0].bytes, "head one two end");
    step(16 + LS_BROADCAST_KEEP_NS / S);
    assert_null(content("live/a~2fb~20~c3~bc/live"));
    assert_null(content("live/a~2fb~20~c3~bc/drift-1-0.seg"));
    assert_string_equal(close_log(), "");
}

/* A running match is published late; the rest of an ended one at once. */
TEST(test_broadcast_withholds_what_is_young)
{
    open_broadcast(30);
    add(0, "", "drift-1.lsr");
    put(0, "head ");
    assert_int_equal(sinks[0].sync(sinks[0].context), 0);
    step(100);
    put(0, "one ");
    step(110);
    step(129);
    assert_null(content("live/~/live"));
    step(130);
    tells("~", "drift-1", 1, "head ", "live");
    step(139);
    tells("~", "drift-1", 1, "head ", "live");
    step(140);
    tells("~", "drift-1", 2, "head one ", "live");
    put(0, "end");
    step(141);
    close_sink(0);
    step(142);
    tells("~", "drift-1", 3, "head one end", "ended");
    assert_string_equal(close_log(), "");
}

/* A folder that fails is told once; the recording goes on, and so does the broadcast later. */
TEST(test_broadcast_survives_a_bad_folder)
{
    char path[128];
    open_broadcast(0);
    strcpy(path, test_path(&folder, "live/1"));
    test_file_write(path, "in the way", 10);
    add(0, "1", "drift-1.lsr");
    put(0, "head ");
    assert_int_equal(sinks[0].sync(sinks[0].context), 0);
    for (uint64_t at = 10; at < 40; at++)
        step(at);
    put(0, "one ");
    step(40);
    assert_in_range(ls_broadcast_failures(broadcast), 10, 20); /* the log has one line */
    assert_int_equal(unlink(path), 0);
    step(45);
    tells("1", "drift-1", 2, "head one ", "live");
    assert_string_equal(disks[0].bytes, "head one ");
    close_sink(0);
    step(46);
    tells("1", "drift-1", 2, "head one ", "ended");
    const char *log = close_log();
    assert_ptr_equal(strstr(log, "broadcast_failed match=\"drift-1\" reason="), log);
    assert_null(strstr(log + 1, "broadcast_failed"));
}

/* A recording that fails breaks the broadcast off, and one that never began has none. */
TEST(test_broadcast_ends_with_the_recording)
{
    open_broadcast(0);
    add(0, "1", "drift-1.lsr");
    add(1, "2", "drift-2.lsr");
    put(0, "head ");
    put(1, "head ");
    assert_int_equal(sinks[0].sync(sinks[0].context), 0);
    step(10);
    assert_string_equal(content("live/rooms.json"),
                        "[{\"room\": \"1\", \"simulation\": \"drift\", \"players\": 1}]");
    disks[0].result = disks[1].result = -ENOSPC;
    assert_int_equal(sinks[0].append(sinks[0].context, "more", 4), -ENOSPC);
    assert_int_equal(sinks[1].sync(sinks[1].context), -ENOSPC);
    close_sink(0);
    close_sink(1);
    step(20);
    tells("1", "drift-1", 1, "head ", "broken");
    assert_null(content("live/2/live"));
    assert_string_equal(content("live/rooms.json"), "[]");
    assert_string_equal(close_log(), "");
}

/* The next match of a room replaces the files of the one before. */
TEST(test_broadcast_replaces_the_match_of_a_room)
{
    open_broadcast(0);
    add(0, "1", "drift-1.lsr");
    put(0, "first");
    assert_int_equal(sinks[0].sync(sinks[0].context), 0);
    step(10);
    add(1, "1", "drift-2.lsr");
    put(1, "second");
    step(20);
    tells("1", "drift-1", 1, "first", "live");
    assert_int_equal(sinks[1].sync(sinks[1].context), 0);
    step(30);
    tells("1", "drift-2", 1, "second", "live");
    assert_null(content("live/1/drift-1-0.seg"));
    put(0, "late"); /* still open: what it writes is not published */
    step(40);
    tells("1", "drift-2", 1, "second", "live");
    close_sink(0);
    close_sink(1);
    step(50);
    tells("1", "drift-2", 1, "second", "ended");
    assert_string_equal(close_log(), "");
}

/* More than LS_BROADCAST_WAITING_MAX is not kept for a folder that fails. */
TEST(test_broadcast_keeps_memory_bounded)
{
    static char part[4096];
    char path[128];
    open_broadcast(0);
    strcpy(path, test_path(&folder, "live/1"));
    test_file_write(path, "in the way", 10);
    add(0, "1", "drift-1.lsr");
    assert_int_equal(sinks[0].sync(sinks[0].context), 0);
    for (uint64_t bytes = 0; bytes <= LS_BROADCAST_WAITING_MAX; bytes += sizeof part) {
        disks[0].count = 0;
        assert_int_equal(sinks[0].append(sinks[0].context, part, sizeof part), sizeof part);
    }
    step(10);
    assert_int_equal(unlink(path), 0);
    step(20);
    assert_null(content("live/1/live"));
    close_sink(0);
    assert_non_null(strstr(close_log(), "too many bytes wait"));
}

/* The thread publishes what is left when it ends. */
TEST(test_broadcast_thread_publishes_the_rest)
{
    open_broadcast(60);
    assert_ok(ls_broadcast_start(broadcast, NULL));
    add(0, "1", "drift-1.lsr");
    put(0, "all");
    assert_int_equal(sinks[0].sync(sinks[0].context), 0);
    close_sink(0);
    assert_string_equal(close_log(), "");
    tells("1", "drift-1", 1, "all", "ended");
}

/* Any name of a simulation gives one word, and a path that is too long is told. */
TEST(test_broadcast_takes_any_name)
{
    char recording[256];
    open_broadcast(0);
    add(0, "1", "records/my sim=\n1.2.lsr");
    put(0, "all");
    assert_int_equal(sinks[0].sync(sinks[0].context), 0);
    close_sink(0);
    step(10);
    tells("1", "my~20sim~3d~0a1~2e2", 1, "all", "ended");
    memset(recording, 'x', sizeof recording);
    strcpy(recording + sizeof recording - 5, ".lsr");
    add(1, "2", recording);
    assert_ptr_equal(sinks[1].context, &disks[1]);
    assert_non_null(strstr(close_log(), "its name is too long"));
}

TEST(test_broadcast_is_optional)
{
    const ls_broadcast_config config = {.folder = NULL};
    assert_ok(ls_broadcast_create(&config, &broadcast, NULL));
    assert_null(broadcast);
    assert_ok(ls_broadcast_start(broadcast, NULL));
    add(0, "1", "drift-1.lsr");
    assert_ptr_equal(sinks[0].context, &disks[0]);
    (void)close_log();
}
