#include "cli/common/async_writer.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

/* PATIENCE_S only catches what never happens: the machine may be busy. */
enum { PIPE_BYTES = 4096, PATIENCE_S = 120 };

static bool is_left; /* the result of the last destroy */

typedef struct fixture {
    int reader, writer;
    ls_async_writer *async;
    char text[8 * LS_ASYNC_WRITER_BYTES];
    size_t bytes;
} fixture;

static void begin(fixture *f)
{
    int ends[2];
    memset(f, 0, sizeof *f);
    assert_int_equal(pipe(ends), 0);
    f->reader = ends[0];
    f->writer = ends[1];
    assert_true(fcntl(f->writer, F_SETPIPE_SZ, PIPE_BYTES) >= PIPE_BYTES);
    assert_ok(ls_async_writer_open(f->writer, &f->async, NULL));
}

/* Reads until `until` arrives or the writer closes its end. */
static void read_until(fixture *f, const char *until)
{
    for (ssize_t got; !until || !strstr(f->text, until); f->bytes += (size_t)got) {
        got = read(f->reader, f->text + f->bytes, sizeof f->text - 1 - f->bytes);
        assert_true(got >= 0);
        if (got == 0)
            return;
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

TEST(test_async_writer_writes_all_in_order)
{
    static fixture f;
    begin(&f);
    for (uint32_t i = 0; i < 100; i++)
        ls_async_writer_print(f.async, "line %u\n", i);
    assert_true(ls_async_writer_close(f.async, &is_left));
    assert_false(is_left);
    close(f.writer);
    read_until(&f, NULL);
    const char *at = f.text;
    for (uint32_t i = 0; i < 100; i++) {
        char line[32];
        int length = snprintf(line, sizeof line, "line %u\n", i);
        assert_memory_equal(at, line, (size_t)length);
        at += length;
    }
    assert_int_equal(*at, 0);
    close(f.reader);
}

/* Printing never blocks. When the reader reads again, it gets the kept lines complete, and between
 * them the number of dropped lines. */
TEST(test_async_writer_counts_unread_lines)
{
    static fixture f;
    begin(&f);
    uint32_t count = 10000;
    double start = seconds();
    for (uint32_t i = 0; i < count; i++)
        ls_async_writer_print(f.async, "line %06u of which nobody reads any\n", i);
    assert_true(seconds() - start < PATIENCE_S);
    read_until(&f, "lines_dropped");
    ls_async_writer_print(f.async, "the last\n");
    read_until(&f, "the last\n");
    uint64_t dropped = 0;
    for (const char *at = f.text; (at = strstr(at, "lines_dropped count=")) != NULL; at++)
        dropped += strtoull(at + 20, NULL, 10);
    uint32_t lines = 0;
    for (const char *at = f.text; (at = strstr(at, "line ")) != NULL; at++)
        lines++;
    assert_int_equal(lines + dropped, count);
    assert_int_equal(ls_async_writer_lost(f.async), dropped);
    assert_true(dropped > 0 && lines * 37 > LS_ASYNC_WRITER_BYTES / 2);
    for (char *line = strtok(f.text, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strstr(line, "nobody reads any") || strncmp(line, "lines_dropped", 13) == 0 ||
                    strcmp(line, "the last") == 0);
    assert_true(ls_async_writer_close(f.async, &is_left));
    assert_false(is_left);
    close(f.writer);
    close(f.reader);
}

TEST(test_async_writer_does_not_wait_at_its_end)
{
    static fixture f;
    begin(&f);
    static ls_async_writer *left; /* stays reachable for the leak checker: its thread still runs */
    left = f.async;
    for (uint32_t i = 0; i < 10000; i++)
        ls_async_writer_print(f.async, "line %06u of which nobody reads any\n", i);
    double start = seconds();
    assert_true(ls_async_writer_close(left, &is_left));
    assert_true(is_left);
    assert_true(seconds() - start < PATIENCE_S); /* it would wait for a reader for ever */
    close(f.reader);
}

TEST(test_async_writer_reports_failed_writes)
{
    ls_async_writer *async;
    int file = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(file >= 0);
    assert_ok(ls_async_writer_open(file, &async, NULL));
    ls_async_writer_print(async, "for nobody\n");
    assert_false(ls_async_writer_close(async, &is_left));
    close(file);
    assert_true(ls_async_writer_close(NULL, &is_left));
    assert_false(is_left);
}

/* The attempts to write beyond the limit of a file. */
static atomic_int refused;

static void count_refused(int number)
{
    refused++;
}

static int set_signals(void **state)
{
    signal(SIGPIPE, SIG_IGN); /* as the command does */
    signal(SIGXFSZ, count_refused);
    return 0;
}

TESTS_AROUND_ALL(set_signals, NULL);

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Waits until the thread has tried to write lines that the file does not take. */
static void await_refused(int count)
{
    for (double start = seconds(); refused < count; nap())
        assert_true(seconds() - start < PATIENCE_S);
}

static void await_file_bytes(int file, off_t bytes)
{
    for (double start = seconds(); lseek(file, 0, SEEK_CUR) < bytes; nap())
        assert_true(seconds() - start < PATIENCE_S);
}

static void set_file_bytes_max(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A full disk that gets space again. A partly written line ends there; the number of dropped lines
 * comes before the next line, and at the end. */
TEST(test_async_writer_counts_lines_lost_to_a_full_disk)
{
    static const char first[] = "line 1\n", second[] = "line 2, of which a part is taken\n";
    char name[] = "/tmp/lockstep-async-XXXXXX", text[256] = "";
    ls_async_writer *async;
    int file = mkstemp(name);
    assert_true(file >= 0);
    unlink(name);
    assert_ok(ls_async_writer_open(file, &async, NULL));
    set_file_bytes_max(sizeof first - 1 + 6);
    ls_async_writer_print(async, "%s", first);
    await_file_bytes(file, sizeof first - 1);
    /* All at once: the thread tries to write them once. */
    ls_async_writer_print(async, "%sline 3\nline 4\nline 5\n", second);
    await_refused(1);
    set_file_bytes_max(RLIM_INFINITY);
    ls_async_writer_print(async, "line 6\n");
    off_t bytes = (off_t)strlen("line 1\nline 2\nlines_dropped count=4\nline 6\n");
    await_file_bytes(file, bytes);
    assert_int_equal(ls_async_writer_lost(async), 4);
    set_file_bytes_max((rlim_t)bytes);
    ls_async_writer_print(async, "line 7\n");
    await_refused(2);
    ls_async_writer_print(async, "line 8\n");
    await_refused(3); /* with the number of the line before it */
    set_file_bytes_max(RLIM_INFINITY);
    ls_async_writer_print(async, "line 9\n");
    await_file_bytes(file, bytes + (off_t)strlen("lines_dropped count=2\nline 9\n"));
    assert_int_equal(ls_async_writer_lost(async), 4 + 2);
    set_file_bytes_max((rlim_t)lseek(file, 0, SEEK_CUR));
    ls_async_writer_print(async, "line 10\n");
    await_refused(4);
    set_file_bytes_max(RLIM_INFINITY);
    assert_false(ls_async_writer_close(async, &is_left));
    assert_true(pread(file, text, sizeof text - 1, 0) > 0);
    assert_string_equal(text, "line 1\nline 2\nlines_dropped count=4\nline 6\n"
                              "lines_dropped count=2\nline 9\nlines_dropped count=1\n");
    close(file);
}

/* Waits until the file has the text. */
static void wait_for_text(const char *path, const char *says, char *text, size_t bytes)
{
    for (double start = seconds(); seconds() - start < PATIENCE_S; nap()) {
        FILE *file = fopen(path, "r");
        size_t got = file ? fread(text, 1, bytes - 1, file) : 0;
        text[got] = 0;
        if (file)
            fclose(file);
        if (strstr(text, says))
            return;
    }
    fail_msg("%s has '%s', not '%s'", path, text, says);
}

/* Every file has as many whole lines as fit, the oldest ones are gone, and a file that grew before
 * counts. */
TEST(test_async_writer_rotates_by_size)
{
    char folder[] = "/tmp/lockstep-async-XXXXXX", path[64], old[80], text[256];
    ls_async_writer *async;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/log", folder);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, "line 00\n", 8), 8);
    assert_ok(ls_async_writer_open(file, &async, NULL));
    ls_async_writer_rotate(async, path, 16);
    for (uint32_t i = 1; i < 14; i++) {
        char line[32];
        snprintf(line, sizeof line, "line %02u\n", i);
        ls_async_writer_print(async, "%s", line);
        wait_for_text(path, line, text, sizeof text);
    }
    assert_true(ls_async_writer_close(async, &is_left));
    for (uint32_t i = 0; i <= LS_ASYNC_WRITER_OLD_FILES; i++) {
        char lines[32];
        snprintf(old, sizeof old, i ? "%s.%u" : "%s", path, i);
        snprintf(lines, sizeof lines, "line %02u\nline %02u\n", 12 - 2 * i, 13 - 2 * i);
        wait_for_text(old, lines, text, sizeof text);
        assert_string_equal(text, lines);
        assert_int_equal(remove(old), 0);
    }
    close(file);
    assert_int_equal(rmdir(folder), 0);
}

/* A file that cannot be renamed is reported once, and lines go on. */
TEST(test_async_writer_goes_on_without_rotation)
{
    char folder[] = "/tmp/lockstep-async-XXXXXX", path[64], old[80], inner[80], text[512];
    ls_async_writer *async;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/log", folder);
    snprintf(old, sizeof old, "%s.%d", path, LS_ASYNC_WRITER_OLD_FILES);
    snprintf(inner, sizeof inner, "%s.%d", path, LS_ASYNC_WRITER_OLD_FILES - 1);
    assert_int_equal(mkdir(old, 0700), 0); /* a file cannot replace a folder */
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int older = open(inner, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0 && older >= 0);
    close(older);
    assert_ok(ls_async_writer_open(file, &async, NULL));
    ls_async_writer_rotate(async, path, 200);
    ls_async_writer_print(async, "line 1 of %150d\n", 3);
    wait_for_text(path, "line 1", text, sizeof text);
    ls_async_writer_print(async, "line 2 of which there is no more to say, and so it is long\n");
    wait_for_text(path, "log_not_rotated file=", text, sizeof text);
    ls_async_writer_print(async, "line 3\n");
    assert_true(ls_async_writer_close(async, &is_left));
    wait_for_text(path, "line 3\n", text, sizeof text);
    assert_ptr_equal(text, strstr(text, "line 1"));
    assert_non_null(strstr(text, "line 2"));
    close(file);
    assert_int_equal(remove(path) | remove(inner) | rmdir(old) | rmdir(folder), 0);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

static void set_files_max(rlim_t files)
{
    static struct rlimit limit;
    if (!limit.rlim_max)
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    struct rlimit less = {.rlim_cur = files ? files : limit.rlim_cur, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
}

/* Prints a line of this length, which is too much for the file, and waits for the failure. */
static void print_and_fail(ls_async_writer *async, int file, int length, const char *reason)
{
    double start = seconds();
    char text[8192] = "";
    ls_async_writer_print(async, "%*d\n", length, 7);
    for (; !strstr(text, reason); nap()) {
        ssize_t got = pread(file, text, sizeof text - 1, 0);
        assert_true(got >= 0 && seconds() - start < PATIENCE_S);
        text[got] = 0;
    }
}

/* Without a rotation the old files stay, whether FILE cannot be renamed or no new one opened. */
TEST(test_async_writer_keeps_old_files_after_a_failure)
{
    char folder[] = "/tmp/lockstep-async-XXXXXX", path[64], old[80], text[8192];
    ls_async_writer *async;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/log", folder);
    for (uint32_t i = 1; i <= LS_ASYNC_WRITER_OLD_FILES; i++) {
        snprintf(old, sizeof old, "%s.%u", path, i);
        write_text(old, (char[]){(char)('0' + i), 0});
    }
    snprintf(text, sizeof text, "the first%1500d\n", 1);
    write_text(path, text);
    int file = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    assert_true(file >= 0);
    assert_ok(ls_async_writer_open(file, &async, NULL));
    ls_async_writer_rotate(async, path, 2000);
    snprintf(old, sizeof old, "%s.0", path);
    assert_int_equal(mkdir(old, 0700), 0); /* a file cannot replace a folder */
    print_and_fail(async, file, 600, "log_not_rotated");
    assert_int_equal(rmdir(old), 0);
    set_files_max(1); /* no file can be opened */
    print_and_fail(async, file, 1350, "reason=\"Too many open files\"");
    set_files_max(0);
    assert_true(ls_async_writer_close(async, &is_left));
    close(file);
    for (uint32_t i = 1; i <= LS_ASYNC_WRITER_OLD_FILES; i++) {
        snprintf(old, sizeof old, "%s.%u", path, i);
        wait_for_text(old, (char[]){(char)('0' + i), 0}, text, sizeof text);
        assert_int_equal(remove(old), 0);
    }
    wait_for_text(path, "reason=\"Too many open files\"", text, sizeof text);
    assert_ptr_equal(text, strstr(text, "the first "));
    assert_int_equal(remove(path) | rmdir(folder), 0);
}

TEST(test_async_writer_cuts_a_long_line)
{
    static fixture f;
    begin(&f);
    static char text[2 * LS_ASYNC_WRITER_LINE_BYTES];
    memset(text, 'x', sizeof text - 1);
    ls_async_writer_print(f.async, "%s\n", text);
    ls_async_writer_print(f.async, "next\n");
    read_until(&f, "\nnext\n");
    assert_int_equal(strchr(f.text, '\n') - f.text, LS_ASYNC_WRITER_LINE_BYTES - 2);
    assert_true(ls_async_writer_close(f.async, &is_left));
    assert_false(is_left);
    close(f.writer);
    close(f.reader);
}
